package org.diffindex.server.local;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import com.google.protobuf.Message;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexAddress;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.server.IndexObserver;
import org.diffindex.server.deliver.IndexTableModel;
import org.mockito.MockMakers;

/**
 * A network with index tables in memory, and with the base table's region for the client's reads. Counts calls and what
 * they carry, and makes deliveries fail.
 */
public final class FakeConnection {
    public final Tally indexPuts = new Tally();
    public final Tally indexDeletes = new Tally();
    public final Tally indexReads = new Tally();
    public final Tally baseGetCalls = new Tally();
    public final Tally baseGets = new Tally();
    public final Failures failures = new Failures();
    public final DeliveryFaults faults = new DeliveryFaults();
    /** The ids of the indexes to which mutations were sent. */
    public final Set<String> addressees = ConcurrentHashMap.newKeySet();
    /** The ids of the indexes in which entries were looked up; "none" for a lookup that names no index. */
    public final Set<String> lookedUpIn = ConcurrentHashMap.newKeySet();

    /** Runs while entries are looked up. */
    public volatile Runnable duringLookup = () -> {};

    private final Map<TableName, DeliveryFaults> faultsOfIndexes = new ConcurrentHashMap<>();
    private final Map<TableName, IndexTableModel> indexes = new ConcurrentHashMap<>();
    private final Map<TableName, Table> tables = new ConcurrentHashMap<>();
    private final Connection connection = stub(Connection.class);

    /** Creates a connection to index tables only; no base table is read through it. */
    public FakeConnection() throws IOException {
        this(TableDescriptorBuilder.newBuilder(TableName.valueOf("none")).build());
    }

    public FakeConnection(TableDescriptor base) throws IOException {
        Admin admin = stub(Admin.class);
        when(admin.getDescriptor(base.getTableName())).thenReturn(base);
        when(connection.getAdmin()).thenReturn(admin);
        when(connection.getConfiguration()).thenReturn(new Configuration(false));
        when(connection.getTable(any())).thenAnswer(call -> tables.get(call.<TableName>getArgument(0)));
        when(connection.getTable(any(), any())).thenAnswer(call -> tables.get(call.<TableName>getArgument(0)));
        serveBuilders(connection);
        serveLocations(connection);
        doAnswer(call -> {
                    faults.connectionClosed();
                    return null;
                })
                .when(connection)
                .close();
    }

    /** Makes each table one region, all on one server. */
    private static void serveLocations(Connection connection) throws IOException {
        RegionLocator locator = stub(RegionLocator.class);
        HRegionLocation location = new HRegionLocation(
                RegionInfoBuilder.newBuilder(TableName.valueOf("any")).build(),
                ServerName.valueOf("index-server", 16020, 1));
        when(locator.getRegionLocation(any())).thenReturn(location);
        when(connection.getRegionLocator(any())).thenReturn(locator);
    }

    /**
     * Creates a mock that is collected when nothing refers to it; Mockito's default maker retains mocks that refer to
     * themselves.
     */
    public static <T> T stub(Class<T> type) {
        return mock(type, withSettings().stubOnly().mockMaker(MockMakers.PROXY));
    }

    public Connection connection() {
        return connection;
    }

    /** Returns a server's own connection, which ends with the server. */
    public Connection connectionOf(BooleanSupplier dead) throws IOException {
        Connection own = stub(Connection.class);
        serveLocations(own);
        when(own.getTable(any(), any())).thenAnswer(call -> {
            if (dead.getAsBoolean()) {
                throw new IOException("The server is dead");
            }
            return tables.get(call.<TableName>getArgument(0));
        });
        serveBuilders(own);
        return own;
    }

    /** Builds tables for calls with a time limit, which the calls ignore. */
    private static void serveBuilders(Connection connection) {
        when(connection.getTableBuilder(any(), any())).thenAnswer(call -> {
            Table table = connection.getTable(call.getArgument(0), call.getArgument(1));
            TableBuilder builder = stub(TableBuilder.class);
            when(builder.setOperationTimeout(anyInt())).thenReturn(builder);
            when(builder.build()).thenReturn(table);
            return builder;
        });
    }

    /** Returns the faults of the calls to one index table, which precede the faults of all. */
    public DeliveryFaults faultsOf(TableName index) {
        return faultsOfIndexes.computeIfAbsent(index, any -> new DeliveryFaults());
    }

    public IndexTableModel index(TableName table) {
        return indexes.get(table);
    }

    public void serveBase(HRegion region) throws IOException {
        Table table = stub(Table.class);
        when(table.get(anyList())).thenAnswer(call -> {
            List<Get> gets = call.getArgument(0);
            baseGetCalls.add(1);
            baseGets.add(gets.size());
            Result[] results = new Result[gets.size()];
            for (int i = 0; i < results.length; i++) {
                results[i] = region.get(gets.get(i));
            }
            return results;
        });
        when(table.get(any(Get.class))).thenAnswer(call -> table.get(List.of(call.<Get>getArgument(0)))[0]);
        serveEndpoint(region, table);
        tables.put(region.getTableDescriptor().getTableName(), table);
    }

    /** Runs the client's calls to the region's endpoint on the calling thread. */
    private static void serveEndpoint(HRegion region, Table table) throws IOException {
        CoprocessorRpcChannel channel = stub(CoprocessorRpcChannel.class);
        try {
            when(channel.callBlockingMethod(any(), any(), any(), any())).thenAnswer(call -> {
                Message[] response = new Message[1];
                DiffIndexService endpoint = (DiffIndexService) region.getCoprocessorHost()
                        .findCoprocessor(IndexObserver.class)
                        .getServices()
                        .iterator()
                        .next();
                endpoint.callMethod(
                        call.getArgument(0),
                        new ServerRpcController(),
                        call.getArgument(2),
                        answer -> response[0] = answer);
                return response[0];
            });
        } catch (ServiceException e) {
            throw new IOException(e);
        }
        when(table.coprocessorService(any(byte[].class))).thenReturn(channel);
    }

    public void serveIndex(TableName name) throws IOException {
        serveIndex(name, new IndexTableModel());
    }

    public void serveIndex(TableName name, IndexTableModel model) throws IOException {
        Table table = stub(Table.class);
        try {
            doAnswer(call -> deliver(name, model, call.getArgument(0)))
                    .when(table)
                    .batch(anyList(), any());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        doAnswer(call -> {
                    call.<List<Delete>>getArgument(0).forEach(model::apply);
                    indexDeletes.add(call.<List<Delete>>getArgument(0).size());
                    return null;
                })
                .when(table)
                .delete(anyList());
        when(table.get(anyList())).thenAnswer(call -> get(model, call.getArgument(0)));
        when(table.get(any(Get.class))).thenAnswer(call -> get(model, List.of(call.<Get>getArgument(0)))[0]);
        when(table.getScanner(any(Scan.class))).thenAnswer(call -> scan(model, call.getArgument(0)));
        indexes.put(name, model);
        tables.put(name, table);
    }

    private Object deliver(TableName name, IndexTableModel model, List<Mutation> mutations) throws IOException {
        mutations.forEach(
                mutation -> addressees.add(Bytes.toString(mutation.getAttribute(IndexAddress.WRITER_ATTRIBUTE))));
        faultsOf(name).call(mutations, mutation -> {});
        if (failures.next()) {
            throw new IOException("The index table is not available");
        }
        faults.call(mutations, model::apply);
        long deletes = mutations.stream().filter(Delete.class::isInstance).count();
        indexDeletes.add(deletes);
        indexPuts.add(mutations.size() - deletes);
        return null;
    }

    private Result[] get(IndexTableModel model, List<Get> gets) {
        indexReads.add(1);
        duringLookup.run();
        gets.forEach(get -> lookedUpIn.add(Optional.ofNullable(get.getAttribute(IndexAddress.READER_ATTRIBUTE))
                .map(Bytes::toString)
                .orElse("none")));
        NavigableMap<byte[], Cell> visible = model.visible();
        return gets.stream()
                .map(get -> visible.get(get.getRow()))
                .map(cell -> cell == null ? Result.EMPTY_RESULT : Result.create(List.of(cell)))
                .toArray(Result[]::new);
    }

    private ResultScanner scan(IndexTableModel model, Scan scan) throws IOException {
        indexReads.add(1);
        NavigableMap<byte[], Cell> from = model.visible().tailMap(scan.getStartRow(), true);
        Iterator<Cell> cells = (scan.getStopRow().length == 0 ? from : from.headMap(scan.getStopRow(), false))
                .values()
                .iterator();
        ScanMetrics metrics = new ScanMetrics();
        metrics.countOfRegions.set(1);
        ResultScanner scanner = stub(ResultScanner.class);
        when(scanner.getScanMetrics()).thenReturn(metrics);
        when(scanner.next()).thenAnswer(call -> cells.hasNext() ? Result.create(List.of(cells.next())) : null);
        return scanner;
    }
}
