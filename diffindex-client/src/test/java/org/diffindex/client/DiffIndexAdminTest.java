package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
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
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the steps of creating and dropping an index, against a master that is a map of descriptors. */
class DiffIndexAdminTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName INDEX_TABLE = TableName.valueOf("ns", "flights.by_origin");

    private final Configuration configuration = new Configuration(false);
    private final Connection connection = mock(Connection.class);
    private final Admin master = mock(Admin.class);
    private final Map<TableName, TableDescriptor> tables = new TreeMap<>();
    private final Set<TableName> disabled = new HashSet<>();
    private final List<String> steps = new ArrayList<>();
    private final Map<String, IOException> failures = new HashMap<>();
    private long undelivered = 5;
    private DiffIndexAdmin admin;

    @BeforeEach
    void connect() throws IOException {
        tables.put(FLIGHTS, descriptor(ColumnFamilyDescriptorBuilder.of("f")));
        when(connection.getConfiguration()).thenReturn(configuration);
        when(connection.getAdmin()).thenReturn(master);
        stubMaster();
        stubRegions();
        admin = new DiffIndexAdmin(connection);
    }

    @Test
    void createsTheIndexTableThenEntersTheDefinitionThenBackfillsThenActivates() throws IOException {
        List<BackfillProgress> progress = new ArrayList<>();
        admin.createIndex(byOrigin().splitAt("G", "P").build(), progress::add);

        assertThat(steps)
                .containsExactly(
                        "create ns:flights.by_origin in 3",
                        "modify ns:flights BUILDING",
                        "backfill from '' max 10000",
                        "backfill from 'm' max 10000",
                        "modify ns:flights ACTIVE");
        assertThat(progress).last().isEqualTo(new BackfillProgress(20, 18, 2, 2_020, 1, 1));
        assertThat(admin.describeIndex(FLIGHTS, "by_origin").state()).isEqualTo(IndexState.ACTIVE);
        assertThat(tables.get(FLIGHTS).hasCoprocessor(Coprocessors.INDEX_OBSERVER))
                .isTrue();
    }

    @Test
    void laysOutTheIndexTable() throws IOException {
        tables.put(
                FLIGHTS,
                descriptor(
                        ColumnFamilyDescriptorBuilder.of("f"),
                        ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("g"))
                                .setTimeToLive(3_600)
                                .build()));
        configuration.set(Coprocessors.JAR_KEY, "hdfs:///diffindex.jar");
        admin.createIndex(byOrigin().column("g", "date", ColumnTypes.STRING).build());

        TableDescriptor index = tables.get(INDEX_TABLE);
        assertThat(IndexDefinitions.baseTableOf(index)).contains(FLIGHTS);
        assertThat(index.getCoprocessorDescriptors()).singleElement().satisfies(guard -> {
            assertThat(guard.getClassName()).isEqualTo("org.diffindex.server.IndexTableGuard");
            assertThat(guard.getJarPath()).contains("hdfs:///diffindex.jar");
        });
        ColumnFamilyDescriptor family = index.getColumnFamily(Bytes.toBytes("i"));
        assertThat(family.getMaxVersions()).isEqualTo(1);
        assertThat(family.getBlocksize()).isEqualTo(16 * 1024);
        assertThat(family.getDataBlockEncoding()).isEqualTo(DataBlockEncoding.FAST_DIFF);
        assertThat(family.getTimeToLive()).isEqualTo(3_600);
        assertThat(family.getConfigurationValue("hbase.hstore.time.to.purge.deletes"))
                .isEqualTo("86400000");
    }

    /** The table may have rows that the user may not read: the servers read them, but the user's scan does not. */
    @Test
    void backfillsATableInWhichTheUserSeesNothing() throws IOException {
        admin.createIndex(byOrigin().build());
        assertThat(steps).contains("backfill from '' max 10000", "backfill from 'm' max 10000");
    }

    @Test
    void refusesADefinitionThatDoesNotFitAndChangesNothing() throws IOException {
        refuses(IndexDefinition.builder(TableName.valueOf("nowhere"), "i").column("f", "q", ColumnTypes.INT))
                .isInstanceOf(TableNotFoundException.class)
                .hasMessageContaining("no table nowhere");
        refuses(byOrigin().column("g", "date", ColumnTypes.STRING))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("g:date:string")
                .hasMessageContaining("its families are f");
        refuses(byOrigin().splitAt("G", "G")).hasMessageContaining("split points");
        refuses(IndexDefinition.builder(TableName.META_TABLE_NAME, "i").column("info", "q", ColumnTypes.INT))
                .hasMessageContaining("HBase's own");
        disabled.add(FLIGHTS);
        refuses(byOrigin()).isInstanceOf(TableNotEnabledException.class).hasMessageContaining("enable it first");
    }

    @Test
    void refusesASecondIndexOfTheSameNameAndAnIndexOnAnIndexTable() throws IOException {
        admin.createIndex(byOrigin().build());
        steps.clear();
        refuses(byOrigin().scheme(IndexScheme.SYNC_INSERT)).isInstanceOf(IndexExistsException.class);
        refuses(IndexDefinition.builder(INDEX_TABLE, "i").column("i", "q", ColumnTypes.INT))
                .hasMessageContaining("itself an index table");
    }

    @Test
    void refusesToReplaceAnExistingTable() throws IOException {
        tables.put(INDEX_TABLE, TableDescriptorBuilder.newBuilder(INDEX_TABLE).build());
        refuses(byOrigin()).isInstanceOf(IndexExistsException.class).hasMessageContaining(INDEX_TABLE.toString());
        assertThatThrownBy(() -> admin.dropIndex(FLIGHTS, "by_origin")).isInstanceOf(NoSuchIndexException.class);
        assertThat(tables).containsKey(INDEX_TABLE);
    }

    /** The table's descriptor may be a copy of another index table's. */
    @Test
    void refusesAnIndexTableOfAnotherTable() throws IOException {
        tables.put(
                INDEX_TABLE,
                IndexDefinitions.markIndexTable(
                                TableDescriptorBuilder.newBuilder(INDEX_TABLE), TableName.valueOf("ns:trains"))
                        .build());
        refuses(byOrigin()).isInstanceOf(IndexExistsException.class).hasMessageContaining(INDEX_TABLE.toString());
        assertThatThrownBy(() -> admin.dropIndex(FLIGHTS, "by_origin")).isInstanceOf(NoSuchIndexException.class);
        assertThat(tables).containsKey(INDEX_TABLE);
    }

    /** The definition was not entered, so no write maintained the index. */
    @Test
    void startsOverIfOnlyTheIndexTableIsLeft() throws IOException {
        tables.put(
                INDEX_TABLE,
                IndexDefinitions.markIndexTable(TableDescriptorBuilder.newBuilder(INDEX_TABLE), FLIGHTS)
                        .build());
        admin.createIndex(byOrigin().build());
        assertThat(steps)
                .startsWith(
                        "delete ns:flights.by_origin",
                        "create ns:flights.by_origin in 1",
                        "modify ns:flights BUILDING");
    }

    @Test
    void retriesTheActivationWhileTheMasterIsUnavailable() throws IOException {
        failures.put("modify ns:flights ACTIVE", new IOException("no master"));
        admin.createIndex(byOrigin().build());
        assertThat(steps)
                .containsOnlyOnce("backfill from '' max 10000")
                .endsWith("backfill from 'm' max 10000", "modify ns:flights ACTIVE");
    }

    @Test
    void resumesAnInterruptedCreation() throws IOException {
        failures.put("backfill from 'm' max 10000", new DoNotRetryIOException("client died"));
        assertThatThrownBy(() -> admin.createIndex(byOrigin().splitAt("G").build()))
                .hasMessageContaining("client died");
        String id = admin.describeIndex(FLIGHTS, "by_origin").id();
        steps.clear();
        List<IndexDefinition> continued = new ArrayList<>();
        admin.createIndex(byOrigin().splitAt("G").build(), new BackfillListener() {
            @Override
            public void backfilled(BackfillProgress progress) {}

            @Override
            public void continued(IndexDefinition index) {
                continued.add(index);
            }
        });
        assertThat(steps)
                .containsExactly(
                        "backfill from '' max 10000", "backfill from 'm' max 10000", "modify ns:flights ACTIVE");
        assertThat(continued).extracting(IndexDefinition::id).containsExactly(id);
        assertThat(admin.describeIndex(FLIGHTS, "by_origin").id()).isEqualTo(id);
        assertThatThrownBy(() -> admin.createIndex(byOrigin().splitAt("G").build()))
                .isInstanceOf(IndexExistsException.class);
    }

    @Test
    void doesNotResumeWithAnotherDefinitionOrInAnotherTable() throws IOException {
        failures.put("backfill from '' max 10000", new DoNotRetryIOException("client died"));
        assertThatThrownBy(() -> admin.createIndex(byOrigin().build())).hasMessageContaining("client died");
        steps.clear();
        refuses(byOrigin().scheme(IndexScheme.SYNC_INSERT))
                .isInstanceOf(IndexExistsException.class)
                .hasMessageContaining("to resume its creation, give the same columns");
        tables.put(INDEX_TABLE, TableDescriptorBuilder.newBuilder(INDEX_TABLE).build());
        refuses(byOrigin()).hasMessageContaining("is not its table");
        tables.remove(INDEX_TABLE);
        refuses(byOrigin()).hasMessageContaining("is not its table");
    }

    @Test
    void deletesTheIndexTableWhenTheDefinitionIsRefused() {
        failures.put("modify ns:flights BUILDING", new DoNotRetryIOException("no such class"));
        assertThatThrownBy(() -> admin.createIndex(byOrigin().build()))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("no such class")
                .hasMessageContaining("Nothing was changed");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    @Test
    void keepsTheTableOfAnotherCreation() throws IOException {
        TableDescriptor other = TableDescriptorBuilder.newBuilder(INDEX_TABLE)
                .setValue("diffindex.base", FLIGHTS.getNameAsString())
                .setValue("diffindex.id", "id-of-the-other")
                .build();
        doAnswer(call -> {
                    tables.put(INDEX_TABLE, other);
                    throw new DoNotRetryIOException("is not the table of this index");
                })
                .when(master)
                .modifyTable(any(TableDescriptor.class));
        assertThatThrownBy(() -> admin.createIndex(byOrigin().build())).hasMessageContaining("is not the table of");
        assertThat(tables).containsEntry(INDEX_TABLE, other);
    }

    @Test
    void activatesAlthoughTheTableWasChangedMeanwhile() throws IOException {
        List<String> refused = new ArrayList<>();
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    boolean activates =
                            IndexDefinitions.of(changed).get("by_origin").state() == IndexState.ACTIVE;
                    if (activates && refused.isEmpty()) {
                        refused.add("once");
                        TableDescriptor current = tables.get(FLIGHTS);
                        tables.put(
                                FLIGHTS,
                                IndexDefinitions.withRevision(current, IndexDefinitions.revisionOf(current) + 1));
                        throw new DoNotRetryIOException("is not the next revision of them");
                    }
                    return modify(changed);
                })
                .when(master)
                .modifyTable(any(TableDescriptor.class));
        admin.createIndex(byOrigin().build());
        assertThat(refused).hasSize(1);
        assertThat(admin.describeIndex(FLIGHTS, "by_origin").state()).isEqualTo(IndexState.ACTIVE);
        assertThat(steps).containsOnlyOnce("backfill from '' max 10000");
    }

    @Test
    void reportsTheStateWhenTheBackfillFails() throws IOException {
        failures.put("backfill from 'm' max 10000", new DoNotRetryIOException("region gone"));
        assertThatThrownBy(() -> admin.createIndex(byOrigin().build()))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("region gone")
                .hasMessageContaining("BUILDING")
                .hasMessageContaining("again with the same definition to resume")
                .hasMessageContaining("drop index by_origin of ns:flights and create it again");
        assertThat(admin.describeIndex(FLIGHTS, "by_origin").state()).isEqualTo(IndexState.BUILDING);
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        admin.createIndex(byOrigin().build());
    }

    @Test
    void reportsTheStateWhenTheIndexTableCannotBeCreated() {
        failures.put("create ns:flights.by_origin in 1", new IOException("no servers"));
        assertThatThrownBy(() -> admin.createIndex(byOrigin().build()))
                .hasMessageContaining("no servers")
                .hasMessageContaining("is unchanged");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    @Test
    void dropsTheObserverWithTheLastIndex() throws IOException {
        TableDescriptor before = tables.get(FLIGHTS);
        admin.createIndex(byOrigin().build());
        admin.createIndex(IndexDefinition.builder(FLIGHTS, "by_date")
                .column("f", "date", ColumnTypes.STRING)
                .build());
        assertThat(admin.listIndexes(FLIGHTS))
                .extracting(IndexDefinition::name)
                .containsExactly("by_date", "by_origin");
        assertThat(admin.listIndexes()).hasSize(2);

        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables.get(FLIGHTS).hasCoprocessor(Coprocessors.INDEX_OBSERVER))
                .isTrue();
        assertThat(tables).doesNotContainKey(INDEX_TABLE);
        admin.dropIndex(FLIGHTS, "by_date");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThat(tables.get(FLIGHTS)).isEqualTo(before);

        assertThatThrownBy(() -> admin.dropIndex(FLIGHTS, "by_date")).isInstanceOf(NoSuchIndexException.class);
        assertThatThrownBy(() -> admin.dropIndex(FLIGHTS, "no name")).isInstanceOf(NoSuchIndexException.class);
        assertThatThrownBy(() -> admin.describeIndex(FLIGHTS, "by_date")).isInstanceOf(NoSuchIndexException.class);
        assertThatThrownBy(() -> admin.dropIndex(TableName.valueOf("nowhere"), "i"))
                .isInstanceOf(TableNotFoundException.class);
    }

    @Test
    void dropsTheRemainsOfAnIndex() throws IOException {
        admin.createIndex(byOrigin().build());
        failures.put("delete ns:flights.by_origin", new IOException("busy"));
        assertThatThrownBy(() -> admin.dropIndex(FLIGHTS, "by_origin"))
                .hasMessageContaining("busy")
                .hasMessageContaining("drop the index again");
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    /**
     * While the regions reopen without the index, another client creates an index of the same name, whose table
     * replaces the index table.
     */
    @Test
    void leavesTheTableOfALaterIndexOfTheSameName() throws IOException {
        admin.createIndex(byOrigin().build());
        TableDescriptor later = TableDescriptorBuilder.newBuilder(INDEX_TABLE)
                .setValue("diffindex.base", FLIGHTS.getNameAsString())
                .setValue("diffindex.id", "id-of-the-later")
                .build();
        doAnswer(call -> {
                    tables.put(INDEX_TABLE, later);
                    return modify(call.getArgument(0));
                })
                .when(master)
                .modifyTable(any(TableDescriptor.class));
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsEntry(INDEX_TABLE, later);
        assertThat(disabled).isEmpty();
    }

    @Test
    void drainsTheRegionsOfAnIndexedTable() throws IOException {
        assertThat(admin.drain(FLIGHTS, Duration.ofSeconds(1))).isZero();
        assertThat(admin.status(FLIGHTS).regions()).isEmpty();
        admin.createIndex(byOrigin().build());
        steps.clear();
        assertThat(admin.drain(FLIGHTS, Duration.ZERO)).isEqualTo(5);
        assertThat(steps).containsExactly("drain");
        assertThatThrownBy(() -> admin.drain(TableName.valueOf("nowhere"), Duration.ZERO))
                .isInstanceOf(TableNotFoundException.class);
    }

    @Test
    void refusesToDrainAnUnknownIndexOfATableWithoutIndexes() {
        assertThatThrownBy(() -> admin.drain(FLIGHTS, List.of("by_origin"), Duration.ZERO))
                .isInstanceOf(NoSuchIndexException.class)
                .hasMessageContaining("by_origin");
    }

    @Test
    void aDrainMayWaitWithoutALimit() throws IOException {
        admin.createIndex(byOrigin().build());
        undelivered = 0;
        assertThat(admin.drain(FLIGHTS, ChronoUnit.FOREVER.getDuration())).isZero();
    }

    private org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> refuses(
            IndexDefinition.Builder definition) {
        Map<TableName, TableDescriptor> before = new TreeMap<>(tables);
        var refusal = assertThatThrownBy(() -> admin.createIndex(definition.build()))
                .hasMessageContaining("Nothing was changed");
        assertThat(tables).isEqualTo(before);
        assertThat(steps).isEmpty();
        return refusal;
    }

    private static IndexDefinition.Builder byOrigin() {
        return IndexDefinition.builder(FLIGHTS, "by_origin").column("f", "origin", ColumnTypes.STRING);
    }

    private static TableDescriptor descriptor(ColumnFamilyDescriptor... families) {
        return TableDescriptorBuilder.newBuilder(FLIGHTS)
                .setColumnFamilies(List.of(families))
                .build();
    }

    private void step(String step) throws IOException {
        IOException failure = failures.remove(step);
        if (failure != null) {
            throw failure;
        }
        steps.add(step);
    }

    private void stubMaster() throws IOException {
        when(master.tableExists(any())).thenAnswer(call -> tables.containsKey(call.<TableName>getArgument(0)));
        when(master.isTableDisabled(any())).thenAnswer(call -> disabled.contains(call.<TableName>getArgument(0)));
        when(master.isTableEnabled(any())).thenAnswer(call -> !disabled.contains(call.<TableName>getArgument(0)));
        when(master.listTableDescriptors()).thenAnswer(call -> List.copyOf(tables.values()));
        when(master.getDescriptor(any())).thenAnswer(call -> {
            TableDescriptor found = tables.get(call.<TableName>getArgument(0));
            if (found == null) {
                throw new TableNotFoundException(call.<TableName>getArgument(0));
            }
            return found;
        });
        doAnswer(call -> create(call.getArgument(0), 1)).when(master).createTable(any());
        doAnswer(call -> create(call.getArgument(0), call.<byte[][]>getArgument(1).length + 1))
                .when(master)
                .createTable(any(), any(byte[][].class));
        doAnswer(call -> modify(call.getArgument(0))).when(master).modifyTable(any(TableDescriptor.class));
        doAnswer(call -> tables.put(call.<TableDescriptor>getArgument(0).getTableName(), call.getArgument(0)))
                .when(master)
                .modifyTable(any(TableDescriptor.class), eq(false));
        doAnswer(call -> disabled.add(call.getArgument(0))).when(master).disableTable(any());
        doAnswer(call -> {
                    step("delete " + call.getArgument(0));
                    disabled.remove(call.<TableName>getArgument(0));
                    return tables.remove(call.<TableName>getArgument(0));
                })
                .when(master)
                .deleteTable(any());
    }

    private Void create(TableDescriptor descriptor, int regions) throws IOException {
        step("create " + descriptor.getTableName() + " in " + regions);
        tables.put(descriptor.getTableName(), descriptor);
        return null;
    }

    private Void modify(TableDescriptor descriptor) throws IOException {
        IndexDefinition byOrigin = IndexDefinitions.of(descriptor).get("by_origin");
        step("modify " + descriptor.getTableName() + (byOrigin == null ? "" : " " + byOrigin.state()));
        tables.put(descriptor.getTableName(), descriptor);
        return null;
    }

    private void stubRegions() throws IOException {
        HRegionLocation region =
                new HRegionLocation(RegionInfoBuilder.newBuilder(FLIGHTS).build(), ServerName.valueOf("rs", 16020, 1));
        RegionLocator locator = mock(RegionLocator.class);
        when(locator.getAllRegionLocations()).thenReturn(List.of(region));
        when(locator.getRegionLocation(any(byte[].class))).thenReturn(region);
        when(connection.getRegionLocator(FLIGHTS)).thenReturn(locator);
        ResultScanner rows = mock(ResultScanner.class); // the user may see no row
        Table base = mock(Table.class);
        when(base.getScanner(any(Scan.class))).thenReturn(rows);
        when(connection.getTable(FLIGHTS)).thenReturn(base);
        CoprocessorRpcChannel channel = mock(CoprocessorRpcChannel.class);
        when(base.coprocessorService(any(byte[].class))).thenReturn(channel);
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
                step("backfill from '" + fill.getStartRow().toStringUtf8() + "' max " + fill.getMaxRows());
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
