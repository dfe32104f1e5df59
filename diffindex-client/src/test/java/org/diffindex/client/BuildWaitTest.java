package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what a client says that waits for the build of an index. */
class BuildWaitTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName INDEX_TABLE = TableName.valueOf("ns", "flights.by_origin");
    private static final String BUILD = "build ns:flights.by_origin";
    private static final String ACTIVATE = "modify ns:flights.by_origin ACTIVE";

    private final FakeMaster master = new FakeMaster(FLIGHTS);
    private DiffIndexAdmin admin;

    @BeforeEach
    void createTable() throws IOException {
        master.tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .build());
        admin = new DiffIndexAdmin(master.connection);
    }

    private void create() throws IOException {
        admin.createIndex(IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build());
    }

    /** Creates an index, which fails, while another client does something when the client first looks at the build. */
    private AbstractThrowableAssert<?, ? extends Throwable> createFails(FakeMaster.Event event) {
        master.after(BUILD, event);
        return assertThatThrownBy(this::create)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Index by_origin on ns:flights is not ACTIVE");
    }

    private IndexState state() {
        return IndexDefinitions.stateOf(master.tables.get(INDEX_TABLE));
    }

    private IndexDefinition entered() {
        return IndexDefinitions.of(master.tables.get(FLIGHTS)).get("by_origin");
    }

    private void setState(IndexState state) {
        master.tables.put(INDEX_TABLE, IndexDefinitions.withState(master.tables.get(INDEX_TABLE), state));
    }

    private void removeDefinition() {
        master.tables.put(FLIGHTS, IndexDefinitions.without(master.tables.get(FLIGHTS), "by_origin"));
    }

    @Test
    void tellsTheListenerOfTheBuildAndOfItsEnd() throws IOException {
        create();
        List<BuildStatus> told = new ArrayList<>();
        admin.awaitIndex(FLIGHTS, "by_origin", told::add);
        assertThat(told).singleElement().satisfies(status -> {
            assertThat(status.rows()).isEqualTo(2_020);
            assertThat(status.entries()).isEqualTo(18);
            assertThat(status.leftOut()).isEqualTo(2);
            assertThat(status.rangesDone()).isEqualTo(1);
            assertThat(status.rowsPerSecond()).isEmpty();
        });
    }

    @Test
    void saysThatNothingIsLeftIfAnotherClientHasDroppedTheIndex() {
        createFails(this::removeDefinition)
                .hasMessageContaining("removed by another client")
                .hasMessageContaining("nothing is left to resume")
                .hasMessageNotContaining("It is BUILDING");
    }

    @Test
    void saysThatNothingIsLeftIfTheIndexIsAnotherOneOfItsName() {
        createFails(() -> master.tables.put(
                        FLIGHTS,
                        IndexDefinitions.with(
                                master.tables.get(FLIGHTS), entered().withId("later"))))
                .hasMessageContaining("nothing is left to resume")
                .hasMessageNotContaining("It is BUILDING");
    }

    @Test
    void saysThatNothingIsLeftIfAnotherClientHasDeletedTheTable() {
        createFails(() -> master.tables.remove(FLIGHTS))
                .hasMessageContaining("its table was deleted")
                .hasMessageNotContaining("It is BUILDING");
    }

    @Test
    void saysThatWritesFailIfTheIndexHasLostItsTable() {
        createFails(() -> master.tables.remove(INDEX_TABLE))
                .hasMessageContaining("Every write fails")
                .hasMessageContaining("drop index by_origin of ns:flights");
    }

    /** Nobody can read the index any more, even if the other client does not complete the drop. */
    @Test
    void failsIfAnotherClientHasBegunToDropTheIndex() {
        createFails(() -> setState(IndexState.DROPPING))
                .hasMessageContaining("its drop has begun")
                .hasMessageContaining("cannot be read any more")
                .hasMessageContaining("drop the index again; then create it")
                .hasMessageNotContaining("resume");
        assertThat(state()).isEqualTo(IndexState.DROPPING);
    }

    /** A forced drop does not mark the index. */
    @Test
    void failsIfAnotherClientRemovesTheDefinitionWhileTheIndexBecomesActive() {
        master.after(ACTIVATE, this::removeDefinition);
        createFails(() -> {}).hasMessageContaining("removed by another client");
    }

    @Test
    void saysWhyTheBuildHasFailedAndHowToResumeIt() throws IOException {
        master.before(BUILD, () -> master.problem = Optional.of("a row would not expire with its entry"));
        assertThatThrownBy(this::create)
                .hasMessageContaining("its build has failed: a row would not expire with its entry")
                .hasMessageContaining("It is BUILDING")
                .hasMessageContaining("create it again with the same definition to resume");
        String id = entered().id();
        create();
        assertThat(master.steps).contains("retry ns:flights.by_origin");
        assertThat(entered().id()).isEqualTo(id);
        assertThat(state()).isEqualTo(IndexState.ACTIVE);
    }

    /** The operator may have set the state, or another client waits for the same build. */
    @Test
    void saysThatTheIndexIsActiveIfItHasBecomeSoNevertheless() {
        master.before(BUILD, () -> master.problem = Optional.of("a server is too old"));
        createFails(() -> setState(IndexState.ACTIVE))
                .hasMessageContaining("a server is too old")
                .hasMessageContaining("It is ACTIVE all the same; a read may be refused");
    }

    /** The descriptor tells the state before the regions are opened with it. */
    @Test
    void waitsUntilTheRegionsAnswerReaders() throws IOException {
        master.failures.put("read", new IndexNotReadableException("the index is BUILDING"));
        create();
        assertThat(master.failures).isEmpty();
    }

    @Test
    void aUserWhoMayNotReadWaitsForTheDescriptorOnly() throws IOException {
        master.failures.put("read", new AccessDeniedException("no"));
        create();
        assertThat(state()).isEqualTo(IndexState.ACTIVE);
    }

    /** Nobody may be building it. */
    @Test
    void doesNotWaitForAnIndexThatAClientOfAnEarlierVersionBuilds() throws IOException {
        admin.beginIndex(IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build());
        master.tables.computeIfPresent(INDEX_TABLE, (name, own) -> BuildFamily.remove(own));
        assertThatThrownBy(() -> admin.awaitIndex(FLIGHTS, "by_origin", BuildListener.NONE))
                .hasMessageContaining("a client of an earlier version")
                .hasMessageContaining("create it again with the same definition");
        create();
        assertThat(state()).isEqualTo(IndexState.ACTIVE);
    }

    @Test
    void goesOnWaitingWhileNoMasterAnswers() throws IOException {
        master.failures.put(BUILD, new IOException("the master is starting"));
        create();
        assertThat(state()).isEqualTo(IndexState.ACTIVE);
    }

    @Test
    void saysWhatMayBeTrueIfNoMasterAnswers() {
        master.configuration.setLong(BuildWait.RETRY_MS_KEY, 0);
        master.failures.put(BUILD, new IOException("no master"));
        master.before(BUILD, () -> doAnswer(call -> {
                    throw new IOException("no master");
                })
                .when(master.admin)
                .getDescriptor(any()));
        assertThatThrownBy(this::create)
                .hasMessageContaining("no master")
                .hasMessageContaining("It may be BUILDING")
                .hasMessageContaining("the master goes on");
    }

    @Test
    void anInterruptEndsTheWaitAndNotTheBuild() {
        master.after(BUILD, () -> Thread.currentThread().interrupt());
        master.before(ACTIVATE, () -> {
            throw new IOException("not yet");
        });
        assertThatThrownBy(this::create)
                .isInstanceOf(InterruptedIOException.class)
                .hasMessageContaining("goes on");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(state()).isEqualTo(IndexState.BUILDING);
    }
}
