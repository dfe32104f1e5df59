package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.ipc.RemoteException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.tasks.IndexStates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that begin, follow and cancel builds beside others, and with few permissions. */
class BuildClientsTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName INDEX_TABLE = TableName.valueOf("ns", "flights.by_origin");
    private static final String CREATE = "create ns:flights.by_origin in 1";

    private final FakeMaster master = new FakeMaster(FLIGHTS);
    private final IndexDefinition byOrigin = IndexDefinition.builder(FLIGHTS, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build();
    private DiffIndexAdmin admin;

    @BeforeEach
    void createTable() throws IOException {
        setFamily(ColumnFamilyDescriptorBuilder.of("f"));
        admin = new DiffIndexAdmin(master.connection);
    }

    private void setFamily(ColumnFamilyDescriptor family) {
        master.tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(family)
                        .build());
    }

    private void activate() throws IOException {
        assertThat(IndexStates.activate(
                        master.admin,
                        INDEX_TABLE,
                        admin.describeIndex(FLIGHTS, "by_origin").id(),
                        FakeMaster.TOTALS))
                .isTrue();
    }

    /** The master makes the index ACTIVE just after the creation has seen that it is BUILDING. */
    @Test
    void aCreationThatFindsTheIndexBuildingLeavesOneThatBecomesActiveAsItIs() throws IOException {
        admin.beginIndex(byOrigin);
        AtomicBoolean isSeen = new AtomicBoolean();
        when(master.admin.getDescriptor(INDEX_TABLE)).thenAnswer(call -> {
            TableDescriptor found = master.tables.get(INDEX_TABLE);
            if (isSeen.compareAndSet(false, true)) {
                activate();
            }
            return found;
        });
        Throwable unused = catchThrowable(() -> admin.createIndex(byOrigin));
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
        assertThat(master.tables.get(INDEX_TABLE).hasColumnFamily(BuildFamily.NAME))
                .as("an index that is ACTIVE has the family of a build")
                .isFalse();
    }

    /** The keys of base rows are in the record of the build, and values of cells in the messages of its failures. */
    @Test
    void whatABuildRemembersOfAnEncryptedTableIsEncrypted() throws IOException {
        setFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                .setEncryptionType("AES")
                .build());
        admin.beginIndex(byOrigin);
        assertThat(master.tables
                        .get(INDEX_TABLE)
                        .getColumnFamily(Bytes.toBytes("i"))
                        .getEncryptionType())
                .isEqualTo("AES");
        assertThat(master.tables
                        .get(INDEX_TABLE)
                        .getColumnFamily(BuildFamily.NAME)
                        .getEncryptionType())
                .isEqualTo("AES");
    }

    /** While this creation waits for a builder, another one takes its table for remains, and deletes it. */
    @Test
    void aCreationWhoseIndexTableIsDeletedDoesNotSayThatTheBaseTableIsMissing() throws IOException {
        Table gone = mock(Table.class);
        when(gone.exists(any(Get.class))).thenThrow(new TableNotFoundException(INDEX_TABLE));
        master.after(CREATE, () -> {
            master.tables.remove(INDEX_TABLE);
            when(master.connection.getTable(INDEX_TABLE)).thenReturn(gone);
        });
        assertThatThrownBy(() -> admin.createIndex(byOrigin))
                .isNotInstanceOf(TableNotFoundException.class)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Index by_origin on ns:flights could not be created");
    }

    /** Another access coprocessor than HBase's does not give the creator of a table all permissions on it. */
    @Test
    void aUserWhoMayNotReadTheIndexTableIsNotToldThatNoMasterBuilds() throws IOException {
        master.configuration.setLong(DefinitionEntry.BUILDER_MS_KEY, 100);
        Table unreadable = mock(Table.class);
        when(unreadable.exists(any(Get.class))).thenThrow(new AccessDeniedException("no"));
        when(master.connection.getTable(INDEX_TABLE)).thenReturn(unreadable);
        Throwable failure = catchThrowable(() -> admin.beginIndex(byOrigin));
        assertThat(failure == null ? "" : failure.getMessage()).doesNotContain("no master builds it");
    }

    /** Nothing is built before the definition is entered. */
    @Test
    void anInterruptedWaitForABuilderDoesNotSayThatTheIndexIsBuilt() {
        master.isBuilder = false;
        master.after(CREATE, () -> Thread.currentThread().interrupt());
        Throwable failure = catchThrowable(() -> admin.beginIndex(byOrigin));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure).hasMessageNotContaining("the master goes on building the index");
    }

    @Test
    void aBuildThatHasEndedMeanwhileIsNotCancelled() throws IOException {
        admin.beginIndex(byOrigin);
        master.before("modify ns:flights.by_origin DROPPING", this::activate);
        assertThatThrownBy(() -> admin.builds().cancel(FLIGHTS, "by_origin"))
                .hasMessageContaining("neither BUILDING nor BROKEN");
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
    }

    /** Nobody stands still, and nothing is complete. */
    @Test
    void anIndexThatAClientOfAnEarlierVersionBuildsIsNeitherPausedNorComplete() throws IOException {
        admin.beginIndex(byOrigin);
        master.tables.computeIfPresent(INDEX_TABLE, (name, own) -> BuildFamily.remove(own));
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.BUILDING);
        assertThatThrownBy(() -> {
                    BuildStatus status = admin.builds().pause(FLIGHTS, "by_origin");
                    throw new AssertionError("told as success: " + status);
                })
                .isInstanceOf(IOException.class);
    }

    /** Another user with CREATE on the base table may see neither the index table's descriptor nor its rows. */
    @Test
    void aUserWhoMayNotSeeTheIndexTableIsNotToldThatItIsMissing() throws IOException {
        admin.createIndex(byOrigin);
        when(master.admin.getDescriptor(INDEX_TABLE)).thenThrow(new AccessDeniedException("no"));
        assertThatThrownBy(() -> admin.builds().cancel(FLIGHTS, "by_origin"))
                .hasMessageNotContaining("without a table");
    }

    @Test
    void aUserWhoMayNotSeeTheIndexTableIsNotToldThatAnActiveIndexIsNot() throws IOException {
        admin.createIndex(byOrigin);
        when(master.admin.getDescriptor(INDEX_TABLE)).thenAnswer(call -> {
            throw new AccessDeniedException("no");
        });
        Throwable failure = catchThrowable(() -> admin.awaitIndex(FLIGHTS, "by_origin", BuildListener.NONE));
        assertThat(failure).isNull();
    }

    /** Otherwise the index stays BUILDING for ever, and so does a wait for it. */
    @Test
    void anIndexOfAnEarlierVersionIsNotContinuedWhereNoMasterBuilds() throws IOException {
        admin.beginIndex(byOrigin);
        master.tables.computeIfPresent(INDEX_TABLE, (name, own) -> BuildFamily.remove(own));
        master.isBuilder = false;
        master.configuration.setLong(DefinitionEntry.BUILDER_MS_KEY, 0);
        assertThatThrownBy(() -> admin.beginIndex(byOrigin)).hasMessageContaining("no master builds it");
    }

    /** The commands print the first line of a message. That of a server's exception is followed by its stack trace. */
    @Test
    void theFirstLineOfTheFailureOfARefusedReadSaysHowFarTheBuildIs() {
        IndexCatalog catalog = new IndexCatalog(FLIGHTS, () -> TableIndexes.NONE);
        FailedReads failed =
                new FailedReads(catalog, byOrigin, () -> Optional.of(BuildStatus.complete(FakeMaster.TOTALS)));
        IOException refusal = new RemoteException(
                        IndexNotReadableException.class.getName(), ofServer("Nothing was read: it is BUILDING"))
                .unwrapRemoteException(IndexNotReadableException.class);
        assertThat(firstLine(failed.exceptionFor(refusal))).contains("Its build: 18 entries written");
    }

    @Test
    void theFirstLineOfTheFailureOfAWaitSaysWhatIsTrueAndWhatToDo() {
        master.before(
                "build ns:flights.by_origin",
                () -> master.problem = Optional.of("A call failed: " + ofServer("a row would not expire")));
        assertThat(firstLine(catchThrowable(() -> admin.createIndex(byOrigin))))
                .contains("a row would not expire")
                .contains("create it again");
    }

    /** Returns a message as HBase's client gets it from a server. */
    private static String ofServer(String message) {
        return "org.example.SomeException: " + message + "\n\tat org.example.Server.call(Server.java:1)\n";
    }

    private static String firstLine(Throwable failure) {
        return failure.getMessage().lines().findFirst().orElse("");
    }
}
