package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.UnloadedIndex;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the steps of creating and dropping an index, against a master that is a map of descriptors. */
class DiffIndexAdminTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName INDEX_TABLE = TableName.valueOf("ns", "flights.by_origin");
    private static final String BUILD = "build ns:flights.by_origin";

    private final FakeMaster fake = new FakeMaster(FLIGHTS);
    private final Configuration configuration = fake.configuration;
    private final Admin master = fake.admin;
    private final Map<TableName, TableDescriptor> tables = fake.tables;
    private final Set<TableName> disabled = fake.disabled;
    private final List<String> steps = fake.steps;
    private final Map<String, IOException> failures = fake.failures;
    private DiffIndexAdmin admin;

    @BeforeEach
    void connect() throws IOException {
        tables.put(FLIGHTS, descriptor(ColumnFamilyDescriptorBuilder.of("f")));
        admin = new DiffIndexAdmin(fake.connection);
    }

    @Test
    void createsTheIndexTableThenEntersTheDefinitionThenWaitsForTheBuild() throws IOException {
        admin.createIndex(byOrigin().splitAt("G", "P").build());

        assertThat(steps)
                .containsExactly(
                        "create ns:flights.by_origin in 3",
                        "modify ns:flights by_origin",
                        BUILD,
                        "modify ns:flights.by_origin ACTIVE");
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
        assertThat(tables.get(FLIGHTS).hasCoprocessor(Coprocessors.INDEX_OBSERVER))
                .isTrue();
    }

    @Test
    void beginsAnIndexWithoutWaiting() throws IOException {
        admin.beginIndex(byOrigin().build());
        assertThat(steps).containsExactly("create ns:flights.by_origin in 1", "modify ns:flights by_origin");
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.BUILDING);
        assertThat(tables.get(INDEX_TABLE).hasColumnFamily(BuildFamily.NAME)).isTrue();
        admin.awaitIndex(FLIGHTS, "by_origin", BuildListener.NONE);
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
        assertThat(tables.get(INDEX_TABLE).hasColumnFamily(BuildFamily.NAME)).isFalse();
    }

    @Test
    void refusesAnIndexThatNobodyWouldBuild() {
        configuration.setLong(DefinitionEntry.BUILDER_MS_KEY, 0);
        fake.isBuilder = false;
        assertThatThrownBy(() -> admin.createIndex(byOrigin().build()))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("no master builds it")
                .hasMessageContaining("hbase.coprocessor.master.classes")
                .hasMessageContaining("Nothing was changed");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    @Test
    void ordersForAnIndexThatIsBuiltTellItsTotals() throws IOException {
        admin.createIndex(byOrigin().build());
        assertThat(admin.builds().pause(FLIGHTS, "by_origin")).isEqualTo(BuildStatus.complete(FakeMaster.TOTALS));
        assertThatThrownBy(() -> admin.builds().cancel(FLIGHTS, "by_origin"))
                .hasMessageContaining("is ACTIVE, neither BUILDING nor BROKEN")
                .hasMessageContaining("Nothing was changed");
    }

    @Test
    void cancelsABuild() throws IOException {
        admin.beginIndex(byOrigin().build());
        admin.builds().cancel(FLIGHTS, "by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    @Test
    void refusesARateThatIsNone() {
        for (double rate : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> admin.builds().limit(FLIGHTS, "by_origin", rate))
                    .isInstanceOf(IllegalArgumentException.class);
        }
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
                        "disable ns:flights.by_origin",
                        "delete ns:flights.by_origin",
                        "create ns:flights.by_origin in 1",
                        "modify ns:flights by_origin");
    }

    /** Creates an index whose build fails. */
    private void createFails(IndexDefinition definition) {
        fake.before(BUILD, () -> fake.problem = Optional.of("the disk is full"));
        assertThatThrownBy(() -> admin.createIndex(definition)).hasMessageContaining("the disk is full");
        steps.clear();
    }

    @Test
    void resumesABuildThatHasFailed() throws IOException {
        createFails(byOrigin().splitAt("G").build());
        String id = admin.describeIndex(FLIGHTS, "by_origin").id();
        List<IndexDefinition> continued = new ArrayList<>();
        admin.createIndex(byOrigin().splitAt("G").build(), new BuildListener() {
            @Override
            public void progress(BuildStatus status) {}

            @Override
            public void continued(IndexDefinition index) {
                continued.add(index);
            }
        });
        assertThat(steps).containsExactly("retry ns:flights.by_origin", BUILD, "modify ns:flights.by_origin ACTIVE");
        assertThat(continued).extracting(IndexDefinition::id).containsExactly(id);
        assertThat(admin.describeIndex(FLIGHTS, "by_origin").id()).isEqualTo(id);
        assertThatThrownBy(() -> admin.createIndex(byOrigin().splitAt("G").build()))
                .isInstanceOf(IndexExistsException.class);
    }

    @Test
    void doesNotResumeWithAnotherDefinitionOrInAnotherTable() throws IOException {
        createFails(byOrigin().build());
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
        failures.put("modify ns:flights by_origin", new DoNotRetryIOException("no such class"));
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
    void dropsAnIndexThatIsBuilding() throws IOException {
        createFails(byOrigin().build());
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.BUILDING);
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
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

    /** Another team's index, of a class that this client lacks, is healthy. */
    @Test
    void worksBesideAnIndexThatItCannotLoad() throws IOException {
        defineUnloaded("by_day");
        admin.createIndex(byOrigin().build());
        assertThat(admin.listIndexes(FLIGHTS)).extracting(IndexDefinition::name).containsExactly("by_origin");
        assertThat(admin.listIndexes()).hasSize(1);
        assertThat(admin.listUnloadedIndexes(FLIGHTS))
                .isEqualTo(admin.listUnloadedIndexes())
                .extracting(UnloadedIndex::name)
                .containsExactly("by_day");
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
        assertThatThrownBy(() -> admin.describeIndex(FLIGHTS, "by_day"))
                .isInstanceOf(IndexNotLoadedException.class)
                .hasMessageContaining("class path of this client");
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables.get(FLIGHTS).hasCoprocessor(Coprocessors.INDEX_OBSERVER))
                .isTrue();
        admin.dropIndex(FLIGHTS, "by_day");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    /** A creation deletes the table that the base table does not define; here it does. */
    @Test
    void doesNotReplaceAnIndexThatItCannotLoad() throws IOException {
        defineUnloaded("by_origin");
        TableDescriptor indexTable = IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(INDEX_TABLE), FLIGHTS)
                .build();
        tables.put(INDEX_TABLE, indexTable);
        refuses(byOrigin()).isInstanceOf(IndexNotLoadedException.class);
        assertThat(tables).containsEntry(INDEX_TABLE, indexTable);
    }

    private void defineUnloaded(String name) throws IOException {
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(tables.get(FLIGHTS))
                        .setCoprocessor(Coprocessors.INDEX_OBSERVER)
                        .setValue(
                                "diffindex.index." + name,
                                "{\"columns\":[\"f:d:class(org.example.Missing)\"],\"scheme\":\"sync-full\","
                                        + "\"splits\":[],\"id\":\"x\"}")
                        .build());
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
        fake.after("modify ns:flights", () -> tables.put(INDEX_TABLE, later));
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsEntry(INDEX_TABLE, later);
        assertThat(disabled).isEmpty();
    }

    /** The status of all tables would fail because of one index. */
    @Test
    void tellsWhatItDoesNotUnderstandOfTheSchemesOfAnIndex() throws IOException {
        IndexDefinition index = byOrigin().build().withId("id-1");
        tables.put(FLIGHTS, IndexDefinitions.with(tables.get(FLIGHTS), index));
        tables.put(
                INDEX_TABLE,
                IndexDefinitions.markIndexTable(
                                TableDescriptorBuilder.newBuilder(INDEX_TABLE), index, IndexState.ACTIVE)
                        .setValue("diffindex.scheme", "{\"fence\":\"c1\"}")
                        .build());
        IndexStatus status = admin.status(FLIGHTS);
        assertThat(status.unreadSchemes()).containsOnlyKeys("by_origin");
        assertThat(status.unreadSchemes().get("by_origin")).contains("was written by a later build", "[fence]");
        assertThat(status.schemes()).isEmpty();
        assertThat(status.states()).containsEntry("by_origin", IndexState.ACTIVE);
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
        fake.undelivered = 0;
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
}
