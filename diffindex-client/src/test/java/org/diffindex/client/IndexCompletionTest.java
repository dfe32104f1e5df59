package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;

import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.Test;

/** Tests what a creation says when its second half fails. */
class IndexCompletionTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableDescriptor PLAIN =
            TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).build();

    /**
     * If this fails, HBase compares coprocessors by value: then a base table's revision can always be removed.
     */
    @Test
    void hbaseMistakesEveryTableWithACoprocessorForOneWhoseCoprocessorsChange() throws Exception {
        TableDescriptor observed = TableDescriptorBuilder.newBuilder(PLAIN)
                .setCoprocessor(Coprocessors.INDEX_OBSERVER)
                .build();
        assertThat(IndexCompletion.canKeepRegionsOpen(observed)).isFalse();
        assertThat(IndexCompletion.canKeepRegionsOpen(PLAIN)).isTrue();
    }

    private final FakeMaster master = new FakeMaster(FLIGHTS);

    private void create() throws IOException {
        master.tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .build());
        try (DiffIndexAdmin admin = new DiffIndexAdmin(master.connection)) {
            admin.createIndex(IndexDefinition.builder(FLIGHTS, "by_origin")
                    .column("f", "origin", ColumnTypes.STRING)
                    .build());
        }
    }

    /** Creates an index, which fails, while another client does something after the first page of the backfill. */
    private AbstractThrowableAssert<?, ? extends Throwable> createFails(FakeMaster.Event event) throws IOException {
        master.after("backfill from '' max 10000", event);
        return assertThatThrownBy(this::create)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("The backfill of index by_origin on ns:flights failed");
    }

    private IndexState state() {
        return IndexDefinitions.stateOf(master.tables.get(TableName.valueOf("ns", "flights.by_origin")));
    }

    private IndexDefinition entered() {
        return IndexDefinitions.of(master.tables.get(FLIGHTS)).get("by_origin");
    }

    private void enter(IndexDefinition index) {
        master.tables.put(FLIGHTS, IndexDefinitions.with(master.tables.get(FLIGHTS), index));
    }

    @Test
    void saysThatNothingIsLeftIfAnotherClientHasDroppedTheIndex() throws IOException {
        createFails(() -> master.tables.put(FLIGHTS, IndexDefinitions.without(master.tables.get(FLIGHTS), "by_origin")))
                .hasMessageContaining("removed by another client")
                .hasMessageContaining("dropped by another client; nothing is left to resume")
                .hasMessageNotContaining("BUILDING now");
        createFails(() -> enter(entered().withId("later")))
                .hasMessageContaining("dropped by another client; nothing is left to resume")
                .hasMessageNotContaining("BUILDING now");
    }

    @Test
    void saysThatNothingIsLeftIfAnotherClientHasDeletedTheTable() throws IOException {
        createFails(() -> master.tables.remove(FLIGHTS))
                .hasMessageContaining("The table was deleted by another client")
                .hasMessageNotContaining("BUILDING now");
    }

    private void setState(IndexState state) {
        TableName indexTable = TableName.valueOf("ns", "flights.by_origin");
        master.tables.put(indexTable, IndexDefinitions.withState(master.tables.get(indexTable), state));
    }

    private void beginDrop() {
        setState(IndexState.DROPPING);
    }

    /** Nobody can read the index any more, even if the other client does not complete the drop. */
    @Test
    void failsIfAnotherClientHasBegunToDropTheIndex() throws IOException {
        createFails(this::beginDrop)
                .hasMessageContaining("its drop has begun")
                .hasMessageContaining("cannot be read any more")
                .hasMessageContaining("drop the index again; then create it")
                .hasMessageNotContaining("resume");
        assertThat(state()).isEqualTo(IndexState.DROPPING);
    }

    @Test
    void failsIfAnotherClientBeginsToDropTheIndexWhileItBecomesActive() throws IOException {
        master.after("modify ns:flights.by_origin ACTIVE", this::beginDrop);
        createFails(() -> {}).hasMessageContaining("its drop has begun").hasMessageNotContaining("nothing is left");
    }

    /** A call that fails is not retried for minutes then. */
    @Test
    void doesNotRetryIfAnotherClientHasBegunToDropTheIndex() throws IOException {
        master.failures.put("backfill from 'm' max 10000", new IOException("region in transition"));
        createFails(this::beginDrop).hasMessageContaining("its drop has begun");
        assertThat(master.steps).last().isEqualTo("backfill from '' max 10000");
    }

    /** Another client may have resumed the creation. */
    @Test
    void saysThatTheIndexIsActiveIfAnotherClientHasCompletedIt() throws IOException {
        master.failures.put("backfill from 'm' max 10000", new DoNotRetryIOException("a server is too old"));
        createFails(() -> setState(IndexState.ACTIVE))
                .hasMessageContaining("a server is too old")
                .hasMessageContaining("The index is ACTIVE all the same; a read may be refused")
                .hasMessageNotContaining("BUILDING now");
    }

    /** The master has stored the descriptor, and is still opening the regions. */
    @Test
    void makesTheIndexActiveAgainIfTheAnswerWasLost() throws IOException {
        master.after("modify ns:flights.by_origin ACTIVE", () -> {
            throw new IOException("lost");
        });
        create();
        assertThat(master.steps).endsWith("modify ns:flights.by_origin ACTIVE", "modify ns:flights.by_origin ACTIVE");
        assertThat(state()).isEqualTo(IndexState.ACTIVE);
    }

    /** A forced drop does not mark the index. */
    @Test
    void failsIfAnotherClientRemovesTheDefinitionWhileItBecomesActive() throws IOException {
        master.before(
                "modify ns:flights.by_origin ACTIVE",
                () -> master.tables.put(FLIGHTS, IndexDefinitions.without(master.tables.get(FLIGHTS), "by_origin")));
        createFails(() -> {}).hasMessageContaining("removed by another client");
    }

    /** Nothing is known of its state. */
    @Test
    void anIndexWhoseTableMayNotBeSeenIsNotSaidToBeBuilding() throws IOException {
        create();
        doThrow(new AccessDeniedException("no"))
                .when(master.admin)
                .getDescriptor(TableName.valueOf("ns", "flights.by_origin"));
        try (DiffIndexAdmin admin = new DiffIndexAdmin(master.connection)) {
            IndexDefinition other = IndexDefinition.builder(FLIGHTS, "by_origin")
                    .column("f", "dest", ColumnTypes.STRING)
                    .build();
            assertThatThrownBy(() -> admin.createIndex(other))
                    .isInstanceOf(IndexExistsException.class)
                    .hasMessageContaining("whose state this user may not see")
                    .hasMessageContaining("if it is BUILDING, to resume");
        }
    }

    @Test
    void saysWhatMayBeTrueIfTheMasterDoesNotAnswer() throws IOException {
        master.configuration.setLong(BackfillRetries.RETRY_MS_KEY, 0);
        createFails(() -> doAnswer(call -> {
                            throw new IOException("no master");
                        })
                        .when(master.admin)
                        .getDescriptor(any()))
                .hasMessageContaining("no master")
                .hasMessageContaining("The index may be BUILDING now")
                .hasMessageContaining("to resume");
    }
}
