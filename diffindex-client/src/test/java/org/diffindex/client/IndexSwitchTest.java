package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.tasks.IndexStates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Indexes are taken out of service and put into service again; what is true if that ends in between. */
class IndexSwitchTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName INDEX_TABLE = TableName.valueOf("ns", "flights.by_origin");
    private static final String DISABLE = "modify ns:flights.by_origin DISABLED";
    private static final String REMOVE = "modify ns:flights";
    private static final String DISABLE_TABLE = "disable ns:flights.by_origin";
    private static final String TRUNCATE = "truncate ns:flights.by_origin";
    private static final String BUILDING = "modify ns:flights.by_origin BUILDING";
    private static final String ENTER = "modify ns:flights by_origin";

    /** The steps of an enabling, of which the first one gives the table another id. */
    private static final String[] ALL_STEPS = {DISABLE, DISABLE_TABLE, TRUNCATE, BUILDING, ENTER};

    private final FakeMaster master = new FakeMaster(FLIGHTS);
    private final Map<TableName, TableDescriptor> tables = master.tables;
    private DiffIndexAdmin admin;
    private IndexDefinition created;

    @BeforeEach
    void createIndex() throws IOException {
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .build());
        admin = new DiffIndexAdmin(master.connection);
        admin.createIndex(byOrigin());
        created = admin.describeIndex(FLIGHTS, "by_origin");
        master.steps.clear();
    }

    private static IndexDefinition byOrigin() {
        return IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
    }

    private void disable() throws IOException {
        admin.disableIndex(FLIGHTS, "by_origin");
    }

    private void enable() throws IOException {
        admin.enableIndex(FLIGHTS, "by_origin", BuildOptions.DEFAULT);
    }

    private void assertState(IndexState state) throws IOException {
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(state);
    }

    /** Another client has done something, of which no step is to be seen. */
    private void another(FakeMaster.Event event) throws IOException {
        event.run();
        master.steps.clear();
    }

    @Test
    void refusesReadersBeforeWritesStopMaintainingTheIndexAndKeepsTheDefinition() throws IOException {
        disable();
        assertThat(master.steps).containsExactly(DISABLE, REMOVE);
        assertState(IndexState.DISABLED);
        assertThat(admin.listIndexes(FLIGHTS)).isEmpty();
        assertThatThrownBy(() -> admin.describeIndex(FLIGHTS, "by_origin"))
                .isInstanceOf(NoSuchIndexException.class)
                .hasMessageContaining("is DISABLED; enable it first");
        assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).containsExactly(Map.entry("by_origin", created));
        assertThat(admin.listDisabledIndexes()).containsOnlyKeys(FLIGHTS);
        assertThat(Coprocessors.withoutObserver(tables.get(FLIGHTS)))
                .as("a table whose only index is DISABLED is a plain one")
                .isEqualTo(tables.get(FLIGHTS));
    }

    /** Another client has read the definition, and the change of the scheme is complete before readers are refused. */
    @Test
    void keepsTheSchemeThatTheIndexHasGotMeanwhile() throws IOException {
        IndexDefinition changed = created.withScheme(IndexScheme.ASYNC_SIMPLE).withChange("c");
        master.before(
                DISABLE, () -> tables.computeIfPresent(FLIGHTS, (name, base) -> IndexDefinitions.with(base, changed)));
        disable();
        assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).containsExactly(Map.entry("by_origin", changed));
        assertThat(changed).as("the definition").isNotEqualTo(created);
    }

    @Test
    void writesMaintainAnIndexWhoseReadersCannotBeRefused() throws IOException {
        master.failures.put(DISABLE, new DoNotRetryIOException("regions in transition"));
        assertThatThrownBy(this::disable)
                .hasMessageContaining("regions in transition")
                .hasMessageContaining("Writes maintain it as before")
                .hasMessageContaining("Disable it again");
        assertThat(master.steps).isEmpty();
        assertState(IndexState.ACTIVE);
    }

    @Test
    void completesADisablingThatWasInterrupted() throws IOException {
        master.failures.put(REMOVE, new IOException("client died"));
        assertThatThrownBy(this::disable)
                .hasMessageContaining("client died")
                .hasMessageContaining("It cannot be read any more; writes may still maintain it; disable it again");
        assertState(IndexState.DISABLED);
        assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).isEmpty();
        disable();
        assertThat(admin.listIndexes(FLIGHTS)).isEmpty();
        assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).containsOnlyKeys("by_origin");
        disable();
        assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).containsExactly(Map.entry("by_origin", created));
    }

    /** The definition is out of the descriptor, but regions that have it still may maintain the index. */
    @Test
    void waitsForTheRegionsAgainIfADisablingWasInterrupted() throws IOException {
        IndexDefinition other = IndexDefinition.builder(FLIGHTS, "other")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
        master.tables.put(FLIGHTS, IndexDefinitions.with(master.tables.get(FLIGHTS), other));
        disable();
        master.steps.clear();
        disable();
        assertThat(master.steps).containsExactly("modify ns:flights.by_origin DISABLED", "modify ns:flights");
        master.steps.clear();
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(master.steps).startsWith("modify ns:flights", "disable ns:flights.by_origin");
    }

    /** Writes would wait for the table while it is emptied. */
    @Test
    void waitsForTheRegionsBeforeItEmptiesAnIndexWhoseDisablingWasInterrupted() throws IOException {
        master.after(REMOVE, () -> {
            throw new IOException("client died");
        });
        assertThatThrownBy(this::disable).hasMessageContaining("client died");
        master.steps.clear();
        master.failures.put(REMOVE, new DoNotRetryIOException("a region is not open"));
        assertThatThrownBy(this::enable)
                .hasMessageContaining("a region is not open")
                .hasMessageContaining(
                        "It is DISABLED, and regions of ns:flights may still maintain it; enable it again");
        assertThat(master.steps).isEmpty();
        enable();
        assertThat(master.steps).containsSubsequence(REMOVE, DISABLE, DISABLE_TABLE, TRUNCATE, BUILDING, ENTER);
    }

    @Test
    void neitherDisablesNorEnablesWhatIsNotThere() {
        assertThatThrownBy(() -> admin.disableIndex(FLIGHTS, "by_date")).isInstanceOf(NoSuchIndexException.class);
        assertThatThrownBy(() -> admin.enableIndex(FLIGHTS, "by_date", BuildOptions.DEFAULT))
                .isInstanceOf(NoSuchIndexException.class);
        assertThatThrownBy(() -> admin.disableIndex(FLIGHTS, "no name\n")).isInstanceOf(NoSuchIndexException.class);
        assertThat(master.steps).isEmpty();
    }

    @Test
    void doesNotDisableAnIndexThatIsBeingDropped() throws IOException {
        another(() -> IndexStates.drop(master.admin, INDEX_TABLE, created.id()));
        assertThatThrownBy(this::disable)
                .hasMessageContaining("is being dropped")
                .hasMessageContaining("Nothing");
        assertThatThrownBy(this::enable).hasMessageContaining("is DROPPING, not DISABLED");
        assertThat(master.steps).isEmpty();
    }

    @Test
    void disablesAnIndexOfATypeThatThisClientDoesNotHave() throws IOException {
        String text =
                "{\"columns\":[\"f:o:class(org.example.Missing)\"],\"scheme\":\"sync-full\",\"splits\":[],\"id\":\""
                        + created.id() + "\"}";
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(tables.get(FLIGHTS))
                        .setValue("diffindex.index.by_origin", text)
                        .build());
        disable();
        assertThat(admin.listDisabledIndexes(FLIGHTS).unloaded()).containsOnlyKeys("by_origin");
        assertThat(IndexDefinitions.keptIn(tables.get(INDEX_TABLE))).contains(text);
    }

    /** What servers hold for the index of before must not reach the emptied table, hence the id. */
    @Test
    void emptiesTheTableAndEntersTheDefinitionUnderAnotherId() throws IOException {
        disable();
        master.steps.clear();
        admin.enableIndex(FLIGHTS, "by_origin", new BuildOptions(OptionalDouble.of(50), true, OptionalInt.empty()));
        assertThat(master.steps).as("the id changes first").containsExactly(ALL_STEPS);
        IndexDefinition enabled = admin.describeIndex(FLIGHTS, "by_origin");
        assertThat(enabled).isNotEqualTo(created).isEqualTo(created.withId(enabled.id()));
        assertThat(IndexDefinitions.indexIdOf(tables.get(INDEX_TABLE))).isEqualTo(enabled.id());
        assertThat(BuildFamily.isPaused(tables.get(INDEX_TABLE))).isTrue();
        assertThat(BuildFamily.rowsPerSecond(tables.get(INDEX_TABLE))).hasValue(50);
        assertThat(master.disabled).isEmpty();
        admin.awaitIndex(FLIGHTS, "by_origin", BuildListener.NONE);
        assertState(IndexState.ACTIVE);
        assertThat(IndexDefinitions.keptIn(tables.get(INDEX_TABLE))).isEmpty();
        assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).isEmpty();
    }

    /** Writes may have maintained the index for a while, and may not have since. */
    @Test
    void beginsAnEnablingThatWasInterruptedAnew() throws IOException {
        disable();
        for (String step : new String[] {DISABLE, TRUNCATE, BUILDING, ENTER}) {
            master.failures.put(step, new IOException("client died"));
            assertThatThrownBy(this::enable)
                    .as("interrupted at: %s", step)
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("client died")
                    .hasMessageContaining(step.equals(DISABLE) ? "" : "enable it again");
            assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).as(step).containsOnlyKeys("by_origin");
        }
        master.steps.clear();
        enable();
        assertThat(master.steps).startsWith(DISABLE).endsWith(ALL_STEPS);
        admin.awaitIndex(FLIGHTS, "by_origin", BuildListener.NONE);
        assertState(IndexState.ACTIVE);
    }

    /** The forced drop has removed the definition, and could not delete the table; writes went on. */
    @Test
    void emptiesAnIndexThatWasDroppedByForceWhileItWasBuilt() throws IOException {
        disable();
        enable();
        String before = IndexDefinitions.indexIdOf(tables.get(INDEX_TABLE));
        master.failures.put(DISABLE_TABLE, new DoNotRetryIOException("regions in transition"));
        assertThatThrownBy(() -> admin.dropIndex(FLIGHTS, "by_origin", true)).isNotNull();
        assertThat(admin.listIndexes(FLIGHTS)).isEmpty();
        master.steps.clear();
        enable();
        assertThat(master.steps).contains(TRUNCATE);
        assertThat(IndexDefinitions.indexIdOf(tables.get(INDEX_TABLE))).isNotEqualTo(before);
    }

    @Test
    void anEnablingThatIsGivenAgainLetsTheBuildGoOn() throws IOException {
        disable();
        enable();
        master.steps.clear();
        enable();
        assertThat(master.steps).containsExactly("retry ns:flights.by_origin");
        assertState(IndexState.BUILDING);
    }

    /** Its drop disabled the table, and was interrupted. */
    @Test
    void enablesAnIndexWhoseTableIsDisabledInHBase() throws IOException {
        disable();
        master.disabled.add(INDEX_TABLE);
        enable();
        assertThat(master.disabled).isEmpty();
        assertState(IndexState.BUILDING);
    }

    @Test
    void enablesAnIndexWhoseDisablingWasInterrupted() throws IOException {
        master.failures.put(REMOVE, new IOException("client died"));
        assertThatThrownBy(this::disable).isNotNull();
        master.steps.clear();
        enable();
        assertThat(master.steps).startsWith(DISABLE, REMOVE).endsWith(ALL_STEPS);
    }

    @Test
    void disablesAgainAnIndexWhoseEnablingWasInterrupted() throws IOException {
        disable();
        master.failures.put(ENTER, new IOException("client died"));
        assertThatThrownBy(this::enable).isNotNull();
        disable();
        assertState(IndexState.DISABLED);
        assertThat(tables.get(INDEX_TABLE).hasColumnFamily(BuildFamily.NAME)).isFalse();
        enable();
        assertState(IndexState.BUILDING);
    }

    @Test
    void enablesOnlyWhatIsDisabled() throws IOException {
        assertThatThrownBy(this::enable)
                .hasMessageContaining("is ACTIVE, not DISABLED")
                .hasMessageContaining("Nothing was changed");
        assertThat(master.steps).isEmpty();
    }

    @Test
    void doesNotEmptyAnIndexThatAnotherClientEnablesMeanwhile() throws IOException {
        disable();
        for (String step : new String[] {DISABLE, DISABLE_TABLE, TRUNCATE}) {
            master.before(
                    step,
                    () -> another(() -> {
                        master.disabled.clear();
                        enable();
                    }));
            assertThatThrownBy(this::enable).as("before: %s", step).isInstanceOf(DoNotRetryIOException.class);
            assertThat(master.steps).as("before: %s", step).doesNotContain(TRUNCATE, BUILDING, ENTER);
            assertThat(master.disabled).isEmpty();
            assertState(IndexState.BUILDING);
            assertThat(admin.listIndexes(FLIGHTS)).hasSize(1);
            disable();
        }
    }

    /** Whoever is told so would drop a good index. */
    @Test
    void disablesAnIndexThatAnotherClientRebuildsMeanwhileAndDoesNotTakeItForADroppedOne() throws IOException {
        master.before(DISABLE, () -> another(() -> admin.rebuildIndex(FLIGHTS, "by_origin", BuildOptions.DEFAULT)));
        disable();
        assertState(IndexState.DISABLED);
        assertThat(admin.listIndexes(FLIGHTS)).isEmpty();
    }

    @Test
    void doesNotTakeAnIndexOutOfServiceThatItCannotBuildAnew() throws IOException {
        master.disabled.add(FLIGHTS);
        assertThatThrownBy(() -> admin.rebuildIndex(FLIGHTS, "by_origin", BuildOptions.DEFAULT))
                .hasMessageContaining("Table ns:flights is disabled")
                .hasMessageContaining("Nothing was changed");
        assertThat(master.steps).isEmpty();
        assertState(IndexState.ACTIVE);
    }

    @Test
    void doesNotEmptyAnIndexThatNoMasterBuilds() throws IOException {
        master.isBuilder = false;
        assertThatThrownBy(() -> admin.rebuildIndex(FLIGHTS, "by_origin", BuildOptions.DEFAULT))
                .hasMessageContaining("No master would build index by_origin")
                .hasMessageContaining("Nothing was changed");
        assertState(IndexState.ACTIVE);
        disable();
        master.steps.clear();
        assertThatThrownBy(this::enable).hasMessageContaining("No master would build index by_origin");
        assertThat(master.steps).isEmpty();
    }

    /** With an access coprocessor that does not make a user the owner of the tables which that user changes. */
    @Test
    void doesNotEmptyAnIndexWhoseTableTheUserMayNotRead() throws IOException {
        disable();
        master.steps.clear();
        master.configuration.setLong(DefinitionEntry.BUILDER_MS_KEY, 1);
        master.isReadable = false;
        assertThatThrownBy(this::enable)
                .hasMessageContaining("was not allowed to read its table ns:flights.by_origin")
                .hasMessageContaining("its table was not emptied; enable it again");
        assertThat(master.steps).containsExactly(DISABLE);
        assertState(IndexState.DISABLED);
        master.isReadable = true;
        enable();
        assertState(IndexState.BUILDING);
    }

    @Test
    void theFamilyOfAnIndexMayBeGoneWhenItsDefinitionIsEntered() throws IOException {
        disable();
        master.after(
                BUILDING,
                () -> tables.put(
                        FLIGHTS,
                        TableDescriptorBuilder.newBuilder(FLIGHTS)
                                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("other"))
                                .build()));
        assertThatThrownBy(this::enable)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("has no column family for f:origin")
                .hasMessageContaining("enable it again");
    }

    /** The entries of the index would live longer than their rows, or be in clear. */
    @Test
    void doesNotEnableAnIndexWhoseTableDoesNotFitAnyMore() throws IOException {
        disable();
        master.steps.clear();
        for (ColumnFamilyDescriptorBuilder family : new ColumnFamilyDescriptorBuilder[] {
            ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f")).setTimeToLive(100),
            ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f")).setEncryptionType("AES")
        }) {
            tables.put(
                    FLIGHTS,
                    TableDescriptorBuilder.newBuilder(FLIGHTS)
                            .setColumnFamily(family.build())
                            .build());
            assertThatThrownBy(this::enable).hasMessageContaining("drop the index and create it again");
        }
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("other"))
                        .build());
        assertThatThrownBy(this::enable).hasMessageContaining("has no column family for f:origin");
        assertThat(master.steps).isEmpty();
        assertState(IndexState.DISABLED);
    }

    @Test
    void aDisabledIndexIsNotTakenForRemainsByACreation() throws IOException {
        disable();
        assertThatThrownBy(() -> admin.createIndex(byOrigin()))
                .isInstanceOf(IndexExistsException.class)
                .hasMessageContaining("DISABLED; enable it, or drop it first");
        assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).containsOnlyKeys("by_origin");
    }

    @Test
    void dropsADisabledIndex() throws IOException {
        disable();
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThat(admin.listDisabledIndexes(FLIGHTS).loaded()).isEmpty();
    }

    @Test
    void rebuildsAnIndexThatIsBroken() throws IOException {
        tables.put(INDEX_TABLE, IndexDefinitions.broken(tables.get(INDEX_TABLE), "a disk was lost"));
        admin.rebuildIndex(FLIGHTS, "by_origin", BuildOptions.DEFAULT);
        assertState(IndexState.BUILDING);
        assertThat(IndexDefinitions.problemOf(tables.get(INDEX_TABLE))).isEmpty();
        assertThat(master.steps).startsWith(DISABLE, REMOVE).endsWith(ALL_STEPS);
    }

    @Test
    void whoWaitsForAnIndexLearnsThatItWasDisabledOrIsBroken() throws IOException {
        admin.rebuildIndex(FLIGHTS, "by_origin", BuildOptions.DEFAULT);
        master.after("build ns:flights.by_origin", () -> {});
        tables.put(
                INDEX_TABLE, BuildFamily.remove(IndexDefinitions.broken(tables.get(INDEX_TABLE), "a disk was lost")));
        assertThatThrownBy(() -> admin.awaitIndex(FLIGHTS, "by_origin", BuildListener.NONE))
                .hasMessageContaining("it is BROKEN: a disk was lost");
        IndexDefinition index = admin.describeIndex(FLIGHTS, "by_origin");
        disable();
        assertThatThrownBy(() -> new BuildWait(master.connection, master.admin, index).run(BuildListener.NONE))
                .hasMessageContaining("it was disabled meanwhile")
                .hasMessageContaining("It is DISABLED; enable it");
    }
}
