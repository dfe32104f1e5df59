package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.PleaseHoldException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.diffindex.model.SchemeState;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the master refuses what would separate a base table from its index, and nothing else. */
class IndexMasterObserverTest {
    private static final IndexDefinition INDEX =
            Flights.byOrigin(IndexScheme.SYNC_FULL).withId("id-1");
    private static final String NAME = INDEX.name();
    private static final SnapshotDescription SNAPSHOT = new SnapshotDescription("snapshot", Flights.TABLE);

    private final Configuration conf = new Configuration(false);
    private final IndexMasterObserver observer = new IndexMasterObserver();
    private FSTableDescriptors tables;
    private ObserverContext<MasterCoprocessorEnvironment> context;

    private MasterCoprocessorEnvironment env;
    private final Connection connection = mock();
    private final Admin admin = mock();

    @BeforeEach
    void startMaster(@TempDir Path root) throws IOException {
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
        tables = new FSTableDescriptors(conf);
        env = mock();
        when(env.getConfiguration()).thenReturn(conf);
        when(env.getServerName()).thenReturn(ServerName.valueOf("master", 1, 1));
        when(env.getConnection()).thenReturn(connection);
        when(connection.getAdmin()).thenReturn(admin);
        when(admin.getDescriptor(any()))
                .thenAnswer(call -> Optional.ofNullable(tables.get(call.<TableName>getArgument(0)))
                        .orElseThrow(() -> new TableNotFoundException(call.<TableName>getArgument(0))));
        doAnswer(call -> modify(call.getArgument(0))).when(admin).modifyTable(any(TableDescriptor.class));
        context = mock();
        when(context.getEnvironment()).thenReturn(env);
        observer.start(env);
        tables.update(plain());
        tables.update(indexTable());
    }

    private static TableDescriptor plain() throws IOException {
        return TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Flights.F))
                .setCoprocessor(IndexObserver.class.getName())
                .build();
    }

    private static TableDescriptor indexTable() throws IOException {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(INDEX.indexTable())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(EntryFormat.FAMILY))
                .setCoprocessor(IndexTableGuard.class.getName());
        return IndexDefinitions.markIndexTable(builder, INDEX, IndexState.BUILDING)
                .build();
    }

    /** Modifies a table as the master does: calls both hooks, then stores the descriptor. */
    private TableDescriptor modify(TableDescriptor changed) throws IOException {
        TableDescriptor current = tables.get(changed.getTableName());
        TableDescriptor admitted = observer.preModifyTable(context, changed.getTableName(), current, changed);
        observer.preModifyTableAction(context, changed.getTableName(), current, admitted);
        tables.update(admitted);
        return admitted;
    }

    private void index() throws IOException {
        modify(IndexDefinitions.with(tables.get(Flights.TABLE), INDEX));
    }

    private static TableDescriptor with(TableDescriptor descriptor, String key, String value) {
        return TableDescriptorBuilder.newBuilder(descriptor)
                .setValue(key, value)
                .build();
    }

    private void refused(ThrowingCallable call, String... reasons) throws IOException {
        TableDescriptor before = tables.get(Flights.TABLE);
        assertThatThrownBy(call)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was changed")
                .hasMessageContainingAll(reasons);
        assertThat(tables.get(Flights.TABLE)).isEqualTo(before);
    }

    @Test
    void refusesTheOperationIfAClassCannotBeLoaded() throws IOException {
        when(context.getEnvironment()).thenThrow(new NoClassDefFoundError("org/diffindex/model/Missing"));
        refused(
                () -> observer.preModifyTable(context, Flights.TABLE, plain(), plain()),
                "org/diffindex/model/Missing",
                "restart");
    }

    private static RegionInfo regionOf(TableName table) {
        return RegionInfoBuilder.newBuilder(table).build();
    }

    @Test
    void refusesToTruncateARegionOfAnIndex() throws IOException {
        index();
        RegionInfo region = regionOf(INDEX.indexTable());
        refused(() -> observer.preTruncateRegion(context, region), "table of index " + NAME);
        refused(() -> observer.preTruncateRegionAction(context, region), "table of index " + NAME);
    }

    /** Readers would see rows that are gone, until the master has built the index. */
    @Test
    void theIndexesOfATableThatIsTruncatedAreRebuilt() throws IOException {
        indexActive();
        observer.preTruncateTable(context, Flights.TABLE);
        assertThat(IndexDefinitions.stateOf(own()))
                .as("the table may still be enabled, so that HBase refuses")
                .isEqualTo(IndexState.ACTIVE);
        observer.preTruncateTableAction(context, Flights.TABLE);
        assertThat(own()).matches(Rebuild::isDue, "is to be rebuilt");
        assertThat(IndexDefinitions.stateOf(own())).isEqualTo(IndexState.BUILDING);
        assertThat(IndexDefinitions.keptIn(own()))
                .contains(IndexDefinitions.texts(tables.get(Flights.TABLE)).get(NAME));
    }

    @Test
    void theIndexesOfATableOfWhichARegionIsTruncatedAreRebuilt() throws IOException {
        indexActive();
        observer.preTruncateRegion(context, regionOf(Flights.TABLE));
        observer.preTruncateRegionAction(context, regionOf(Flights.TABLE));
        assertThat(own()).matches(Rebuild::isDue, "is to be rebuilt");
    }

    /** They are emptied when they are enabled, or gone. */
    @Test
    void anIndexThatNobodyReadsIsLeftAsItIs() throws IOException {
        index();
        TableDescriptor disabled = modify(IndexDefinitions.disabled(own(), "the definition"));
        observer.preTruncateTableAction(context, Flights.TABLE);
        assertThat(own()).isEqualTo(disabled);
    }

    @Test
    void aTableWhoseIndexCannotBeMarkedIsNotTruncated() throws IOException {
        indexActive();
        doThrow(new IOException("no region server")).when(admin).modifyTable(any(TableDescriptor.class));
        assertThatThrownBy(() -> observer.preTruncateTableAction(context, Flights.TABLE))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContainingAll("no row was changed", "could not be marked: no region server");
    }

    private TableDescriptor own() throws IOException {
        return tables.get(INDEX.indexTable());
    }

    private void indexActive() throws IOException {
        index();
        modify(IndexDefinitions.withState(own(), IndexState.ACTIVE));
    }

    @Test
    void allowsEveryOperationOnATableWithoutIndexes() throws IOException {
        assertThatCode(() -> {
                    observer.preTruncateRegion(
                            context, RegionInfoBuilder.newBuilder(Flights.TABLE).build());
                    observer.preTruncateTable(context, Flights.TABLE);
                    observer.preRestoreSnapshot(context, SNAPSHOT, plain());
                    observer.preCloneSnapshot(context, SNAPSHOT, plain());
                    observer.preDeleteTable(context, Flights.TABLE);
                    modify(with(plain(), "owner", "somebody"));
                })
                .doesNotThrowAnyException();
    }

    @Test
    void refusesToRestoreASnapshotOfOtherIndexes() throws IOException {
        index();
        refused(
                () -> observer.preRestoreSnapshot(context, SNAPSHOT, plain()),
                "had the indexes [] then, and has [" + NAME,
                "Drop those");
        TableDescriptor ofAnother = IndexDefinitions.with(
                plain(), Flights.byOrigin(IndexScheme.ASYNC_SIMPLE).withId("id-1"));
        refused(() -> observer.preRestoreSnapshot(context, SNAPSHOT, ofAnother), "had the indexes [", "async-simple");
    }

    @Test
    void refusesToRestoreIndexesThatTheTableHasNotAnyMore() throws IOException {
        TableDescriptor indexed = IndexDefinitions.with(plain(), INDEX);
        refused(() -> observer.preRestoreSnapshot(context, SNAPSHOT, indexed), "and has [] now");
    }

    /** Entries and rows would expire at different times. */
    @Test
    void refusesToRestoreWhatTheTableMayNotBecome() throws IOException {
        index();
        TableDescriptor expiring = TableDescriptorBuilder.newBuilder(tables.get(Flights.TABLE))
                .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Flights.F)
                        .setTimeToLive(60)
                        .build())
                .build();
        refused(() -> observer.preRestoreSnapshot(context, SNAPSHOT, expiring), "TTL");
    }

    @Test
    void theIndexesOfATableThatIsRestoredAreRebuiltAlsoUnderTheirIdsOfThen() throws IOException {
        indexActive();
        TableDescriptor restored = IndexDefinitions.with(plain(), INDEX.withId("id-0"));
        observer.preRestoreSnapshot(context, SNAPSHOT, restored);
        assertThat(own()).matches(Rebuild::isDue, "is to be rebuilt");
        assertThat(IndexDefinitions.keptIn(own()))
                .contains(IndexDefinitions.texts(tables.get(Flights.TABLE)).get(NAME));
    }

    /** The definition that is entered again would not fit the table. */
    @Test
    void refusesWhatWouldDamageAnIndexWhoseDefinitionIsEnteredAgainSoon() throws IOException {
        index();
        modify(Rebuild.ordered(own(), "the definition"));
        TableDescriptor lacking = modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        String reason = "rebuilds its indexes [" + NAME + "]";
        refused(() -> modify(with(lacking, "owner", "somebody")), reason);
        refused(() -> modify(IndexDefinitions.forgettingRevision(lacking)), reason);
        refused(() -> observer.preModifyTableAction(context, Flights.TABLE, lacking, with(lacking, "a", "b")), reason);
        refused(() -> observer.preDeleteTable(context, Flights.TABLE), reason);
        refused(() -> observer.preDeleteTableAction(context, Flights.TABLE), reason);
        refused(() -> observer.preRestoreSnapshot(context, SNAPSHOT, plain()), reason);
        TableDescriptor another = IndexDefinitions.with(
                lacking, Flights.byOriginAndDate(IndexScheme.SYNC_FULL).withId("id-3"));
        TableDescriptor unobserved = TableDescriptorBuilder.newBuilder(another)
                .removeCoprocessor(IndexObserver.class.getName())
                .build();
        assertThatThrownBy(() -> PendingRebuilds.requireNone(lacking, unobserved, new StoredTables(conf)))
                .hasMessageContaining(reason);
        assertThatCode(() -> PendingRebuilds.requireNone(lacking, another, new StoredTables(conf)))
                .doesNotThrowAnyException();
        modify(IndexDefinitions.with(lacking, INDEX));
        modify(with(tables.get(Flights.TABLE), "owner", "somebody"));
    }

    /** HBase deletes its folder, and makes it again. */
    @Test
    void theTableOfAnIndexIsSeenWhileItIsTruncated() throws IOException {
        index();
        modify(Rebuild.ordered(own(), "the definition"));
        TableDescriptor lacking = modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        observer.preTruncateTableAction(context, INDEX.indexTable());
        tables.remove(INDEX.indexTable());
        refused(() -> modify(with(lacking, "owner", "somebody")), "rebuilds its indexes [" + NAME + "]");
        tables.update(plain()); // the definition was its only one, and its revision is forgotten
        refused(() -> observer.preDeleteTable(context, Flights.TABLE), NAME, "DISABLED", "drop them first");
        observer.preDeleteTableAction(context, INDEX.indexTable());
        observer.preDeleteTable(context, Flights.TABLE);
    }

    /** The master begins the rebuild at once. */
    @Test
    void restoresATableWhoseRebuildHasBegunWhileReadersAreRefused() throws IOException {
        indexActive();
        TableDescriptor restored = tables.get(Flights.TABLE);
        doAnswer(call -> {
                    modify(call.getArgument(0));
                    return modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        observer.preRestoreSnapshot(context, SNAPSHOT, restored);
        assertThat(own()).matches(Rebuild::isDue, "is to be rebuilt");
    }

    /** HBase holds no lock while readers are refused. */
    @Test
    void refusesToRestoreATableWhoseIndexIsDroppedWhileReadersAreRefused() throws IOException {
        index();
        TableDescriptor restored = tables.get(Flights.TABLE);
        doAnswer(call -> {
                    tables.update(call.getArgument(0));
                    tables.remove(INDEX.indexTable());
                    tables.update(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        assertThatThrownBy(() -> observer.preRestoreSnapshot(context, SNAPSHOT, restored))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("[" + NAME + "] were created, changed, disabled or dropped meanwhile");
        tables.remove(Flights.TABLE);
        assertThatThrownBy(() -> observer.preRestoreSnapshot(context, SNAPSHOT, restored))
                .hasMessageContaining("its descriptor is missing");
    }

    /** The snapshot has the scheme of before, with which the index would come back. */
    @Test
    void refusesToRestoreATableWhoseSchemeIsChangedWhileReadersAreRefused() throws IOException {
        indexActive();
        TableDescriptor restored = tables.get(Flights.TABLE);
        IndexDefinition changed = INDEX.withScheme(IndexScheme.ASYNC_SIMPLE).withChange("c");
        doAnswer(call -> {
                    tables.update(IndexDefinitions.with(tables.get(Flights.TABLE), changed));
                    return modify(call.getArgument(0));
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        assertThatThrownBy(() -> observer.preRestoreSnapshot(context, SNAPSHOT, restored))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("[" + NAME + "] were created, changed, disabled or dropped meanwhile");
        assertThat(IndexDefinitions.keptIn(own()).orElseThrow())
                .isEqualTo(IndexDefinitions.texts(tables.get(Flights.TABLE)).get(NAME));
    }

    @Test
    void refusesToRestoreOrCloneASnapshotOfAnIndex() throws IOException {
        for (TableDescriptor descriptor : new TableDescriptor[] {
            indexTable(), TableDescriptorBuilder.copy(TableName.valueOf("other"), indexTable())
        }) {
            refused(
                    () -> observer.preRestoreSnapshot(context, SNAPSHOT, descriptor),
                    "Restore a snapshot of the base table instead");
            refused(
                    () -> observer.preCloneSnapshot(context, SNAPSHOT, descriptor),
                    "Clone a snapshot of the base table instead");
        }
    }

    /** The table had the name before it was that of an index. */
    @Test
    void refusesToRestoreASnapshotOverAnIndex() throws IOException {
        index();
        TableDescriptor before = TableDescriptorBuilder.copy(INDEX.indexTable(), plain());
        refused(() -> observer.preRestoreSnapshot(context, SNAPSHOT, before), "table of index " + NAME);
    }

    @Test
    void aCloneOfASnapshotHasNoIndexes() throws IOException {
        index();
        TableDescriptor clone =
                TableDescriptorBuilder.copy(TableName.valueOf("clone"), with(tables.get(Flights.TABLE), "owner", "me"));
        observer.preCloneSnapshot(context, SNAPSHOT, clone);
        assertThat(IndexDefinitions.definesAny(clone)).isFalse();
        assertThat(clone.hasCoprocessor(IndexObserver.class.getName())).isFalse();
        assertThat(IndexDefinitions.revisionOf(clone)).isZero();
        assertThat(clone.getValue("owner")).isEqualTo("me");
    }

    /** Another version of HBase may hand over another kind of descriptor. */
    @Test
    void refusesToCloneASnapshotWhoseIndexesCannotBeRemoved() throws IOException {
        TableDescriptor fixed = mock(TableDescriptor.class, delegatesTo(IndexDefinitions.with(plain(), INDEX)));
        refused(() -> observer.preCloneSnapshot(context, SNAPSHOT, fixed), "does not let them be removed");
    }

    @Test
    void refusesToCreateATableFromADescriptorThatCopiesIndexes() throws IOException {
        index();
        TableDescriptor copy = TableDescriptorBuilder.copy(TableName.valueOf("copy"), tables.get(Flights.TABLE));
        refused(() -> observer.preCreateTable(context, copy, null), "copy." + NAME + " is not the table of this index");
    }

    @Test
    void refusesADescriptorFromBeforeTheIndex() throws IOException {
        TableDescriptor read = tables.get(Flights.TABLE);
        index();
        refused(
                () -> modify(with(read, "owner", "somebody")),
                "[" + NAME + "]",
                "read the table's descriptor again",
                "drop-index");
    }

    @Test
    void refusesADescriptorFromBeforeTheDropOfTheIndex() throws IOException {
        index();
        TableDescriptor read = tables.get(Flights.TABLE);
        modify(IndexDefinitions.without(read, NAME));
        refused(() -> modify(read), "[" + NAME + "]", "revision");
        tables.update(IndexDefinitions.withState(indexTable(), IndexState.ACTIVE));
        refused(
                () -> modify(IndexDefinitions.with(tables.get(Flights.TABLE), INDEX)),
                "is ACTIVE, and lacks what was written before",
                "create the index");
    }

    /** The client has stalled; meanwhile all indexes were dropped, the revision was removed, and one was created. */
    @Test
    void refusesALateDropOfAnIndexThatWasCreatedAgain() throws IOException {
        TableDescriptor bare = tables.get(Flights.TABLE);
        index();
        TableDescriptor late = IndexDefinitions.without(tables.get(Flights.TABLE), NAME);
        modify(late);
        modify(bare);
        index();
        refused(() -> modify(late), "[" + NAME + "]", "revision");
    }

    @Test
    void aChangeThatDoesNotConcernTheIndexesKeepsTheirRevision() throws IOException {
        index();
        TableDescriptor read = tables.get(Flights.TABLE);
        TableDescriptor unset = IndexDefinitions.withRevision(with(read, "owner", "somebody"), 0);
        assertThat(IndexDefinitions.revisionOf(modify(unset))).isEqualTo(IndexDefinitions.revisionOf(read));
    }

    @Test
    void theRevisionOutlivesTheLastIndex() throws IOException {
        TableDescriptor before = tables.get(Flights.TABLE);
        TableDescriptor building = modify(IndexDefinitions.with(before, INDEX));
        TableDescriptor dropped = modify(IndexDefinitions.without(building, NAME));
        assertThat(dropped).isEqualTo(IndexDefinitions.withRevision(before, IndexDefinitions.revisionOf(dropped)));
        assertThat(IndexDefinitions.isNextOf(building, dropped)).isTrue();
        assertThat(modify(with(dropped, "owner", "somebody"))).isEqualTo(with(dropped, "owner", "somebody"));
        refused(() -> modify(building), "revision");
        assertThat(modify(before))
                .as("a descriptor without the revision that changes something else")
                .isEqualTo(IndexDefinitions.withRevision(before, IndexDefinitions.revisionOf(dropped)));
        assertThat(modify(before)).isEqualTo(before);
        tables.remove(INDEX.indexTable());
        refused(() -> modify(building), "is not the table of this index");
    }

    /**
     * Acts as the master once it holds the table's lock: it passes the present descriptor as the one before the change.
     */
    private void act(TableDescriptor admitted) throws IOException {
        TableDescriptor present = tables.get(Flights.TABLE);
        observer.preModifyTableAction(context, Flights.TABLE, present, admitted);
        tables.update(admitted);
    }

    private TableDescriptor admit(TableDescriptor changed) throws IOException {
        return observer.preModifyTable(context, Flights.TABLE, tables.get(Flights.TABLE), changed);
    }

    @Test
    void refusesAChangeThatWaitedForTheLockDuringACreation() throws IOException {
        TableDescriptor read = tables.get(Flights.TABLE);
        TableDescriptor one = admit(IndexDefinitions.with(read, INDEX));
        TableDescriptor other = admit(with(read, "owner", "somebody"));
        act(one);
        refused(() -> act(other), "changed meanwhile");
    }

    @Test
    void refusesTheSecondOfTwoCreationsThatWaitedForTheLock() throws IOException {
        IndexDefinition second = IndexDefinition.builder(Flights.TABLE, "second")
                .column(INDEX.keyColumns().get(0))
                .build()
                .withId("id-second");
        tables.update(IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(second.indexTable())
                                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(EntryFormat.FAMILY)),
                        second,
                        IndexState.BUILDING)
                .build());
        TableDescriptor read = tables.get(Flights.TABLE);
        TableDescriptor one = admit(IndexDefinitions.with(read, INDEX));
        TableDescriptor other = admit(IndexDefinitions.with(read, second));
        act(one);
        refused(() -> act(other), "changed meanwhile");
    }

    private TableDescriptor withFamily(String name) throws IOException {
        return TableDescriptorBuilder.newBuilder(tables.get(Flights.TABLE))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(name))
                .build();
    }

    /** HBase would delete the family with its cells. */
    @Test
    void refusesACreationThatWaitedForTheLockWhileAFamilyWasAdded() throws IOException {
        TableDescriptor creation = admit(IndexDefinitions.with(tables.get(Flights.TABLE), INDEX));
        act(admit(withFamily("g")));
        refused(() -> act(creation), "[column family g]", "read the table's descriptor again");
        act(admit(IndexDefinitions.with(tables.get(Flights.TABLE), INDEX)));
    }

    @Test
    void refusesADropThatWaitedForTheLockWhileAFamilyWasAdded() throws IOException {
        index();
        TableDescriptor drop = admit(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        act(admit(withFamily("g")));
        refused(() -> act(drop), "[column family g]");
        act(admit(IndexDefinitions.without(tables.get(Flights.TABLE), NAME)));
        assertThat(tables.get(Flights.TABLE).getColumnFamilyNames()).hasSize(2);
    }

    /** The families of an `alter` after the first drop would be deleted with their cells. */
    @Test
    void refusesTheSecondOfTwoDropsIfAFamilyWasAddedAfterTheFirst() throws IOException {
        index();
        TableDescriptor first = admit(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        TableDescriptor late = IndexDefinitions.without(tables.get(Flights.TABLE), NAME);
        TableDescriptor waiting = admit(late);
        act(first);
        act(admit(withFamily("g")));
        refused(() -> admit(late), "changed meanwhile");
        refused(() -> act(waiting), "changed meanwhile");
        assertThat(tables.get(Flights.TABLE).getColumnFamilyNames()).hasSize(2);
    }

    /** The last step of a drop was late. */
    @Test
    void refusesToRemoveTheRevisionIfAFamilyWasAddedMeanwhile() throws IOException {
        index();
        TableDescriptor dropped = modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        TableDescriptor late = IndexDefinitions.forgettingRevision(dropped);
        TableDescriptor waiting = admit(late);
        act(admit(withFamily("g")));
        refused(() -> admit(late), "[column family g]");
        refused(() -> act(waiting), "[column family g]");
        act(admit(IndexDefinitions.forgettingRevision(tables.get(Flights.TABLE))));
        assertThat(tables.get(Flights.TABLE))
                .isEqualTo(IndexDefinitions.withoutAny(tables.get(Flights.TABLE)))
                .isEqualTo(TableDescriptorBuilder.newBuilder(plain())
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("g"))
                        .build());
    }

    /** HBase then answers that there is no such table. */
    @Test
    void leavesTheChangeOfATableThatDoesNotExistToHBase() throws IOException {
        TableDescriptor missing = TableDescriptorBuilder.copy(TableName.valueOf("missing"), tables.get(Flights.TABLE));
        assertThat(observer.preModifyTable(context, missing.getTableName(), null, missing))
                .isEqualTo(missing);
        assertThatCode(() -> observer.preModifyTableAction(context, missing.getTableName(), null, missing))
                .doesNotThrowAnyException();
    }

    @Test
    void refusesACreationWhoseTableWasDeletedWhileItWaitedForTheLock() throws IOException {
        TableDescriptor one = admit(IndexDefinitions.with(tables.get(Flights.TABLE), INDEX));
        tables.remove(INDEX.indexTable());
        refused(() -> act(one), "is not the table of this index");
    }

    @Test
    void refusesAChangeThatWaitedForTheLockDuringADrop() throws IOException {
        index();
        TableDescriptor read = tables.get(Flights.TABLE);
        TableDescriptor drop = admit(IndexDefinitions.without(read, NAME));
        TableDescriptor other = admit(with(read, "owner", "somebody"));
        act(drop);
        refused(() -> act(other), "changed meanwhile");
    }

    /** The master, or a server to which a region moves, would leave out what the format asks for. */
    @Test
    void refusesTablesOfALaterFormat() throws IOException {
        TableDescriptor later = with(tables.get(INDEX.indexTable()), "diffindex.format", "2");
        refused(
                () -> observer.preCreateTable(context, later, new RegionInfo[0]),
                "cannot have an index of format 2",
                "the master knows formats up to 1");
        refused(() -> modify(later), "cannot have an index of format 2");
        tables.update(later);
        refused(() -> modify(without(later, "diffindex.format")), "its format would change");
        refused(this::index, "is not the table of this index");
        modify(IndexDefinitions.withState(later, IndexState.DROPPING));
    }

    @Test
    void refusesToTurnAnIndexIntoAnother() throws IOException {
        index();
        TableDescriptor current = tables.get(Flights.TABLE);
        refused(
                () -> modify(IndexDefinitions.with(current, INDEX.withId("id-2"))),
                "[by_origin-sync-full]",
                "dropped or disabled since");
        IndexDefinition other = INDEX.withScheme(IndexScheme.ASYNC_SIMPLE);
        refused(() -> modify(IndexDefinitions.with(current, other)), "cannot be replaced", "async-simple has begun");
        SchemeState begun = begin(IndexScheme.ASYNC_SIMPLE, "c1");
        IndexDefinition otherColumn = IndexDefinition.builder(Flights.TABLE, NAME)
                .column("f", "another", ColumnTypes.STRING)
                .scheme(IndexScheme.ASYNC_SIMPLE)
                .build()
                .withId(INDEX.id())
                .withChange(begun.change());
        refused(() -> modify(IndexDefinitions.with(current, otherColumn)), "another one", "f:another");
    }

    /** Begins a change of the scheme in the table of the index, which becomes ACTIVE. */
    private SchemeState begin(IndexScheme next, String change) throws IOException {
        TableDescriptor own = tables.get(INDEX.indexTable());
        SchemeState begun = SchemeState.begin(IndexDefinitions.schemeStateOf(own), INDEX.scheme(), next, change);
        modify(IndexDefinitions.withSchemeState(own, begun));
        return begun;
    }

    private TableDescriptor by(SchemeState change) throws IOException {
        IndexDefinition changed = INDEX.withScheme(change.next().orElseThrow()).withChange(change.change());
        return IndexDefinitions.with(tables.get(Flights.TABLE), changed);
    }

    /** Otherwise a reader that does not check its entries might read those that the writes leave. */
    @Test
    void theSchemeIsChangedOnlyByTheChangeThatHasBegun() throws IOException {
        index();
        SchemeState first = begin(IndexScheme.SYNC_INSERT, "c1");
        TableDescriptor late = by(first);
        SchemeState second = begin(IndexScheme.ASYNC_SIMPLE, "c2");
        refused(() -> modify(late), "cannot be replaced", "another change has taken its place");
        modify(by(second));
        refused(() -> modify(by(first)), "another change has taken its place");
        assertThat(IndexDefinitions.of(tables.get(Flights.TABLE)).get(NAME).scheme())
                .isEqualTo(IndexScheme.ASYNC_SIMPLE);
        modify(IndexDefinitions.withSchemeState(tables.get(INDEX.indexTable()), second.completed()));
        refused(() -> modify(by(first)), "no change of its scheme to sync-insert has begun");
    }

    @Test
    void aChangeOfTheSchemeWhosePlaceWasTakenWhileItWaitedForTheLockIsRefused() throws IOException {
        index();
        TableDescriptor admitted = admit(by(begin(IndexScheme.SYNC_INSERT, "c1")));
        begin(IndexScheme.SYNC_FULL, "c2");
        refused(() -> act(admitted), "another change has taken its place");
    }

    private static final IndexDefinition SHADOW = IndexDefinition.builder(Flights.TABLE, NAME)
            .column("f", "another", ColumnTypes.STRING)
            .build()
            .asShadowOf(INDEX)
            .withId("id-2");

    private static TableDescriptor tableOf(IndexDefinition index) throws IOException {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(index.indexTable())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(EntryFormat.FAMILY))
                .setCoprocessor(IndexTableGuard.class.getName());
        return IndexDefinitions.markIndexTable(builder, index, IndexState.BUILDING)
                .build();
    }

    private void activate(IndexDefinition index) throws IOException {
        modify(IndexDefinitions.withState(tables.get(index.indexTable()), IndexState.ACTIVE));
    }

    private TableDescriptor define(IndexDefinition... definitions) throws IOException {
        return IndexDefinitions.withAll(tables.get(Flights.TABLE), List.of(definitions));
    }

    /** The change of the descriptor by which readers go over to the shadow. */
    private TableDescriptor switched() throws IOException {
        return define(SHADOW.withRole(IndexRole.IN_SERVICE), INDEX.withRole(IndexRole.RETIRED));
    }

    private void enterShadow() throws IOException {
        index();
        activate(INDEX);
        tables.update(tableOf(SHADOW));
        modify(define(SHADOW));
    }

    @Test
    void readersGoOverToAShadowThatIsActive() throws IOException {
        enterShadow();
        refused(() -> modify(switched()), "cannot go over to its new columns", "is BUILDING, not ACTIVE");
        activate(SHADOW);
        modify(switched());
        assertThat(IndexDefinitions.of(tables.get(Flights.TABLE))
                        .get(SHADOW.name())
                        .role())
                .isEqualTo(IndexRole.IN_SERVICE);
        refused(
                () -> modify(define(SHADOW, INDEX)),
                "changes the roles of the indexes",
                "not just those of one index and its shadow");
    }

    /** A drop, a disabling or a rebuild has begun in the table of one of them, after the change was admitted. */
    @Test
    void readersDoNotGoOverIfOneOfTheTwoIsNotActiveUnderTheLock() throws IOException {
        enterShadow();
        activate(SHADOW);
        TableDescriptor admitted = admit(switched());
        TableDescriptor active = tables.get(INDEX.indexTable());
        modify(IndexDefinitions.withState(active, IndexState.DROPPING));
        refused(() -> act(admitted), INDEX.indexTable() + " is DROPPING, not ACTIVE");
        tables.update(active);
        tables.remove(SHADOW.indexTable());
        refused(() -> act(admitted), "it is of an index of that name that was dropped");
    }

    @Test
    void readersGoOverByAChangeOfNothingElse() throws IOException {
        enterShadow();
        activate(SHADOW);
        IndexDefinition second = SHADOW.withRole(IndexRole.IN_SERVICE);
        IndexDefinition first = INDEX.withRole(IndexRole.RETIRED);
        IndexDefinition other = IndexDefinition.builder(Flights.TABLE, NAME)
                .column("f", "third", ColumnTypes.STRING)
                .build()
                .asShadowOf(INDEX)
                .withId("id-2")
                .withRole(IndexRole.IN_SERVICE);
        String reason = "changes the roles of the indexes";
        refused(() -> modify(define(second)), reason);
        refused(() -> modify(define(first)), reason);
        refused(() -> modify(define(other, first)), reason);
        refused(() -> modify(define(second.withChange("c"), first)), reason);
        refused(() -> modify(define(second, first.withId("id-3"))), "it is of an index of that name");
        modify(define(second, first));
    }

    private static void assertKept(TableDescriptor restored, TableDescriptor current) {
        assertThat(IndexDefinitions.texts(restored)).isEqualTo(IndexDefinitions.texts(current));
        assertThat(IndexDefinitions.isNextOf(current, restored))
                .as("the next revision")
                .isTrue();
    }

    private void assertRebuilt(IndexDefinition index) throws IOException {
        TableDescriptor own = tables.get(index.indexTable());
        assertThat(own).matches(Rebuild::isDue, "is to be rebuilt");
        assertThat(IndexDefinitions.parse(
                        Flights.TABLE,
                        index.name(),
                        IndexDefinitions.keptIn(own).orElseThrow()))
                .isEqualTo(index);
    }

    @Test
    void aSnapshotOfBeforeAChangeOfTheColumnsIsRestoredWithItsShadow() throws IOException {
        index();
        TableDescriptor snapshot = with(tables.get(Flights.TABLE), "owner", "then");
        activate(INDEX);
        tables.update(tableOf(SHADOW));
        modify(define(SHADOW));
        TableDescriptor current = tables.get(Flights.TABLE);
        observer.preRestoreSnapshot(context, SNAPSHOT, snapshot);
        assertKept(snapshot, current);
        assertThat(snapshot.getValue("owner")).isEqualTo("then");
        assertRebuilt(INDEX);
        assertRebuilt(SHADOW);
    }

    /** The change was cancelled since: nothing is left of the shadow that the snapshot defines. */
    @Test
    void aSnapshotOfTheMiddleOfAChangeOfTheColumnsIsRestoredWithoutTheShadow() throws IOException {
        enterShadow();
        TableDescriptor snapshot = tables.get(Flights.TABLE);
        modify(IndexDefinitions.without(snapshot, SHADOW.name()));
        tables.remove(SHADOW.indexTable());
        TableDescriptor current = tables.get(Flights.TABLE);
        observer.preRestoreSnapshot(context, SNAPSHOT, snapshot);
        assertKept(snapshot, current);
        assertRebuilt(INDEX);
    }

    @Test
    void aSnapshotOfOtherColumnsIsRefusedAndOneOfTheSameIsRestoredWhateverTheGeneration() throws IOException {
        enterShadow();
        TableDescriptor before = tables.get(Flights.TABLE);
        activate(SHADOW);
        modify(switched());
        TableDescriptor current = tables.get(Flights.TABLE);
        refused(
                () -> observer.preRestoreSnapshot(context, SNAPSHOT, before),
                "had the indexes [" + NAME + " on",
                "and has [" + SHADOW.name(),
                "change " + NAME + " back (bin/diffindex alter-index " + Flights.TABLE + " " + NAME
                        + " --columns f:origin:string --no-protected-cells --wait), ");
        TableDescriptor same = IndexDefinitions.with(
                plain(),
                IndexDefinition.builder(Flights.TABLE, NAME)
                        .column("f", "another", ColumnTypes.STRING)
                        .splitAt("G")
                        .build()
                        .withId("id-0"));
        observer.preRestoreSnapshot(context, SNAPSHOT, same);
        assertKept(same, current);
        assertRebuilt(INDEX.withRole(IndexRole.RETIRED));
        assertRebuilt(SHADOW.withRole(IndexRole.IN_SERVICE));
    }

    /** Otherwise the table would get back a shadow that is in service. */
    @Test
    void aSnapshotIsNotRestoredIfReadersGoOverWhileReadersAreRefused() throws IOException {
        enterShadow();
        activate(SHADOW);
        TableDescriptor snapshot = tables.get(Flights.TABLE);
        AtomicBoolean isSwitched = new AtomicBoolean();
        doAnswer(call -> {
                    if (!isSwitched.getAndSet(true)) {
                        tables.update(switched());
                    }
                    return modify(call.getArgument(0));
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        assertThatThrownBy(() -> observer.preRestoreSnapshot(context, SNAPSHOT, snapshot))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("[" + NAME + ", " + SHADOW.name() + "] were created, changed");
    }

    /** Another version of HBase may hand over another kind of descriptor. */
    @Test
    void refusesASnapshotWhoseDefinitionsCannotBeReplaced() throws IOException {
        enterShadow();
        TableDescriptor fixed = mock(TableDescriptor.class, delegatesTo(IndexDefinitions.with(plain(), INDEX)));
        refused(() -> observer.preRestoreSnapshot(context, SNAPSHOT, fixed), "does not let them be replaced");
    }

    /** The master has not started to follow permissions, so that it is asked again. */
    @Test
    void readersGoOverOnlyWhenTheyMayReadTheNewColumns() throws IOException {
        enterShadow();
        activate(SHADOW);
        activate(SHADOW);
        TableDescriptor again = IndexDefinitions.again(tables.get(SHADOW.indexTable()));
        conf.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, true);
        conf.set(CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY, AccessController.class.getName());
        assertThatThrownBy(() -> modify(switched())).isInstanceOf(PleaseHoldException.class);
        assertThatThrownBy(() -> modify(again)).isInstanceOf(PleaseHoldException.class);
        modify(IndexDefinitions.again(tables.get(INDEX.indexTable()))); // another table than the shadow's
        modify(with(tables.get(SHADOW.indexTable()), "owner", "somebody")); // which changes no state
        conf.setBoolean(IndexGrants.FOLLOW_KEY, false);
        modify(switched());
    }

    /** A client of an earlier build finds no index under the name, and another one may have looked before. */
    @Test
    void anIndexDoesNotGetTheNameOfOneWhoseLaterGenerationIsDisabled() throws IOException {
        enterShadow();
        activate(SHADOW);
        modify(switched());
        modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        tables.remove(INDEX.indexTable());
        TableDescriptor inService = tables.get(Flights.TABLE);
        modify(IndexDefinitions.disabled(
                tables.get(SHADOW.indexTable()),
                IndexDefinitions.texts(inService).get(SHADOW.name())));
        modify(IndexDefinitions.without(inService, SHADOW.name()));
        tables.update(indexTable());
        TableDescriptor admittedBefore = define(INDEX);
        refused(
                () -> modify(define(INDEX)),
                "cannot have the index " + NAME,
                "DISABLED or rebuilt, and whose table is " + SHADOW.indexTable());
        refused(() -> act(admittedBefore), "DISABLED or rebuilt");
        TableDescriptor enabled = IndexDefinitions.withState(tables.get(SHADOW.indexTable()), IndexState.BUILDING);
        modify(enabled);
        modify(define(SHADOW.withRole(IndexRole.IN_SERVICE))); // that one returns
    }

    @Test
    void aSchemeThatChangesMeanwhileIsNotLost() throws IOException {
        enterShadow();
        activate(SHADOW);
        TableDescriptor admitted = admit(switched());
        SchemeState begun = begin(IndexScheme.SYNC_INSERT, "c1");
        refused(() -> act(admitted), "a change of its scheme has begun");
        refused(() -> modify(by(begun)), "cannot be changed now", "a change of its columns has begun");
    }

    @Test
    void aSchemeThatWasChangedBeforeTheShadowIsEnteredIsNotLost() throws IOException {
        index();
        activate(INDEX);
        tables.update(tableOf(SHADOW));
        modify(by(begin(IndexScheme.SYNC_INSERT, "c1")));
        refused(() -> modify(define(SHADOW)), "it is to replace", "which another client has changed");
    }

    @Test
    void aShadowIsNotEnteredBesideAnIndexThatChanges() throws IOException {
        index();
        activate(INDEX);
        tables.update(tableOf(SHADOW));
        TableDescriptor active = tables.get(INDEX.indexTable());
        SchemeState unused = begin(IndexScheme.SYNC_INSERT, "c1");
        refused(() -> modify(define(SHADOW)), "a change of the scheme of the index that it is to replace has begun");
        tables.update(IndexDefinitions.withState(active, IndexState.DROPPING));
        refused(() -> modify(define(SHADOW)), "it is to replace an index that is DROPPING");
        tables.update(active);
        modify(define(SHADOW));
    }

    /** Clients that have not gone over yet would read by the scheme of before. */
    @Test
    void theSchemeIsNotChangedWhileAFormerGenerationIsLeft() throws IOException {
        enterShadow();
        activate(SHADOW);
        modify(switched());
        tables.update(IndexDefinitions.withSchemeState(
                tables.get(SHADOW.indexTable()),
                SchemeState.begin(Optional.empty(), IndexScheme.SYNC_FULL, IndexScheme.SYNC_INSERT, "c1")));
        IndexDefinition changed = SHADOW.withRole(IndexRole.IN_SERVICE)
                .withScheme(IndexScheme.SYNC_INSERT)
                .withChange("c1");
        refused(() -> modify(define(changed)), "cannot be changed now");
    }

    @Test
    void anIndexHasOneShadowAndOneGenerationInService() throws IOException {
        enterShadow();
        IndexDefinition another = SHADOW.asShadowOf(SHADOW).withId("id-3");
        tables.update(tableOf(another));
        refused(() -> modify(define(another)), "it is to replace", "which another client has changed");
        refused(() -> modify(define(another.withRole(IndexRole.IN_SERVICE))), "which is IN_SERVICE");
        modify(define(another.withRole(IndexRole.RETIRED))); // as one that is rebuilt comes back, to be dropped
    }

    /** One that was read before a change would let readers read as before. */
    @Test
    void aDescriptorFromBeforeAChangeOfTheSchemeIsNotStored() throws IOException {
        index();
        begin(IndexScheme.SYNC_INSERT, "c1");
        TableDescriptor begun = tables.get(INDEX.indexTable());
        refused(() -> modify(without(begun, "diffindex.scheme")), "something else of the index's schemes");
        refused(() -> modify(with(begun, "diffindex.scheme", "{}")), "something else of the index's schemes");
        begin(IndexScheme.SYNC_FULL, "c2");
        refused(() -> modify(with(begun, "owner", "somebody")), "not only its state would change");
        modify(with(tables.get(INDEX.indexTable()), "owner", "somebody"));
    }

    @Test
    void refusesADefinitionWhoseIndexTableIsThatOfAnother() throws IOException {
        refused(() -> modify(IndexDefinitions.with(plain(), INDEX.withId("id-2"))), "is not the table of this index");
    }

    @Test
    void refusesToRemoveTheCoprocessorOrAnIndexedFamily() throws IOException {
        index();
        TableDescriptor current = tables.get(Flights.TABLE);
        TableDescriptorBuilder without = TableDescriptorBuilder.newBuilder(current);
        refused(
                () -> modify(
                        without.removeCoprocessor(IndexObserver.class.getName()).build()),
                "coprocessor");
        refused(
                () -> modify(TableDescriptorBuilder.newBuilder(current)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("g"))
                        .removeColumnFamily(Flights.F)
                        .build()),
                "column family f");
    }

    @Test
    void refusesToChangeTheOrderOfVersions() throws IOException {
        index();
        TableDescriptor current = tables.get(Flights.TABLE);
        refused(
                () -> modify(TableDescriptorBuilder.newBuilder(current)
                        .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Flights.F)
                                .setNewVersionBehavior(true)
                                .build())
                        .build()),
                "NEW_VERSION_BEHAVIOR",
                "drop the index");
    }

    @Test
    void refusesAnUnencryptedIndexOfAnEncryptedFamily() throws IOException {
        index();
        TableDescriptor secret = encrypted(tables.get(Flights.TABLE), Flights.F);
        refused(() -> modify(secret), "in clear", INDEX.indexTable().getNameAsString());
        TableDescriptor clear = tables.get(INDEX.indexTable());
        modify(encrypted(clear, EntryFormat.FAMILY));
        modify(secret);
        refused(() -> modify(clear), "no longer be encrypted");
    }

    @Test
    void refusesATableThatIsCreatedWithAnUnencryptedIndexOfAnEncryptedFamily() throws IOException {
        index();
        TableDescriptor secret = encrypted(tables.get(Flights.TABLE), Flights.F);
        refused(() -> observer.preCreateTable(context, secret, null), "in clear");
        tables.update(encrypted(tables.get(INDEX.indexTable()), EntryFormat.FAMILY));
        assertThatCode(() -> observer.preCreateTable(context, secret, null)).doesNotThrowAnyException();
    }

    @Test
    void aRevisionThatIsNoNumberPreventsNoChange() throws IOException {
        tables.update(with(plain(), "diffindex.revision", "x"));
        assertThatCode(() -> modify(with(tables.get(Flights.TABLE), "owner", "somebody")))
                .doesNotThrowAnyException();
        index();
    }

    @Test
    void anExistingUnencryptedIndexOfAnEncryptedFamilyPreventsNoOtherChange() throws IOException {
        index();
        TableDescriptor secret = encrypted(tables.get(Flights.TABLE), Flights.F);
        tables.update(secret);
        assertThatCode(() -> modify(with(secret, "owner", "somebody"))).doesNotThrowAnyException();
    }

    private static TableDescriptor encrypted(TableDescriptor table, byte[] family) {
        return TableDescriptorBuilder.newBuilder(table)
                .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(table.getColumnFamily(family))
                        .setEncryptionType("AES")
                        .build())
                .build();
    }

    @Test
    void refusesChangesThatWouldBreakAnIndexTable() throws IOException {
        index();
        TableDescriptor current = tables.get(INDEX.indexTable());
        for (Durability weak : new Durability[] {Durability.SKIP_WAL, Durability.ASYNC_WAL}) {
            refused(
                    () -> modify(TableDescriptorBuilder.newBuilder(current)
                            .setDurability(weak)
                            .build()),
                    "it is the table of an index",
                    weak.name());
        }
        refused(
                () -> modify(TableDescriptorBuilder.newBuilder(current)
                        .removeCoprocessor(IndexTableGuard.class.getName())
                        .build()),
                "IndexTableGuard");
        refused(() -> modify(with(current, "diffindex.id", "id-2")), "of which index it is");
        refused(() -> modify(family(current, 3, HConstants.REPLICATION_SCOPE_LOCAL)), "VERSIONS");
        refused(() -> modify(family(current, 1, HConstants.REPLICATION_SCOPE_GLOBAL)), "replicated");
        assertThatCode(() -> modify(with(current, "owner", "somebody"))).doesNotThrowAnyException();
    }

    /** Writes may have stopped maintaining the index; a descriptor from before would let clients read it again. */
    @Test
    void anIndexWhoseDropHasBegunIsNotReadAgain() throws IOException {
        index();
        TableDescriptor before = tables.get(INDEX.indexTable());
        modify(IndexDefinitions.withState(before, IndexState.DROPPING));
        refused(() -> modify(with(before, "owner", "somebody")), "the index would become BUILDING, and is DROPPING");
        TableDescriptor dropping = tables.get(INDEX.indexTable());
        assertThatCode(() -> modify(with(dropping, "owner", "somebody"))).doesNotThrowAnyException();
    }

    @Test
    void anIndexWhoseDropBeganWhileTheProcedureWaitedIsNotReadAgain() throws IOException {
        index();
        TableDescriptor before = tables.get(INDEX.indexTable());
        TableDescriptor changed = with(before, "owner", "somebody");
        observer.preModifyTable(context, before.getTableName(), before, changed);
        modify(IndexDefinitions.withState(before, IndexState.DROPPING));
        refused(
                () -> observer.preModifyTableAction(context, before.getTableName(), before, changed),
                "the index would become BUILDING, and is DROPPING");
    }

    /** Otherwise the change of the other client would be undone. */
    @Test
    void aChangeOfTheStateUndoesNoOtherChangeOfTheTable() throws IOException {
        TableDescriptor before = tables.get(INDEX.indexTable());
        TableDescriptor built = IndexDefinitions.withState(before, IndexState.ACTIVE);
        observer.preModifyTable(context, before.getTableName(), before, built);
        modify(with(before, "owner", "somebody"));
        refused(
                () -> observer.preModifyTableAction(context, before.getTableName(), before, built),
                "not only its state would change, from BUILDING to ACTIVE");
        modify(IndexDefinitions.withState(tables.get(INDEX.indexTable()), IndexState.ACTIVE));
        refused(() -> modify(with(before, "owner", "another")), "would become BUILDING, and is ACTIVE");
    }

    /** An index may be BROKEN and BUILDING in turns, so that the state alone does not tell which descriptor is later. */
    @Test
    void aStateThatWasReadBeforeTwoOthersIsNotStored() throws IOException {
        TableDescriptor building = tables.get(INDEX.indexTable());
        TableDescriptor broken = IndexDefinitions.broken(building, "the disk is full");
        modify(IndexDefinitions.broken(building, "another problem"));
        modify(IndexDefinitions.withState(tables.get(INDEX.indexTable()), IndexState.BUILDING));
        refused(() -> modify(broken), "not only its state would change, from BUILDING to BROKEN");
        refused(() -> modify(with(building, "owner", "somebody")), "not only its state would change");
        modify(IndexDefinitions.broken(tables.get(INDEX.indexTable()), "the disk is full"));
    }

    @Test
    void anIndexThatIsBrokenSaysWhy() throws IOException {
        TableDescriptor building = tables.get(INDEX.indexTable());
        refused(
                () -> modify(IndexDefinitions.withState(building, IndexState.BROKEN)),
                "it would not say why the index is BROKEN");
        TableDescriptor broken = modify(IndexDefinitions.broken(building, "the disk is full"));
        refused(() -> modify(without(broken, "diffindex.problem")), "it would not say why the index is BROKEN");
    }

    @Test
    void theTableOfADisabledIndexKeepsItsDefinition() throws IOException {
        TableDescriptor own = tables.get(INDEX.indexTable());
        refused(
                () -> modify(IndexDefinitions.withState(own, IndexState.DISABLED)),
                "the definition of a DISABLED index would be lost");
        TableDescriptor disabled = modify(IndexDefinitions.disabled(own, "the definition"));
        refused(
                () -> modify(without(disabled, "diffindex.definition")),
                "the definition of a DISABLED index would be lost");
        refused(
                () -> modify(IndexDefinitions.withState(disabled, IndexState.ACTIVE)),
                "would become ACTIVE, and is DISABLED");
    }

    private static TableDescriptor without(TableDescriptor table, String value) {
        return TableDescriptorBuilder.newBuilder(table)
                .removeValue(Bytes.toBytes(value))
                .build();
    }

    /** Updates for the index of before may be on their way, of which its emptied table has no later ones. */
    @Test
    void onlyADisabledIndexGetsAnotherIdAndNothingElse() throws IOException {
        TableDescriptor own = tables.get(INDEX.indexTable());
        refused(() -> modify(IndexDefinitions.renewed(own, "id-2")), "of which index it is");
        TableDescriptor disabled = modify(IndexDefinitions.disabled(own, "the definition"));
        refused(() -> modify(with(disabled, "diffindex.id", "id-2")), "of which index it is");
        refused(
                () -> modify(with(IndexDefinitions.renewed(disabled, "id-2"), "owner", "somebody")),
                "not only its state would change");
        refused(() -> modify(with(building(disabled), "diffindex.id", "id-2")), "of which index it is");
        TableDescriptor renewed = modify(IndexDefinitions.renewed(disabled, "id-2"));
        refused(() -> modify(IndexDefinitions.renewed(disabled, "id-3")), "not only its state would change");
        modify(building(renewed));
        refused(() -> modify(IndexDefinitions.renewed(renewed, "id-3")), "of which index it is");
    }

    private static TableDescriptor building(TableDescriptor disabled) {
        TableDescriptor building = IndexDefinitions.withState(disabled, IndexState.BUILDING);
        return BuildFamily.add(building, OptionalDouble.empty(), false);
    }

    /** Another client may have enabled it, and the master may have begun to build it, since the first look. */
    @Test
    void onlyTheTableOfADisabledIndexIsTruncated() throws IOException {
        TableDescriptor own = tables.get(INDEX.indexTable());
        refused(() -> observer.preTruncateTable(context, own.getTableName()), "that is BUILDING; rebuild the index");
        TableDescriptor disabled = modify(IndexDefinitions.disabled(own, "the definition"));
        observer.preTruncateTable(context, own.getTableName());
        observer.preTruncateTableAction(context, own.getTableName());
        modify(building(disabled));
        refused(() -> observer.preTruncateTableAction(context, own.getTableName()), "that is BUILDING");
    }

    @Test
    void theTableOfAnIndexThatIsRebuiltIsTruncatedWhenNoWriteMaintainsIt() throws IOException {
        indexActive();
        modify(Rebuild.ordered(own(), "the definition"));
        refused(() -> observer.preTruncateTableAction(context, INDEX.indexTable()), "table of index " + NAME);
        modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        observer.preTruncateTable(context, INDEX.indexTable());
        observer.preTruncateTableAction(context, INDEX.indexTable());
        modify(Rebuild.begun(own()));
        refused(() -> observer.preTruncateTableAction(context, INDEX.indexTable()), "that is BUILDING");
    }

    /** The index would be read with entries of rows that are gone. */
    @Test
    void theOrderToRebuildAnIndexIsNotLost() throws IOException {
        indexActive();
        TableDescriptor active = own();
        TableDescriptor ordered = modify(Rebuild.ordered(active, "the definition"));
        refused(() -> modify(without(ordered, "diffindex.rebuild")), "the order to empty it", "would be lost");
        refused(() -> modify(IndexDefinitions.withState(ordered, IndexState.ACTIVE)), "the order to empty it");
        refused(() -> modify(IndexDefinitions.broken(ordered, "the disk is full")), "the order to empty it");
        refused(() -> modify(without(ordered, "diffindex.definition")), "would be lost");
        refused(() -> modify(with(active, "owner", "somebody")), "not only its state would change");
    }

    @Test
    void onlyAnIndexThatIsRebuiltGetsAnotherIdAndNothingElse() throws IOException {
        indexActive();
        refused(() -> modify(with(Rebuild.ordered(own(), "it"), "diffindex.id", "id-2")), "of which index it is");
        refused(() -> modify(IndexDefinitions.withState(own(), IndexState.BUILDING)), "would become BUILDING");
        refused(() -> modify(with(Rebuild.ordered(own(), "it"), "owner", "somebody")), "not only its state");
        modify(Rebuild.ordered(own(), "it"));
        refused(() -> modify(with(Rebuild.renewed(own(), "id-2"), "owner", "somebody")), "not only its state");
        modify(Rebuild.renewed(own(), "id-2"));
        modify(Rebuild.begun(own()));
        assertThat(IndexDefinitions.indexIdOf(own())).isEqualTo("id-2");
        assertThat(own()).matches(table -> !Rebuild.isDue(table), "is built");
    }

    /** The master would enter it into the base table, by its own right. */
    @Test
    void aClientOrdersTheRebuildOfNoOtherIndexThanTheTableHas() throws IOException {
        indexActive();
        conf.set(Superusers.SUPERUSER_CONF_KEY, "operator");
        Superusers.initialize(conf);
        String text = IndexDefinitions.texts(tables.get(Flights.TABLE)).get(NAME);
        String ofOtherColumns = text.replace("f:origin", "f:secret");
        calledBy("maker");
        refused(() -> modify(Rebuild.ordered(own(), ofOtherColumns)), "defines another one", "f:secret");
        modify(Rebuild.ordered(own(), text.replace("sync-full", "sync-insert"))); // the scheme is changed meanwhile
        refused(() -> modify(with(own(), "diffindex.definition", ofOtherColumns)), "defines another one", "f:secret");
        modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        modify(with(own(), "owner", "somebody"));
        refused(() -> modify(with(own(), "diffindex.definition", text)), "does not define it");
        calledBy("operator");
        modify(with(own(), "diffindex.definition", text));
    }

    /** The owner of the base table would enter it into the base table with enable-index. */
    @Test
    void theDefinitionOfADisabledIndexIsNotReplaced() throws IOException {
        indexActive();
        conf.set(Superusers.SUPERUSER_CONF_KEY, "operator");
        Superusers.initialize(conf);
        String text = IndexDefinitions.texts(tables.get(Flights.TABLE)).get(NAME);
        String ofOtherColumns = text.replace("f:origin", "f:secret");
        calledBy("former");
        refused(() -> modify(IndexDefinitions.disabled(own(), ofOtherColumns)), "defines another one", "f:secret");
        modify(IndexDefinitions.disabled(own(), text));
        modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        refused(() -> modify(with(own(), "diffindex.definition", ofOtherColumns)), "does not define it", "f:secret");
        refused(() -> modify(IndexDefinitions.disabled(own(), ofOtherColumns)), "does not define it");
        modify(IndexDefinitions.disabled(own(), text)); // disabled once more
        modify(IndexDefinitions.renewed(own(), "id-2"));
        TableDescriptor copied = own();
        refused(() -> observer.preCreateTable(context, copied, new RegionInfo[0]), "diffindex.definition");
    }

    /** The master has stopped when the definitions were stored, and perhaps not all regions had them. */
    @Test
    void theLastChangeOfTheDefinitionsIsRepeatedIfNothingElseChanges() throws IOException {
        index();
        TableDescriptor stored = tables.get(Flights.TABLE);
        TableDescriptor again = IndexDefinitions.again(stored);
        modify(with(stored, "owner", "somebody"));
        refused(() -> modify(again), "differs from the table's also in");
        modify(IndexDefinitions.again(tables.get(Flights.TABLE)));
        assertThat(tables.get(Flights.TABLE))
                .matches(table -> IndexDefinitions.isNextOf(stored, table))
                .matches(table -> IndexDefinitions.texts(table).equals(IndexDefinitions.texts(stored)));
        assertThat(tables.get(Flights.TABLE).getValue("owner")).isEqualTo("somebody");
    }

    /** A user who may create tables would give another table an index. */
    @Test
    void noOtherTableIsMadeThatOfAnIndexToBeRebuilt() throws IOException {
        TableDescriptor ordered = Rebuild.ordered(IndexDefinitions.withState(own(), IndexState.ACTIVE), "{}");
        refused(() -> observer.preCreateTable(context, ordered, new RegionInfo[0]), "diffindex.rebuild");
        TableDescriptor ordinary = TableDescriptorBuilder.newBuilder(INDEX.indexTable())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(EntryFormat.FAMILY))
                .build();
        tables.update(ordinary);
        refused(() -> modify(ordered), "cannot become one");
        modify(with(ordinary, "owner", "somebody"));
    }

    private void calledBy(String user) {
        when(context.getCaller()).thenReturn(Optional.of(User.createUserForTesting(conf, user, new String[0])));
    }

    @Test
    void theBaseTableOfADisabledIndexIsNotDeleted() throws IOException {
        index();
        modify(IndexDefinitions.disabled(own(), "the definition"));
        modify(IndexDefinitions.without(tables.get(Flights.TABLE), NAME));
        refused(() -> observer.preDeleteTable(context, Flights.TABLE), NAME, "DISABLED", "drop them first");
        modify(IndexDefinitions.forgettingRevision(tables.get(Flights.TABLE))); // disable-index does so
        assertThat(IndexDefinitions.revisionOf(tables.get(Flights.TABLE))).isZero();
        refused(() -> observer.preDeleteTable(context, Flights.TABLE), NAME, "DISABLED", "drop them first");
        modify(IndexDefinitions.withState(own(), IndexState.BUILDING));
        refused(() -> observer.preDeleteTable(context, Flights.TABLE), NAME, "being enabled", "drop them first");
        observer.preDeleteTableAction(context, INDEX.indexTable()); // drop-index does so
        tables.remove(INDEX.indexTable());
        observer.preDeleteTable(context, Flights.TABLE);
    }

    /** A user who may create tables would keep others from deleting theirs. */
    @Test
    void noTableIsCreatedAsThatOfADisabledIndex() throws IOException {
        for (IndexState state : new IndexState[] {IndexState.DISABLED, IndexState.BROKEN, IndexState.DROPPING}) {
            TableDescriptor own = with(own(), "diffindex.state", state.name());
            refused(() -> observer.preCreateTable(context, own, new RegionInfo[0]), "diffindex.state");
        }
        tables.update(plain());
        tables.update(with(own(), "diffindex.state", "DISABLED")); // of an earlier build; it keeps no definition
        observer.preDeleteTable(context, Flights.TABLE);
    }

    /** Another client has dropped the index meanwhile, and created another one of its name. */
    @Test
    void theTableOfALaterIndexIsNotMarkedAsDropped() throws IOException {
        TableDescriptor before = tables.get(INDEX.indexTable());
        TableDescriptor marked = IndexDefinitions.withState(before, IndexState.DROPPING);
        observer.preModifyTable(context, before.getTableName(), before, marked);
        tables.update(with(before, "diffindex.id", "id-2"));
        refused(
                () -> observer.preModifyTableAction(context, before.getTableName(), before, marked),
                "of which index it is");
    }

    /** Otherwise it could not be dropped. */
    @Test
    void anIndexTableWithAWeakDurabilityCanBeMarkedAsDropped() throws IOException {
        tables.update(TableDescriptorBuilder.newBuilder(indexTable())
                .setDurability(Durability.SKIP_WAL)
                .build());
        modify(IndexDefinitions.withState(tables.get(INDEX.indexTable()), IndexState.DROPPING));
        assertThat(IndexDefinitions.isDropping(tables.get(INDEX.indexTable()))).isTrue();
    }

    private static TableDescriptor family(TableDescriptor table, int versions, int scope) {
        return TableDescriptorBuilder.newBuilder(table)
                .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(EntryFormat.FAMILY)
                        .setMaxVersions(versions)
                        .setScope(scope)
                        .build())
                .build();
    }

    @Test
    void refusesToDeleteATableWithAnInvalidDefinition() throws IOException {
        tables.update(with(plain(), "diffindex.index.broken", "{}"));
        refused(() -> observer.preDeleteTable(context, Flights.TABLE), "[broken]");
    }

    @Test
    void dropsAnIndexWhoseDefinitionCannotBeRead() throws IOException {
        TableDescriptor broken = with(plain(), "diffindex.index.broken", "{}");
        tables.update(broken);
        modify(IndexDefinitions.without(broken, "broken"));
        assertThat(IndexDefinitions.definesAny(tables.get(Flights.TABLE))).isFalse();
    }

    @Test
    void refusesToCreateATableWhoseIndexTableWasDeletedWhileTheProcedureWaited() throws IOException {
        TableDescriptor indexed = IndexDefinitions.with(plain(), INDEX);
        observer.preCreateTable(context, indexed, new RegionInfo[0]);
        tables.remove(INDEX.indexTable());
        refused(() -> observer.preCreateTableAction(context, indexed, new RegionInfo[0]), NAME);
    }

    /**
     * HBase calls preDeleteTable before the procedure waits for the table's lock; an index that is created meanwhile
     * holds it. The hooks with Action are called under the lock.
     */
    @Test
    void refusesToDeleteATableThatGotAnIndexWhileTheProcedureWaited() throws IOException {
        observer.preDeleteTable(context, Flights.TABLE);
        index();
        refused(() -> observer.preDeleteTableAction(context, Flights.TABLE), NAME);
    }

    @Test
    void anIndexThatATableGotWhileItsTruncationWaitedIsRebuilt() throws IOException {
        observer.preTruncateTable(context, Flights.TABLE);
        index();
        observer.preTruncateTableAction(context, Flights.TABLE);
        assertThat(own()).matches(Rebuild::isDue, "is to be rebuilt");
    }

    @Test
    void anIndexThatATableGotWhileTheTruncationOfARegionWaitedIsRebuilt() throws IOException {
        observer.preTruncateRegion(context, regionOf(Flights.TABLE));
        index();
        observer.preTruncateRegionAction(context, regionOf(Flights.TABLE));
        assertThat(own()).matches(Rebuild::isDue, "is to be rebuilt");
    }

    /** HBase aborts a master after a RuntimeException of a hook; this table is none of Diff-Index's. */
    @Test
    void aTableThatItAdmitsDoesNotEndTheMaster() throws IOException {
        TableName name = TableName.valueOf("anybodys");
        TableDescriptor broken = TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .setValue("diffindex.base", "no table's name")
                .build();
        RegionInfo[] regions = {RegionInfoBuilder.newBuilder(name).build()};
        observer.preCreateTable(context, broken, regions);
        observer.preCreateTableAction(context, broken, regions);
        observer.postCompletedCreateTableAction(context, broken, regions);
    }

    /** Nor does one that it refuses, after an error of the stack. */
    @Test
    void aDefinitionThatIsNestedTooDeeplyDoesNotEndTheMaster() {
        for (int depth : new int[] {10_000, 1_000_000}) {
            String nested = "{\"columns\":" + "[".repeat(depth) + "]".repeat(depth) + "}";
            TableDescriptor deep = TableDescriptorBuilder.newBuilder(TableName.valueOf("anybodys"))
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                    .setValue("diffindex.index.x", nested)
                    .build();
            assertThatThrownBy(() -> observer.preCreateTable(context, deep, new RegionInfo[0]))
                    .isInstanceOf(DoNotRetryIOException.class);
        }
        assertThatThrownBy(() -> GuardedHook.run(() -> {
                    throw new StackOverflowError();
                }))
                .isInstanceOf(DoNotRetryIOException.class);
    }

    /** And so for a change of any table. */
    @Test
    void aChangeThatItAdmitsDoesNotEndTheMaster() throws IOException {
        TableDescriptor before = tables.get(Flights.TABLE);
        TableDescriptor broken = modify(with(before, "diffindex.base", "no table's name"));
        observer.postCompletedModifyTableAction(context, Flights.TABLE, before, broken);
    }

    @Test
    void theTableOfAnIndexHasWhatItsBuildRemembersWhileItIsBuilding() throws IOException {
        index();
        TableDescriptor building = modify(BuildFamily.add(indexTable(), OptionalDouble.empty(), false));
        refused(() -> modify(BuildFamily.remove(building)), "would lose what the build of the index remembers");
        TableDescriptor active = IndexDefinitions.withState(building, IndexState.ACTIVE);
        TableDescriptor built = modify(BuildFamily.complete(active, BuildFamily.Totals.NONE));
        refused(
                () -> modify(BuildFamily.add(built, OptionalDouble.empty(), false)),
                "would get the column family b of a build, and the index is ACTIVE");
    }

    /** It has keys of base rows. */
    @Test
    void whatABuildRemembersIsEncryptedLikeTheEntries() throws IOException {
        index();
        TableDescriptor encrypted = TableDescriptorBuilder.newBuilder(indexTable())
                .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(EntryFormat.FAMILY)
                        .setEncryptionType("AES")
                        .build())
                .build();
        TableDescriptor building = modify(BuildFamily.add(modify(encrypted), OptionalDouble.empty(), false));
        refused(
                () -> modify(TableDescriptorBuilder.newBuilder(building)
                        .modifyColumnFamily(ColumnFamilyDescriptorBuilder.of(BuildFamily.NAME))
                        .build()),
                "the column family b, with keys of base rows, would not be encrypted");
    }

    @Test
    void looksForIndexesToBuildWhenItStartsAndWhenTablesOfIndexesChange() throws Exception {
        RegionInfo[] regions = {};
        observer.postCompletedCreateTableAction(context, indexTable(), regions); // before the master has started
        observer.postStartMaster(context);
        verify(admin, timeout(30_000).times(1)).listTableDescriptors();
        observer.postCompletedCreateTableAction(context, plain(), regions);
        observer.postCompletedCreateTableAction(context, indexTable(), regions);
        verify(admin, timeout(30_000).times(2)).listTableDescriptors();
        observer.postCompletedModifyTableAction(context, Flights.TABLE, plain(), IndexDefinitions.with(plain(), INDEX));
        verify(admin, timeout(30_000).times(3)).listTableDescriptors();
        observer.postCompletedModifyTableAction(context, Flights.TABLE, IndexDefinitions.with(plain(), INDEX), plain());
        verify(admin, timeout(30_000).times(4)).listTableDescriptors();
        observer.stop(env);
        while (Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("diffindex-builds"))) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aBuildThatHasEndedMeanwhileIsNotCancelled() throws IOException {
        index();
        TableDescriptor building = modify(BuildFamily.add(indexTable(), OptionalDouble.empty(), false));
        TableDescriptor cancelled = BuildFamily.remove(IndexDefinitions.withState(building, IndexState.DROPPING));
        modify(BuildFamily.complete(
                IndexDefinitions.withState(building, IndexState.ACTIVE), new BuildFamily.Totals(1, 1, 0)));
        refused(() -> modify(cancelled), "not only its state would change, from ACTIVE to DROPPING");
        modify(IndexDefinitions.withState(tables.get(INDEX.indexTable()), IndexState.DROPPING));
    }
}
