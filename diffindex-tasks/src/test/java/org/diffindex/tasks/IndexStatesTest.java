package org.diffindex.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.MasterStoppedException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.stubbing.OngoingStubbing;

/** Tests that a state reaches the index it is meant for, beside other clients that change the table. */
class IndexStatesTest {
    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build()
            .withId("id-1");

    private final Admin admin = mock();

    /** The table's descriptor; null if there is no table. */
    private TableDescriptor table = BuildFamily.add(
            IndexDefinitions.markIndexTable(
                            TableDescriptorBuilder.newBuilder(INDEX.indexTable()), INDEX, IndexState.BUILDING)
                    .build(),
            OptionalDouble.empty(),
            false);

    /** What other clients do just before each change of the table. */
    private final Deque<UnaryOperator<TableDescriptor>> others = new ArrayDeque<>();

    private final List<TableDescriptor> changes = new ArrayList<>();

    @BeforeEach
    void stubMaster() throws IOException {
        when(admin.getDescriptor(INDEX.indexTable())).thenAnswer(call -> {
            if (table == null) {
                throw new TableNotFoundException(INDEX.indexTable());
            }
            return table;
        });
        doAnswer(call -> {
                    if (!others.isEmpty()) {
                        table = others.remove().apply(table);
                        throw new DoNotRetryIOException("not only its state would change");
                    }
                    table = call.getArgument(0);
                    changes.add(table);
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
    }

    private boolean isActive() throws IOException {
        return IndexStates.activate(admin, INDEX.indexTable(), "id-1", new BuildFamily.Totals(30, 20, 1));
    }

    @Test
    void activatesAndKeepsOnlyTheTotalsOfTheBuild() throws IOException {
        assertThat(isActive()).isTrue();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.ACTIVE);
        assertThat(table.hasColumnFamily(BuildFamily.NAME)).isFalse();
        assertThat(BuildFamily.totals(table)).contains(new BuildFamily.Totals(30, 20, 1));
        assertThat(IndexStates.drop(admin, INDEX.indexTable(), "id-1")).isTrue();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.DROPPING);
    }

    @Test
    void dropsAnIndexThatIsBuilding() throws IOException {
        assertThat(IndexStates.drop(admin, INDEX.indexTable(), "id-1")).isTrue();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.DROPPING);
        assertThat(table.hasColumnFamily(BuildFamily.NAME)).isFalse();
    }

    /** HBase's client then reports a change as made, and the next master begins with it, or has it behind it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aChangeDuringWhichTheMasterStopsIsMadeOnceMore(boolean isStored) throws IOException {
        masters("m1", "m2", "m2", "m2");
        TableDescriptor before = table;
        when(admin.getDescriptor(INDEX.indexTable()))
                .thenReturn(before)
                .thenThrow(new MasterStoppedException())
                .thenAnswer(call -> isStored ? table : before);
        assertThat(isActive()).isTrue();
        assertThat(changes).hasSize(2);
        assertThat(changes).doesNotHaveDuplicates();
        assertThat(IndexDefinitions.isNextState(changes.get(0), changes.get(1))).isEqualTo(isStored);
        assertThat(IndexDefinitions.isNextState(before, changes.get(1))).isEqualTo(!isStored);
        assertThat(changes.get(1)).matches(again -> IndexDefinitions.differOnlyInState(again, changes.get(0)));
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.ACTIVE);
    }

    /** The first one is stored, and the regions are waited for, when another client changes the table. */
    @Test
    void aRepeatedChangeUndoesNoneThatFollowsTheFirst() throws IOException {
        masters("m1", "m2", "m2", "m2");
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    changes.add(changed);
                    if (changes.size() == 2) {
                        table = TableDescriptorBuilder.newBuilder(table)
                                .setValue("owner", "another client")
                                .build();
                    }
                    if (IndexDefinitions.changesState(table, changed)
                            && !IndexDefinitions.differOnlyInState(
                                    BuildFamily.strip(table), BuildFamily.strip(changed))) {
                        throw new DoNotRetryIOException("not only its state would change");
                    }
                    table = changed;
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        assertThat(IndexStates.retry(admin, INDEX.indexTable(), "id-1")).isFalse();
        table = IndexDefinitions.broken(table, "the disk is full");
        assertThat(IndexStates.retry(admin, INDEX.indexTable(), "id-1"))
                .as("although the index is not BROKEN any more")
                .isTrue();
        assertThat(table.getValue("owner")).isEqualTo("another client");
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.BUILDING);
        assertThat(changes).hasSize(3);
    }

    @Test
    void aChangeDuringWhichTheMasterStopsUndoesNoOther() throws IOException {
        masters("m1", "m2", "m2", "m2");
        TableDescriptor before = table;
        when(admin.getDescriptor(INDEX.indexTable())).thenReturn(before).thenAnswer(call -> {
            if (changes.size() == 1) {
                table = TableDescriptorBuilder.newBuilder(table)
                        .setValue("owner", "another client")
                        .build();
            }
            return table;
        });
        assertThat(isActive()).isTrue();
        assertThat(table.getValue("owner")).isEqualTo("another client");
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.ACTIVE);
    }

    /** The first master stops before it has begun, and the second when another client has changed the table after the change. */
    @Test
    void aChangeThatTheSecondMasterHasStoredIsFoundBesideThatOfAnotherClient() throws IOException {
        masters("m1", "m2", "m2", "m3");
        table = IndexDefinitions.disabled(table, "the definition");
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    changes.add(changed);
                    if (changes.size() == 2) {
                        table = TableDescriptorBuilder.newBuilder(changed)
                                .setValue("owner", "another client")
                                .build();
                    } else if (changes.size() > 2) {
                        table = changed;
                    }
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        assertThat(isRenewed("id-1", "id-2"))
                .as("although the index has the id already")
                .isTrue();
        assertThat(IndexDefinitions.indexIdOf(table)).isEqualTo("id-2");
        assertThat(table.getValue("owner")).isEqualTo("another client");
        assertThat(changes).hasSize(3);
    }

    private void masters(String... names) throws IOException {
        OngoingStubbing<ServerName> masters = when(admin.getMaster());
        for (String name : names) {
            masters = masters.thenReturn(ServerName.valueOf(name, 16000, 1));
        }
    }

    /** The answer of the first change was lost, or another client waits for the regions still. */
    @Test
    void changesTheStateAgain() throws IOException {
        assertThat(isActive()).isTrue();
        assertThat(isActive()).isTrue();
        assertThat(changes).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void keepsWhatAnotherClientChanges() throws IOException {
        others.add(own -> TableDescriptorBuilder.newBuilder(own)
                .setValue("owner", "another client")
                .build());
        assertThat(isActive()).isTrue();
        assertThat(table.getValue("owner")).isEqualTo("another client");
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.ACTIVE);
    }

    @Test
    void changesNoOtherIndexAndNoMissingOne() throws IOException {
        others.add(own -> TableDescriptorBuilder.newBuilder(own)
                .setValue("diffindex.id", "id-2")
                .build());
        assertThat(isActive()).isFalse();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.BUILDING);
        table = null;
        assertThat(isActive()).isFalse();
        assertThat(changes).isEmpty();
    }

    @Test
    void aRefusalOfTheTableAsItIsIsTheEnd() {
        others.add(own -> own);
        assertThatThrownBy(() -> isActive()).hasMessageContaining("not only its state");
    }

    @Test
    void aBuildIsCancelledOnlyWhileItsIndexIsBuilding() throws IOException {
        others.add(own ->
                BuildFamily.complete(IndexDefinitions.withState(own, IndexState.ACTIVE), BuildFamily.Totals.NONE));
        assertThat(IndexStates.cancel(admin, INDEX.indexTable(), "id-1")).isFalse();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.ACTIVE);
    }

    @Test
    void anIndexThatIsDisabledOrDroppedMeanwhileDoesNotBecomeActive() throws IOException {
        others.add(own -> BuildFamily.remove(IndexDefinitions.disabled(own, "the definition")));
        assertThat(isActive()).isFalse();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.DISABLED);
        table = IndexDefinitions.withState(table, IndexState.DROPPING);
        assertThat(isActive()).isFalse();
        assertThat(IndexStates.disable(admin, INDEX.indexTable(), "id-1", () -> "the definition"))
                .isFalse();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.DROPPING);
    }

    @Test
    void anIndexThatIsBrokenIsTriedAgain() throws IOException {
        assertThat(IndexStates.retry(admin, INDEX.indexTable(), "id-1")).isFalse();
        assertThat(IndexStates.fail(admin, INDEX.indexTable(), "id-1", "the disk is full"))
                .isTrue();
        assertThat(IndexDefinitions.problemOf(table)).contains("the disk is full");
        assertThat(isActive()).isFalse();
        assertThat(IndexStates.retry(admin, INDEX.indexTable(), "id-1")).isTrue();
        assertThat(isActive()).isTrue();
        assertThat(IndexStates.fail(admin, INDEX.indexTable(), "id-1", "late")).isFalse();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.ACTIVE);
    }

    @Test
    void onlyADisabledIndexGetsAnotherIdAndIsEnabled() throws IOException {
        assertThat(isRenewed("id-1", "id-2")).isFalse();
        assertThat(isEnabled("id-1")).isFalse();
        assertThat(IndexStates.disable(admin, INDEX.indexTable(), "id-1", () -> "the definition"))
                .isTrue();
        assertThat(table.hasColumnFamily(BuildFamily.NAME)).isFalse();
        assertThat(isRenewed("id-1", "id-2")).isTrue();
        assertThat(isRenewed("id-1", "id-3")).isFalse();
        assertThat(IndexDefinitions.indexIdOf(table)).isEqualTo("id-2");
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.DISABLED);
        assertThat(isEnabled("id-1")).isFalse();
        assertThat(isEnabled("id-2")).isTrue();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.BUILDING);
        assertThat(isEnabled("id-2")).isFalse();
    }

    private boolean isRenewed(String id, String newId) throws IOException {
        return IndexStates.renew(admin, INDEX.indexTable(), id, newId);
    }

    private boolean isEnabled(String id) throws IOException {
        return IndexStates.enable(
                admin, INDEX.indexTable(), id, own -> BuildFamily.add(own, OptionalDouble.empty(), false));
    }

    /** The table is to be emptied first: it has entries of rows that are gone. */
    @Test
    void anIndexThatIsToBeRebuiltBecomesNeitherActiveNorBroken() throws IOException {
        assertThat(isActive()).isTrue();
        assertThat(IndexStates.rebuild(admin, INDEX.indexTable(), "id-1", () -> "the definition"))
                .isTrue();
        assertThat(IndexDefinitions.stateOf(table)).isEqualTo(IndexState.BUILDING);
        assertThat(IndexDefinitions.keptIn(table)).contains("the definition");
        assertThat(isActive()).isFalse();
        assertThat(IndexStates.fail(admin, INDEX.indexTable(), "id-1", "the disk is full"))
                .isFalse();
        String order = renewed("id-1", "id-2").orElseThrow();
        assertThat(Rebuild.isDue(table)).isTrue();
        assertThat(begins(order)).isTrue();
        assertThat(Rebuild.isDue(table)).isFalse();
        assertThat(table.hasColumnFamily(BuildFamily.NAME)).isTrue();
        assertThat(begins(order)).isFalse();
    }

    private Optional<String> renewed(String id, String newId) throws IOException {
        return IndexStates.renewRebuilt(admin, INDEX.indexTable(), id, newId);
    }

    private boolean begins(String order) throws IOException {
        return IndexStates.begin(admin, INDEX.indexTable(), "id-2", order);
    }

    /** Rows were replaced again when the table had been emptied. */
    @Test
    void anOrderThatIsGivenAgainMeanwhileStays() throws IOException {
        table = Rebuild.ordered(IndexDefinitions.withState(table, IndexState.ACTIVE), "the definition");
        String order = renewed("id-1", "id-2").orElseThrow();
        others.add(own -> Rebuild.ordered(own, "the definition"));
        assertThat(begins(order)).isFalse();
        assertThat(Rebuild.isDue(table)).isTrue();
        assertThat(begins(renewed("id-2", "id-2").orElseThrow())).isTrue();
    }

    /** A change of the scheme was complete between the reading of the definition and the change of the state. */
    @Test
    void anIndexThatIsDisabledOrToBeRebuiltKeepsTheSchemeThatItHasGot() throws IOException {
        Iterator<String> before = List.of("old", "new", "new", "new").iterator();
        assertThat(isActive()).isTrue();
        assertThat(IndexStates.rebuild(admin, INDEX.indexTable(), "id-1", before::next))
                .isTrue();
        assertThat(IndexDefinitions.keptIn(table)).contains("new");
        Iterator<String> again = List.of("new", "newest", "newest", "newest").iterator();
        assertThat(IndexStates.disable(admin, INDEX.indexTable(), "id-1", again::next))
                .isTrue();
        assertThat(IndexDefinitions.keptIn(table)).contains("newest");
    }

    @Test
    void anIndexThatIsDisabledOrDroppedIsNotRebuilt() throws IOException {
        assertThat(IndexStates.disable(admin, INDEX.indexTable(), "id-1", () -> "the definition"))
                .isTrue();
        TableDescriptor disabled = table;
        assertThat(IndexStates.rebuild(admin, INDEX.indexTable(), "id-1", () -> "the definition"))
                .isFalse();
        assertThat(renewed("id-1", "id-2")).isEmpty();
        assertThat(table).isEqualTo(disabled);
        table = IndexDefinitions.withState(table, IndexState.DROPPING);
        assertThat(IndexStates.rebuild(admin, INDEX.indexTable(), "id-1", () -> "the definition"))
                .isFalse();
    }

    @Test
    void anIndexThatIsToBeRebuiltCanBeDisabledAndDropped() throws IOException {
        assertThat(IndexStates.rebuild(admin, INDEX.indexTable(), "id-1", () -> "the definition"))
                .isTrue();
        assertThat(IndexStates.disable(admin, INDEX.indexTable(), "id-1", () -> "the definition"))
                .isTrue();
        assertThat(Rebuild.isDue(table)).isFalse();
        assertThat(IndexStates.drop(admin, INDEX.indexTable(), "id-1")).isTrue();
        assertThat(IndexDefinitions.keptIn(table)).isEmpty();
    }
}
