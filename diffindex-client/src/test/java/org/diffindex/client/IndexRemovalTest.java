package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.TimeoutIOException;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that readers are refused before writes stop maintaining an index, and what is true if the drop ends there. */
class IndexRemovalTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName INDEX_TABLE = TableName.valueOf("ns", "flights.by_origin");

    private final FakeMaster master = new FakeMaster(FLIGHTS);
    private final Map<TableName, TableDescriptor> tables = master.tables;
    private DiffIndexAdmin admin;

    @BeforeEach
    void createIndex() throws IOException {
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .build());
        admin = new DiffIndexAdmin(master.connection);
        admin.createIndex(byOrigin());
        master.steps.clear();
    }

    private static IndexDefinition byOrigin() {
        return IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
    }

    private static TableDescriptor tableOf(IndexDefinition index) {
        return IndexDefinitions.markIndexTable(TableDescriptorBuilder.newBuilder(INDEX_TABLE), index, IndexState.ACTIVE)
                .build();
    }

    private void drop() throws IOException {
        admin.dropIndex(FLIGHTS, "by_origin");
    }

    @Test
    void refusesReadersThenRemovesTheDefinitionThenDeletesTheTable() throws IOException {
        drop();
        assertThat(master.steps)
                .containsExactly(
                        "modify ns:flights.by_origin DROPPING",
                        "modify ns:flights",
                        "disable ns:flights.by_origin",
                        "delete ns:flights.by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    /** The regions may still answer readers: another client has stored the state, and waits for them or has died. */
    @Test
    void refusesReadersAgainIfAnotherClientHasBegunTheDrop() throws IOException {
        tables.put(INDEX_TABLE, IndexDefinitions.withState(tables.get(INDEX_TABLE), IndexState.DROPPING));
        drop();
        assertThat(master.steps).startsWith("modify ns:flights.by_origin DROPPING", "modify ns:flights");
    }

    /** Regions of the base table may still write to the index table: the definition is stored, but the regions were not waited for. */
    @Test
    void waitsForTheRegionsOfTheBaseTableAgainIfADropWasInterrupted() throws IOException {
        master.failures.put("disable ns:flights.by_origin", new IOException("the client is killed"));
        assertThatThrownBy(this::drop).hasMessageContaining("the client is killed");
        master.steps.clear();
        drop();
        assertThat(master.steps)
                .containsExactly("modify ns:flights", "disable ns:flights.by_origin", "delete ns:flights.by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThat(IndexDefinitions.revisionOf(tables.get(FLIGHTS))).isZero();
    }

    /** A creation deletes what the drop has left, for which writes of such regions would wait. */
    @Test
    void aCreationWaitsForTheRegionsOfTheBaseTableIfADropWasInterrupted() throws IOException {
        master.failures.put("disable ns:flights.by_origin", new IOException("the client is killed"));
        assertThatThrownBy(this::drop).hasMessageContaining("the client is killed");
        master.steps.clear();
        admin.createIndex(byOrigin());
        assertThat(master.steps)
                .startsWith("modify ns:flights", "disable ns:flights.by_origin", "delete ns:flights.by_origin");
    }

    @Test
    void changesNothingElseIfReadersCannotBeRefused() throws IOException {
        master.failures.put("modify ns:flights.by_origin DROPPING", new TimeoutIOException("regions in transition"));
        assertThatThrownBy(this::drop)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("regions in transition")
                .hasMessageContaining("Every write still maintains the index")
                .hasMessageContaining("Drop it again")
                .hasMessageContaining("drop-index --force")
                .hasMessageNotContaining("disable");
        assertThat(master.steps).isEmpty();
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
    }

    /** The region keeps a lock of the index table, for which every change of that table waits, disabling it included. */
    @Test
    void aForcedDropFreesTheBaseTableWhileARegionOfTheIndexTableCannotBeOpened() throws IOException {
        for (String step : new String[] {"modify ns:flights.by_origin DROPPING", "disable ns:flights.by_origin"}) {
            master.failures.put(step, new TimeoutIOException("regions in transition"));
        }
        assertThatThrownBy(() -> admin.dropIndex(FLIGHTS, "by_origin", true))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Table ns:flights no longer maintains index by_origin")
                .hasMessageContaining("regions in transition")
                .hasMessageContaining("Clients that know the index may read it, without later writes")
                .hasMessageContaining("drop the index again");
        assertThat(master.steps).first().isEqualTo("modify ns:flights");
        assertThat(admin.listIndexes(FLIGHTS)).isEmpty();
        drop();
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    @Test
    void aForcedDropDoesNotSayThatTheIndexCannotBeRead() throws IOException {
        master.failures.put("modify ns:flights", new IOException("client died"));
        assertThatThrownBy(() -> admin.dropIndex(FLIGHTS, "by_origin", true))
                .hasMessageContaining("client died. Writes may still maintain it; drop it again");
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
    }

    /** Another client creates or drops another index at the same time, and the master refuses the old revision. */
    @Test
    void removesTheDefinitionFromTheNextRevisionOfTheTable() throws IOException {
        IndexDefinition other = IndexDefinition.builder(FLIGHTS, "other")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
        master.before(
                "modify ns:flights", () -> tables.put(FLIGHTS, IndexDefinitions.with(tables.get(FLIGHTS), other)));
        master.failures.put("modify ns:flights", new DoNotRetryIOException("its indexes were changed meanwhile"));
        drop();
        assertThat(IndexDefinitions.of(tables.get(FLIGHTS))).containsOnlyKeys("other");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    private void addFamily() {
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(tables.get(FLIGHTS))
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("g"))
                        .build());
    }

    /** The drop would delete the family with its cells, because HBase replaces a descriptor as a whole. */
    @Test
    void keepsAFamilyThatIsAddedWhileTheDefinitionIsRemoved() throws IOException {
        master.before("modify ns:flights", this::addFamily);
        drop();
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThat(tables.get(FLIGHTS).getColumnFamilyNames()).hasSize(2);
        assertThat(IndexDefinitions.definesAny(tables.get(FLIGHTS))).isFalse();
    }

    @Test
    void keepsAFamilyThatIsAddedWhileTheRevisionIsRemoved() throws IOException {
        master.before("modify ns:flights open", this::addFamily);
        drop();
        assertThat(tables.get(FLIGHTS).getColumnFamilyNames()).hasSize(2);
        assertThat(IndexDefinitions.revisionOf(tables.get(FLIGHTS))).isZero();
    }

    /** The first drop ends when the definition is removed, and its table is not deleted. */
    @Test
    void aDropThatIsRepeatedLeavesNoRevision() throws IOException {
        for (String step : new String[] {"disable", "delete"}) {
            master.failures.put(step + " ns:flights.by_origin", new IOException("client died"));
            assertThatThrownBy(this::drop).hasMessageContaining("client died");
            assertThat(IndexDefinitions.revisionOf(tables.get(FLIGHTS))).isPositive();
            drop();
            assertThat(tables).as("after a failure to " + step).containsOnlyKeys(FLIGHTS);
            assertThat(IndexDefinitions.revisionOf(tables.get(FLIGHTS))).isZero();
            admin.createIndex(byOrigin());
        }
    }

    /** The base table was deleted by hand while no coprocessor of the master protected it. */
    @Test
    void dropsTheRemainsOfAnIndexOfATableThatIsGone() throws IOException {
        tables.remove(FLIGHTS);
        drop();
        assertThat(tables).isEmpty();
    }

    @Test
    void aRefusalOfTheCurrentRevisionIsTheEnd() {
        master.failures.put("modify ns:flights", new DoNotRetryIOException("not permitted"));
        assertThatThrownBy(this::drop).hasMessageContaining("not permitted").hasMessageContaining("drop it again");
        assertThat(master.steps).containsExactly("modify ns:flights.by_origin DROPPING");
    }

    /** Its regions answer no reader. */
    @Test
    void dropsADisabledIndexEvenIfItsTableCannotBeMarked() throws IOException {
        master.disabled.add(INDEX_TABLE);
        master.failures.put("modify ns:flights.by_origin DROPPING", new DoNotRetryIOException("no such class"));
        drop();
        assertThat(master.steps).containsExactly("modify ns:flights", "delete ns:flights.by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    /** The index cannot be read, and a creation must not go on with it, or take it for a sound one. */
    @Test
    void anIndexWhoseDropWasInterruptedCanOnlyBeDropped() throws IOException {
        for (IndexState state : IndexState.values()) {
            tables.put(INDEX_TABLE, IndexDefinitions.withState(tables.get(INDEX_TABLE), state));
            master.failures.put("modify ns:flights", new IOException("client died"));
            assertThatThrownBy(this::drop)
                    .hasMessageContaining("client died")
                    .hasMessageContaining("cannot be read any more")
                    .hasMessageContaining("drop it again");
            assertThat(isDropping()).isTrue();
            assertThatThrownBy(() -> admin.createIndex(byOrigin()))
                    .as("a creation of an index that is " + state)
                    .isInstanceOf(IndexExistsException.class)
                    .hasMessageContaining("its drop was interrupted")
                    .hasMessageContaining("Drop it again, then create it")
                    .hasMessageContaining("Nothing was changed");
        }
        drop();
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThat(isDropping()).isFalse();
        admin.createIndex(byOrigin());
        assertThat(isDropping()).isFalse();
    }

    private boolean isDropping() throws IOException {
        return admin.stateOf(FLIGHTS, "by_origin").equals(Optional.of(IndexState.DROPPING));
    }

    @Test
    void anIndexWithANameThatNoTableCanHaveHasNoState() throws IOException {
        assertThat(admin.stateOf(FLIGHTS, "a b")).isEmpty();
    }

    /** Only the descriptor of its table is read, not its definition. */
    @Test
    void showsThatTheDropOfAnIndexHasBegunThatTheClientCannotLoad() throws IOException {
        TableDescriptor unloadable = TableDescriptorBuilder.newBuilder(tables.get(FLIGHTS))
                .setValue("diffindex.index.by_origin", "{\"columns\": [\"f:origin:class(no.such.Type)\"]}")
                .build();
        tables.put(FLIGHTS, unloadable);
        tables.put(INDEX_TABLE, IndexDefinitions.withState(tables.get(INDEX_TABLE), IndexState.DROPPING));
        assertThat(admin.listUnloadedIndexes(FLIGHTS)).hasSize(1);
        assertThat(isDropping()).isTrue();
    }

    /** While readers are refused, another client completes the drop, and creates an index of the same name. */
    @Test
    void leavesALaterIndexThatIsEnteredWhileReadersAreRefused() throws IOException {
        IndexDefinition later = byOrigin().withId("later");
        TableDescriptor indexed = IndexDefinitions.with(tables.get(FLIGHTS), later);
        master.after("modify ns:flights.by_origin DROPPING", () -> {
            tables.put(INDEX_TABLE, tableOf(later));
            tables.put(FLIGHTS, indexed);
        });
        drop();
        assertThat(tables).containsEntry(FLIGHTS, indexed).containsEntry(INDEX_TABLE, tableOf(later));
        assertThat(master.disabled).isEmpty();
    }

    /** Marking the table may take minutes, in which the base table may change in other respects. */
    @Test
    void keepsWhatElseIsChangedInTheBaseTableWhileReadersAreRefused() throws IOException {
        master.after("modify ns:flights.by_origin DROPPING", this::addFamily);
        drop();
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThat(tables.get(FLIGHTS).getColumnFamilyNames()).hasSize(2);
    }

    /** Both are about to delete the table; the other one is faster. */
    @Test
    void endsQuietlyIfAnotherClientDeletesTheTable() throws IOException {
        for (String step : new String[] {"disable", "delete"}) {
            master.before(step + " ns:flights.by_origin", () -> {
                tables.remove(INDEX_TABLE);
                master.disabled.remove(INDEX_TABLE);
            });
            drop();
            assertThat(tables).as("before the step to " + step).containsOnlyKeys(FLIGHTS);
            assertThat(master.steps).noneMatch(made -> made.startsWith("enable"));
            admin.createIndex(byOrigin());
        }
    }

    @Test
    void endsQuietlyIfAnotherClientHasCompletedTheDrop() throws IOException {
        master.after("modify ns:flights.by_origin DROPPING", () -> {
            tables.remove(INDEX_TABLE);
            tables.put(FLIGHTS, IndexDefinitions.without(tables.get(FLIGHTS), "by_origin"));
        });
        drop();
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThatThrownBy(this::drop).isInstanceOf(NoSuchIndexException.class);
    }
}
