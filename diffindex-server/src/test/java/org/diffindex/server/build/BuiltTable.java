package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.RETURNS_SELF;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.OptionalDouble;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;

/** A table of rows in a few regions, and an index of it that is BUILDING, behind mocks of what a build calls. */
final class BuiltTable {
    /** Fails, or does something, when a page is asked for. */
    @FunctionalInterface
    interface OnPage {
        void asked(FillRequest page) throws IOException;
    }

    /** Something that another client does. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    static final TableName NAME = TableName.valueOf("flights");

    final IndexDefinition index = IndexDefinition.builder(NAME, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build()
            .withId("id-1");
    final Map<TableName, TableDescriptor> tables = new ConcurrentSkipListMap<>();
    final Connection connection = mock(Connection.class);

    /** The first rows of the pages that were written, in order. */
    final List<String> pages = Collections.synchronizedList(new ArrayList<>());

    /** How often all tables were looked at. */
    final AtomicInteger looks = new AtomicInteger();

    volatile OnPage onPage = page -> {};

    private Step beforeCheck = () -> {};

    private final NavigableSet<String> starts = new TreeSet<>(List.of("", "h", "p"));
    private final NavigableMap<byte[], byte[]> record = new ConcurrentSkipListMap<>(Bytes.BYTES_COMPARATOR);
    private final List<String> rows = new ArrayList<>();

    BuiltTable() throws IOException {
        for (char letter = 'a'; letter <= 'z'; letter++) {
            rows.add(letter + "1");
            rows.add(letter + "2");
        }
        TableDescriptor base = TableDescriptorBuilder.newBuilder(NAME)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build();
        tables.put(NAME, IndexDefinitions.with(base, index));
        TableDescriptor own = IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(index.indexTable()), index, IndexState.BUILDING)
                .build();
        tables.put(index.indexTable(), BuildFamily.add(own, OptionalDouble.empty(), false));
        Configuration conf = new Configuration(false);
        conf.setInt(IndexBuild.ROWS_KEY, 5);
        conf.setInt(IndexBuild.REGIONS_KEY, 1);
        when(connection.getConfiguration()).thenReturn(conf);
        stubAdmin();
        stubBase();
        stubRecord();
    }

    IndexState state() {
        return IndexDefinitions.stateOf(tables.get(index.indexTable()));
    }

    /** Returns why the index is BROKEN. */
    String problem() {
        return IndexDefinitions.problemOf(tables.get(index.indexTable())).orElseThrow();
    }

    /** Does something just before the next write that depends on who builds. */
    void beforeCheck(Step step) {
        beforeCheck = () -> {
            beforeCheck = () -> {};
            step.run();
        };
    }

    /** Returns the value that the record has in a cell; null if it has none. */
    byte[] recorded(byte[] qualifier) {
        return record.get(qualifier);
    }

    BuildRecord record() {
        return BuildRecord.of(connection, index);
    }

    BuildRequest.Builder request() {
        return BuildRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
    }

    /** Records orders, after those with which the build begins. */
    void order(BuildOrders orders) throws IOException {
        record().takeOver("master-0", tables.get(index.indexTable()));
        record().order(request()
                .setPaused(orders.isPaused())
                .setRowsPerSecond(orders.rowsPerSecond().orElse(0))
                .build());
    }

    /**
     * Waits until a master that has started, and has looked for nothing else, has watched what it found: looks are made one
     * after the other, and one that is ordered while another waits is the same.
     */
    void awaitWatch(IndexBuilds builds) {
        for (int look = 2; look <= 3; look++) {
            builds.lookSoon();
            while (looks.get() < look) {
                Thread.onSpinWait();
            }
        }
    }

    private void stubAdmin() throws IOException {
        Admin admin = mock(Admin.class);
        when(connection.getAdmin()).thenReturn(admin);
        when(admin.getDescriptor(any())).thenAnswer(call -> {
            TableDescriptor found = tables.get(call.<TableName>getArgument(0));
            if (found == null) {
                throw new TableNotFoundException(call.<TableName>getArgument(0));
            }
            return found;
        });
        when(admin.listTableDescriptors()).thenAnswer(call -> {
            looks.incrementAndGet();
            return List.copyOf(tables.values());
        });
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    tables.put(changed.getTableName(), changed);
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
    }

    private void stubBase() throws IOException {
        RegionLocator locator = mock(RegionLocator.class);
        when(locator.getName()).thenReturn(NAME);
        when(locator.getAllRegionLocations())
                .thenReturn(starts.stream().map(BuiltTable::location).toList());
        when(connection.getRegionLocator(NAME)).thenReturn(locator);
        Table base = mock(Table.class);
        when(connection.getTable(NAME)).thenReturn(base);
        CoprocessorRpcChannel channel = mock(CoprocessorRpcChannel.class);
        when(base.coprocessorService(any(byte[].class))).thenReturn(channel);
        try {
            when(channel.callBlockingMethod(any(), any(), any(), any()))
                    .thenAnswer(call -> fill((FillRequest) call.<Message>getArgument(2)));
        } catch (ServiceException e) {
            throw new IOException(e);
        }
    }

    private static HRegionLocation location(String start) {
        return new HRegionLocation(
                RegionInfoBuilder.newBuilder(NAME)
                        .setStartKey(Bytes.toBytes(start))
                        .build(),
                ServerName.valueOf("rs", 16020, 1));
    }

    private FillResponse fill(FillRequest request) throws ServiceException {
        try {
            if (state() != IndexState.BUILDING) {
                throw new DoNotRetryIOException("the region has no index that is BUILDING");
            }
            onPage.asked(request);
        } catch (IOException e) {
            throw new ServiceException("Error calling method", e);
        }
        String start = request.getStartRow().toStringUtf8();
        String end = starts.higher(start) == null ? "" : starts.higher(start);
        String stop = request.hasStopRow() ? request.getStopRow().toStringUtf8() : end;
        List<String> left = rows.stream()
                .filter(row -> row.compareTo(start) >= 0)
                .filter(row -> (end.isEmpty() || row.compareTo(end) < 0) && (stop.isEmpty() || row.compareTo(stop) < 0))
                .toList();
        int read = Math.min(left.size(), request.getMaxRows());
        pages.add(start);
        FillResponse.Builder page = FillResponse.newBuilder()
                .setRows(read)
                .setEntries(read)
                .setLeftOut(0)
                .setRowsRead(read)
                .setRegionEnd(ByteString.copyFromUtf8(end));
        return read < left.size()
                ? page.setNextRow(ByteString.copyFromUtf8(left.get(read))).build()
                : page.build();
    }

    private void stubRecord() throws IOException {
        Table own = mock(Table.class);
        TableBuilder builder = mock(TableBuilder.class, RETURNS_SELF);
        when(builder.build()).thenReturn(own);
        when(connection.getTableBuilder(index.indexTable(), null)).thenReturn(builder);
        when(own.get(any(Get.class))).thenAnswer(call -> {
            requireFamily();
            List<Cell> cells = new ArrayList<>();
            NavigableSet<byte[]> columns =
                    call.<Get>getArgument(0).getFamilyMap().get(BuildFamily.NAME);
            record.forEach((qualifier, value) -> {
                if (columns == null || columns.contains(qualifier)) {
                    cells.add(new KeyValue(BuildFamily.ROW, BuildFamily.NAME, qualifier, 1, value));
                }
            });
            return Result.create(cells);
        });
        try {
            doAnswer(call -> {
                        Row row = call.<List<Row>>getArgument(0).get(0);
                        if (row instanceof CheckAndMutate checked) {
                            call.<Object[]>getArgument(1)[0] = new CheckAndMutateResult(isWritten(checked), null);
                        } else {
                            writeAsServer((Put) row);
                        }
                        return null;
                    })
                    .when(own)
                    .batch(anyList(), any());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isWritten(CheckAndMutate checked) throws IOException {
        beforeCheck.run();
        assertThat(checked.getFamily()).isEqualTo(BuildFamily.NAME);
        assertThat(checked.getCompareOp()).isEqualTo(CompareOperator.EQUAL);
        if (!Arrays.equals(record.get(checked.getQualifier()), checked.getValue())) {
            return false;
        }
        for (Mutation each : ((RowMutations) checked.getAction()).getMutations()) {
            writeAsServer(each);
        }
        return true;
    }

    /** Writes to the record. Only a batch acts as the server, and fails with the exceptions of its operations. */
    private void writeAsServer(Mutation mutation) throws IOException {
        assertThat(mutation.getAttribute(IndexAddress.WRITER_ATTRIBUTE))
                .as("the index whose table accepts the write")
                .isEqualTo(Bytes.toBytes(index.id()));
        try {
            requireFamily();
        } catch (NoSuchColumnFamilyException e) {
            throw new RetriesExhaustedWithDetailsException(List.of(e), List.of(mutation), List.of("rs:1"));
        }
        mutation.getFamilyCellMap()
                .get(BuildFamily.NAME)
                .forEach(cell -> record.merge(
                        CellUtil.cloneQualifier(cell),
                        CellUtil.cloneValue(cell),
                        (before, value) -> mutation instanceof Increment
                                ? Bytes.toBytes(Bytes.toLong(before) + Bytes.toLong(value))
                                : value));
    }

    private void requireFamily() throws NoSuchColumnFamilyException {
        if (!tables.get(index.indexTable()).hasColumnFamily(BuildFamily.NAME)) {
            throw new NoSuchColumnFamilyException("b");
        }
    }
}
