package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotDisabledException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;

/**
 * A master that is a map of descriptors, behind a mock of the calls that {@link DiffIndexAdmin} makes, and the endpoint
 * of the only region of a base table. A test decides which steps fail, and what another client does after a step.
 */
final class FakeMaster {
    /** An action of another client. */
    @FunctionalInterface
    interface Event {
        void run() throws IOException;
    }

    final Configuration configuration = new Configuration(false);
    final Connection connection = mock(Connection.class);
    final Admin admin = mock(Admin.class);
    final Map<TableName, TableDescriptor> tables = new TreeMap<>();
    final Set<TableName> disabled = new HashSet<>();

    /** The changes that were made, and the calls of the endpoint, in order. */
    final List<String> steps = new ArrayList<>();

    /** The exception that the next step of a name throws. */
    final Map<String, IOException> failures = new HashMap<>();

    /** How many batches a drain leaves undelivered. */
    long undelivered = 5;

    private final Map<String, Event> before = new HashMap<>();
    private final Map<String, Event> after = new HashMap<>();

    FakeMaster(TableName base) {
        try {
            when(connection.getConfiguration()).thenReturn(configuration);
            when(connection.getAdmin()).thenReturn(admin);
            when(admin.getConfiguration()).thenReturn(configuration);
            stubMaster();
            stubRegion(base);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets another client do something just before the next step of that name. */
    void before(String step, Event event) {
        before.put(step, event);
    }

    /** Lets another client do something when the next step of that name has been made. */
    void after(String step, Event event) {
        after.put(step, event);
    }

    private void step(String step) throws IOException {
        prepare(step);
        steps.add(step);
    }

    private void prepare(String step) throws IOException {
        run(before.remove(step));
        IOException failure = failures.remove(step);
        if (failure != null) {
            throw failure;
        }
    }

    private static void run(Event event) throws IOException {
        if (event != null) {
            event.run();
        }
    }

    private void stubMaster() throws IOException {
        when(admin.tableExists(any())).thenAnswer(call -> tables.containsKey(call.<TableName>getArgument(0)));
        when(admin.isTableDisabled(any())).thenAnswer(call -> {
            requireTable(call.getArgument(0));
            return disabled.contains(call.<TableName>getArgument(0));
        });
        when(admin.isTableEnabled(any())).thenAnswer(call -> !disabled.contains(call.<TableName>getArgument(0)));
        when(admin.listTableDescriptors()).thenAnswer(call -> List.copyOf(tables.values()));
        when(admin.getDescriptor(any())).thenAnswer(call -> {
            requireTable(call.getArgument(0));
            return tables.get(call.<TableName>getArgument(0));
        });
        doAnswer(call -> create(call.getArgument(0), 1)).when(admin).createTable(any());
        doAnswer(call -> create(call.getArgument(0), call.<byte[][]>getArgument(1).length + 1))
                .when(admin)
                .createTable(any(), any(byte[][].class));
        doAnswer(call -> modify(call.getArgument(0))).when(admin).modifyTable(any(TableDescriptor.class));
        doAnswer(call -> modifyOpen(call.getArgument(0)))
                .when(admin)
                .modifyTable(any(TableDescriptor.class), eq(false));
        doAnswer(call -> disable(call.getArgument(0))).when(admin).disableTable(any());
        doAnswer(call -> enable(call.getArgument(0))).when(admin).enableTable(any());
        doAnswer(call -> delete(call.getArgument(0))).when(admin).deleteTable(any());
    }

    private void requireTable(TableName name) throws TableNotFoundException {
        if (!tables.containsKey(name)) {
            throw new TableNotFoundException(name);
        }
    }

    private Void disable(TableName name) throws IOException {
        step("disable " + name);
        requireTable(name);
        if (!disabled.add(name)) {
            throw new TableNotEnabledException(name);
        }
        run(after.remove("disable " + name));
        return null;
    }

    private Void enable(TableName name) throws IOException {
        step("enable " + name);
        requireTable(name);
        if (!disabled.remove(name)) {
            throw new TableNotDisabledException(name);
        }
        return null;
    }

    private Void delete(TableName name) throws IOException {
        step("delete " + name);
        requireTable(name);
        for (TableDescriptor base : tables.values()) {
            for (String index : IndexDefinitions.texts(base).keySet()) {
                if (IndexDefinition.indexTable(base.getTableName(), index).equals(name)) {
                    throw new DoNotRetryIOException("it is the table of index " + index);
                }
            }
        }
        disabled.remove(name);
        tables.remove(name);
        return null;
    }

    private Void create(TableDescriptor descriptor, int regions) throws IOException {
        String step = "create " + descriptor.getTableName() + " in " + regions;
        step(step);
        tables.put(descriptor.getTableName(), descriptor);
        run(after.remove(step));
        return null;
    }

    Void modify(TableDescriptor descriptor) throws IOException {
        String step = "modify " + descriptor.getTableName() + stateIn(descriptor);
        prepare(step);
        refuseIfStale(descriptor);
        steps.add(step);
        tables.put(descriptor.getTableName(), descriptor);
        run(after.remove(step));
        return null;
    }

    /** Modifies a table without reopening its regions, which is no step. */
    private Void modifyOpen(TableDescriptor descriptor) throws IOException {
        TableName table = descriptor.getTableName();
        prepare("modify " + table + " open");
        refuseIfStale(descriptor);
        boolean forgets = IndexDefinitions.forgetsRevision(tables.get(table), descriptor);
        tables.put(table, forgets ? IndexDefinitions.withRevision(descriptor, 0) : descriptor);
        return null;
    }

    /** Refuses, as the coprocessor of a master does, a change of the indexes that would undo another change. */
    private void refuseIfStale(TableDescriptor changed) throws IOException {
        requireTable(changed.getTableName());
        TableDescriptor current = tables.get(changed.getTableName());
        boolean changesIndexes = IndexDefinitions.revisionOf(current) != IndexDefinitions.revisionOf(changed);
        if (changesIndexes && !withoutIndexes(current).equals(withoutIndexes(changed))) {
            throw new DoNotRetryIOException("the descriptor differs from the table's also in something else");
        }
    }

    private static TableDescriptor withoutIndexes(TableDescriptor table) {
        return Coprocessors.withoutObserver(IndexDefinitions.withoutAny(table));
    }

    private static String stateIn(TableDescriptor descriptor) {
        if (IndexDefinitions.baseTableOf(descriptor).isPresent()) {
            return " " + IndexDefinitions.stateOf(descriptor);
        }
        return IndexDefinitions.texts(descriptor).containsKey("by_origin") ? " by_origin" : "";
    }

    private void stubRegion(TableName base) throws IOException {
        HRegionLocation region =
                new HRegionLocation(RegionInfoBuilder.newBuilder(base).build(), ServerName.valueOf("rs", 16020, 1));
        RegionLocator locator = mock(RegionLocator.class);
        when(locator.getAllRegionLocations()).thenReturn(Arrays.asList(region, null)); // and a replica without a server
        when(locator.getRegionLocation(any(byte[].class))).thenReturn(region);
        when(connection.getRegionLocator(base)).thenReturn(locator);
        ResultScanner rows = mock(ResultScanner.class); // the user may see no row
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenReturn(rows);
        when(connection.getTable(base)).thenReturn(table);
        CoprocessorRpcChannel channel = mock(CoprocessorRpcChannel.class);
        when(table.coprocessorService(any(byte[].class))).thenReturn(channel);
        try {
            when(channel.callBlockingMethod(any(), any(), any(), any()))
                    .thenAnswer(call -> answer(call.getArgument(2)));
        } catch (ServiceException e) {
            throw new IOException(e);
        }
    }

    /** Answers as the endpoint of a region with two pages. */
    private Message answer(Message request) throws ServiceException {
        try {
            if (request instanceof FillRequest fill) {
                String step = "backfill from '" + fill.getStartRow().toStringUtf8() + "' max " + fill.getMaxRows();
                step(step);
                run(after.remove(step));
                FillResponse.Builder page = FillResponse.newBuilder()
                        .setRows(10)
                        .setEntries(9)
                        .setLeftOut(1)
                        .setRowsRead(1_010)
                        .setRegionEnd(ByteString.EMPTY);
                return fill.hasStartRow()
                        ? page.build()
                        : page.setNextRow(ByteString.copyFromUtf8("m")).build();
            }
            assertThat(request).isInstanceOf(DrainRequest.class);
            step("drain");
            return DrainResponse.newBuilder()
                    .setRemaining(undelivered)
                    .setRegionEnd(ByteString.EMPTY)
                    .build();
        } catch (IOException e) {
            throw new ServiceException("Error calling method", e);
        }
    }
}
