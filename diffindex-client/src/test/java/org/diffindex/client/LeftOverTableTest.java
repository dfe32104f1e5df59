package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.TimeoutIOException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a creation or a drop, which finds an index table without a definition, does not leave the table disabled if
 * that belongs to an index that another client is creating.
 */
class LeftOverTableTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName INDEX_TABLE = TableName.valueOf("ns", "flights.by_origin");
    private static final IndexDefinition OTHERS = byOrigin().withId("others");

    private final FakeMaster master = new FakeMaster(FLIGHTS);
    private final Map<TableName, TableDescriptor> tables = master.tables;
    private DiffIndexAdmin admin;

    /** Another client has created its index table, and will enter its definition next. */
    @BeforeEach
    void createIndexTable() throws IOException {
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .build());
        tables.put(
                INDEX_TABLE,
                IndexDefinitions.markIndexTable(
                                TableDescriptorBuilder.newBuilder(INDEX_TABLE), OTHERS, IndexState.BUILDING)
                        .build());
        admin = new DiffIndexAdmin(master.connection);
    }

    private static IndexDefinition byOrigin() {
        return IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
    }

    private void enter() {
        tables.put(FLIGHTS, IndexDefinitions.with(tables.get(FLIGHTS), OTHERS));
    }

    private void create() throws IOException {
        admin.createIndex(byOrigin());
    }

    private void drop() throws IOException {
        admin.dropIndex(FLIGHTS, "by_origin");
    }

    private void assertLeftToTheOther() throws IOException {
        assertThat(master.disabled).isEmpty();
        assertThat(admin.describeIndex(FLIGHTS, "by_origin")).isEqualTo(OTHERS);
        assertThat(IndexDefinitions.indexIdOf(tables.get(INDEX_TABLE))).isEqualTo(OTHERS.id());
    }

    @Test
    void theTableOfAnIndexThatWasEnteredIsNotDisabled() throws IOException {
        enter();
        assertThatThrownBy(
                        () -> new LeftOverTable(master.admin, FLIGHTS, "by_origin", INDEX_TABLE, OTHERS.id()).delete())
                .isInstanceOf(IndexExistsException.class);
        assertThat(master.steps).isEmpty();
        assertLeftToTheOther();
    }

    @Test
    void aCreationEnablesTheTableOfAnIndexThatIsEnteredMeanwhile() throws IOException {
        master.after("disable ns:flights.by_origin", this::enter);
        assertThatThrownBy(this::create)
                .isInstanceOf(IndexExistsException.class)
                .hasMessageContaining("by_origin of ns:flights was entered by another client");
        assertThat(master.steps).containsExactly("disable ns:flights.by_origin", "enable ns:flights.by_origin");
        assertLeftToTheOther();
    }

    /** The master refuses to delete the table of an index that is defined. */
    @Test
    void aCreationEnablesTheTableOfAnIndexThatIsEnteredAtTheLastMoment() throws IOException {
        master.before("delete ns:flights.by_origin", this::enter);
        assertThatThrownBy(this::create)
                .isInstanceOf(IndexExistsException.class)
                .hasMessageContaining("was entered by another client");
        assertLeftToTheOther();
    }

    /** That client has not entered its definition yet. Only the id of the table tells that it is another one. */
    @Test
    void theTableThatAnotherClientHasMadeInPlaceOfTheFoundOneIsLeftToIt() throws IOException {
        for (ThrowingCallable deletion : List.<ThrowingCallable>of(this::create, this::drop)) {
            createIndexTable();
            master.steps.clear();
            master.before("disable ns:flights.by_origin", this::replace);
            assertThatThrownBy(deletion)
                    .isInstanceOf(IndexExistsException.class)
                    .hasMessageContaining("ns:flights.by_origin was replaced by another client");
            assertThat(master.steps).containsExactly("disable ns:flights.by_origin", "enable ns:flights.by_origin");
            assertThat(master.disabled).isEmpty();
            assertThat(IndexDefinitions.indexIdOf(tables.get(INDEX_TABLE))).isEqualTo("third");
        }
    }

    @Test
    void aReplacedTableIsNotEvenDisabled() {
        LeftOverTable table = new LeftOverTable(master.admin, FLIGHTS, "by_origin", INDEX_TABLE, "an earlier one");
        assertThatThrownBy(table::delete).isInstanceOf(IndexExistsException.class);
        assertThat(master.steps).isEmpty();
    }

    private void replace() {
        tables.put(
                INDEX_TABLE,
                IndexDefinitions.markIndexTable(
                                TableDescriptorBuilder.newBuilder(INDEX_TABLE),
                                OTHERS.withId("third"),
                                IndexState.BUILDING)
                        .build());
    }

    @Test
    void aDropEnablesTheTableOfAnIndexThatIsEnteredMeanwhile() throws IOException {
        for (String step : new String[] {"disable", "delete"}) {
            tables.put(FLIGHTS, IndexDefinitions.without(tables.get(FLIGHTS), "by_origin"));
            master.before(step + " ns:flights.by_origin", this::enter);
            assertThatThrownBy(this::drop)
                    .as("entered before the step to " + step)
                    .isInstanceOf(IndexExistsException.class)
                    .hasMessageContaining("was entered by another client")
                    .hasMessageContaining("drop it")
                    .hasMessageNotContaining("no longer maintains");
            assertLeftToTheOther();
        }
    }

    @Test
    void saysSoIfTheTableCannotBeEnabledAgain() {
        master.after("disable ns:flights.by_origin", this::enter);
        master.failures.put("enable ns:flights.by_origin", new IOException("no master"));
        assertThatThrownBy(this::drop)
                .isInstanceOf(IndexExistsException.class)
                .hasMessageContaining("was entered by another client")
                .hasMessageContaining(
                        "ns:flights.by_origin may be disabled now, and could not be enabled again: no master")
                .hasMessageContaining("enable 'ns:flights.by_origin'")
                .hasMessageNotContaining("no longer maintains");
    }

    @Test
    void aFailedDeletionLeavesTheTableEnabled() throws IOException {
        master.failures.put("delete ns:flights.by_origin", new IOException("busy"));
        assertThatThrownBy(this::create)
                .hasMessageContaining("busy")
                .hasMessageContaining("Table ns:flights is unchanged")
                .hasMessageContaining("create the index again");
        assertThat(master.disabled).isEmpty();
        create();
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
    }

    /** It may belong to another client, which enables it again. */
    @Test
    void aTableThatSomebodyElseHasDisabledIsNotEnabled() {
        master.disabled.add(INDEX_TABLE);
        master.failures.put("delete ns:flights.by_origin", new IOException("busy"));
        assertThatThrownBy(this::drop).hasMessageContaining("busy");
        assertThat(master.disabled).containsExactly(INDEX_TABLE);
        assertThat(master.steps).isEmpty();
    }

    @Test
    void aRefusalToDisableTheTableIsTheEnd() {
        master.failures.put("disable ns:flights.by_origin", new TableNotEnabledException("ns:flights.by_origin"));
        assertThatThrownBy(this::drop).hasCauseInstanceOf(TableNotEnabledException.class);
        assertThat(master.steps).isEmpty();
    }

    /** The other client is dropping the same index, and is about to delete the table, or has done so. */
    @Test
    void aTableThatAnotherClientDisablesMeanwhileIsDeleted() throws IOException {
        master.before("disable ns:flights.by_origin", () -> master.disabled.add(INDEX_TABLE));
        drop();
        assertThat(master.steps).last().isEqualTo("delete ns:flights.by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    @Test
    void aCreationGoesOnIfAnotherClientDeletesTheRemains() throws IOException {
        master.after("disable ns:flights.by_origin", () -> {
            tables.remove(INDEX_TABLE);
            master.disabled.remove(INDEX_TABLE);
        });
        create();
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
    }

    /** HBase carries out the request to disable the table when the creation of the table has ended. */
    @Test
    void aTableThatMayBeDisabledLaterIsEnabledAfterThat() throws IOException {
        for (IOException unknown : new IOException[] {new TimeoutIOException("late"), new InterruptedIOException()}) {
            master.steps.clear();
            doAnswer(call -> {
                        master.disabled.add(call.getArgument(0));
                        enter();
                        throw unknown;
                    })
                    .when(master.admin)
                    .disableTable(any());
            assertThatThrownBy(() ->
                            new LeftOverTable(master.admin, FLIGHTS, "by_origin", INDEX_TABLE, OTHERS.id()).delete())
                    .isSameAs(unknown);
            assertThat(master.steps).containsExactly("enable ns:flights.by_origin");
            assertLeftToTheOther();
            tables.put(FLIGHTS, IndexDefinitions.without(tables.get(FLIGHTS), "by_origin"));
        }
    }

    @Test
    void anInterruptionDoesNotPreventThatTheTableIsEnabled() throws IOException {
        doAnswer(call -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    return master.disabled.remove(INDEX_TABLE);
                })
                .when(master.admin)
                .enableTable(any());
        master.failures.put("delete ns:flights.by_origin", new InterruptedIOException("stop"));
        master.after(
                "disable ns:flights.by_origin", () -> Thread.currentThread().interrupt());
        assertThatThrownBy(this::drop).hasMessageContaining("stop");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(master.disabled).isEmpty();
    }

    /** The deletion has succeeded, and its answer was lost. */
    @Test
    void aTableThatWasDeletedAfterAllIsNotEnabled() throws IOException {
        doAnswer(call -> {
                    tables.remove(INDEX_TABLE);
                    master.disabled.remove(INDEX_TABLE);
                    throw new DoNotRetryIOException("answer lost");
                })
                .when(master.admin)
                .deleteTable(any());
        assertThatThrownBy(this::drop)
                .hasMessageContaining("answer lost")
                .hasMessageNotContaining("could not be enabled");
    }
}
