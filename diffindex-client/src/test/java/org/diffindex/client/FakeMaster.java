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
import java.util.Optional;
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
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.tasks.IndexStates;

/**
 * A master that is a map of descriptors, behind a mock of the calls that {@link DiffIndexAdmin} makes, and the endpoint
 * of the only region of a base table. It has built an index as soon as somebody asks how far it is. A test decides which
 * steps fail, and what another client does before or after a step.
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

    /** The totals of each build, unless a test says otherwise. */
    static final BuildFamily.Totals TOTALS = new BuildFamily.Totals(2_020, 18, 2);

    BuildFamily.Totals totals = TOTALS;

    /** The rows of the base table that the user may read; none, unless a test says otherwise. */
    final ResultScanner rows = mock(ResultScanner.class);

    /** The indexes that drains have named. */
    final List<String> drained = new ArrayList<>();

    /** Whether the master takes over new index tables. */
    boolean isBuilder = true;

    /** Whether the user may read the tables of indexes. */
    boolean isReadable = true;

    /** Why builds have failed; empty if they have not. */
    Optional<String> problem = Optional.empty();

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
            stubIndexTables();
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
        when(admin.getMasterCoprocessorNames())
                .thenAnswer(call -> isBuilder ? List.of("IndexMasterObserver") : List.of());
        when(admin.listTableDescriptors()).thenAnswer(call -> List.copyOf(tables.values()));
        when(admin.listTableDescriptorsByNamespace(any(byte[].class))).thenAnswer(call -> List.copyOf(tables.values()));
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
        doAnswer(call -> truncate(call.getArgument(0))).when(admin).truncateTable(any(), eq(true));
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
        refuseIfDefined(name);
        disabled.remove(name);
        tables.remove(name);
        return null;
    }

    private Void truncate(TableName name) throws IOException {
        prepare("truncate " + name);
        requireTable(name);
        refuseIfDefined(name);
        if (IndexDefinitions.stateOf(tables.get(name)) != IndexState.DISABLED) {
            throw new DoNotRetryIOException("it is the table of an index that is not DISABLED");
        }
        if (!disabled.remove(name)) {
            throw new TableNotDisabledException(name);
        }
        steps.add("truncate " + name);
        return null;
    }

    private void refuseIfDefined(TableName name) throws IOException {
        for (TableDescriptor base : tables.values()) {
            for (String index : IndexDefinitions.texts(base).keySet()) {
                if (IndexDefinition.indexTable(base.getTableName(), index).equals(name)) {
                    throw new DoNotRetryIOException("it is the table of index " + index);
                }
            }
        }
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
        for (IndexDefinition entered : TableIndexes.of(changed).loaded().values()) {
            TableDescriptor own = tables.get(entered.indexTable());
            boolean isNew = !IndexDefinitions.texts(current).containsKey(entered.name());
            if (isNew && (own == null || !isBuilding(own, entered.id()))) {
                throw new DoNotRetryIOException("there is no table of " + entered + " that is BUILDING");
            }
        }
        if (changesIndexes && !IndexDefinitions.isNextOf(current, changed)) {
            throw new DoNotRetryIOException("the revision is not the next one");
        }
        requireReady(current, changed);
        if (changesIndexes && !withoutIndexes(current).equals(withoutIndexes(changed))) {
            throw new DoNotRetryIOException("the descriptor differs from the table's also in something else");
        }
        if (IndexDefinitions.changesState(current, changed) && !IndexDefinitions.isNextState(current, changed)) {
            throw new DoNotRetryIOException("the state was changed meanwhile");
        }
        if (IndexDefinitions.isDropping(changed) && !BuildFamily.totals(current).equals(BuildFamily.totals(changed))) {
            throw new DoNotRetryIOException("the index has become ACTIVE meanwhile");
        }
    }

    /** Readers go over only from and to an index that is ACTIVE. */
    private void requireReady(TableDescriptor current, TableDescriptor changed) throws IOException {
        Map<String, IndexDefinition> before = TableIndexes.of(current).loaded();
        for (IndexDefinition index : TableIndexes.of(changed).loaded().values()) {
            boolean changesRole =
                    before.containsKey(index.name()) && before.get(index.name()).role() != index.role();
            if (changesRole && IndexDefinitions.stateOf(tables.get(index.indexTable())) != IndexState.ACTIVE) {
                throw new DoNotRetryIOException(index.indexTable() + " is not ACTIVE");
            }
        }
    }

    private static boolean isBuilding(TableDescriptor own, String id) {
        return IndexDefinitions.stateOf(own) == IndexState.BUILDING
                && IndexDefinitions.indexIdOf(own).equals(id);
    }

    private static TableDescriptor withoutIndexes(TableDescriptor table) {
        return Coprocessors.withoutObserver(IndexDefinitions.withoutAny(table));
    }

    private static String stateIn(TableDescriptor descriptor) {
        if (IndexDefinitions.baseTableOf(descriptor).isPresent()) {
            return " " + IndexDefinitions.stateOf(descriptor);
        }
        String index = IndexDefinitions.texts(descriptor).get("by_origin");
        if (index == null) {
            return "";
        }
        return IndexDefinitions.roleOf(index) == IndexRole.RETIRED ? " by_origin retired" : " by_origin";
    }

    /** Any table but the base table is one of an index, in one region. */
    private void stubIndexTables() throws IOException {
        when(connection.getRegionLocator(any())).thenAnswer(call -> locator(call.getArgument(0)));
        when(connection.getTable(any())).thenAnswer(call -> indexTable(call.getArgument(0)));
    }

    private Table indexTable(TableName name) throws IOException {
        Table own = mock(Table.class);
        when(own.exists(any(Get.class))).thenAnswer(call -> {
            if (disabled.contains(name)) {
                throw new TableNotEnabledException(name);
            }
            if (!isReadable) {
                throw new AccessDeniedException("READ is required");
            }
            return isBuilder;
        });
        when(own.get(any(Get.class))).thenAnswer(call -> {
            assertThat(call.<Get>getArgument(0).getAttribute(IndexAddress.READER_ATTRIBUTE))
                    .as("the index to read; a region refuses no other read")
                    .isNotNull();
            prepare("read");
            return Result.EMPTY_RESULT;
        });
        return own;
    }

    private static RegionLocator locator(TableName table) throws IOException {
        HRegionLocation region =
                new HRegionLocation(RegionInfoBuilder.newBuilder(table).build(), ServerName.valueOf("rs", 16020, 1));
        RegionLocator locator = mock(RegionLocator.class);
        when(locator.getAllRegionLocations()).thenReturn(Arrays.asList(region, null)); // and a replica without a server
        when(locator.getRegionLocation(any(byte[].class))).thenReturn(region);
        return locator;
    }

    /** Answers for the build of an index of the base table; unless that has failed, it is complete after the answer. */
    private BuildResponse build(TableName base, BuildRequest request) throws IOException {
        TableName indexTable = TableName.valueOf(base.getNameAsString() + "." + request.getIndex());
        String step = (request.getRetry() ? "retry " : "build ") + indexTable;
        step(step);
        BuildResponse.Builder response = BuildResponse.newBuilder().setBuilding(isBuilding(indexTable));
        if (request.getRetry()) {
            problem = Optional.empty();
        } else if (problem.isEmpty() && isBuilding(indexTable)) {
            activate(indexTable, request.getIndexId());
        }
        run(after.remove(step));
        problem.ifPresent(response::setProblem);
        return response.build();
    }

    private boolean isBuilding(TableName indexTable) {
        TableDescriptor own = tables.get(indexTable);
        return own != null
                && IndexDefinitions.stateOf(own) == IndexState.BUILDING
                && own.hasColumnFamily(BuildFamily.NAME); // the region finds no record without it
    }

    private void activate(TableName indexTable, String id) {
        try {
            boolean unused = IndexStates.activate(admin, indexTable, id, totals);
        } catch (DoNotRetryIOException e) {
            problem = Optional.of(e.getMessage());
        } catch (IOException e) {
            steps.add("activation failed");
        }
    }

    private void stubRegion(TableName base) throws IOException {
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenReturn(rows);
        when(connection.getTable(base)).thenReturn(table);
        CoprocessorRpcChannel channel = mock(CoprocessorRpcChannel.class);
        when(table.coprocessorService(any(byte[].class))).thenReturn(channel);
        try {
            when(channel.callBlockingMethod(any(), any(), any(), any()))
                    .thenAnswer(call -> answer(base, call.getArgument(2)));
        } catch (ServiceException e) {
            throw new IOException(e);
        }
    }

    /** Answers as the endpoint of a region. */
    private Message answer(TableName base, Message request) throws ServiceException {
        try {
            if (request instanceof BuildRequest build) {
                return build(base, build);
            }
            assertThat(request).isInstanceOf(DrainRequest.class);
            drained.addAll(((DrainRequest) request).getIndexesList());
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
