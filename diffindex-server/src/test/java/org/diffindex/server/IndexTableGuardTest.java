package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.row;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexReplacedException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSchemeChangedException;
import org.diffindex.model.IndexState;
import org.diffindex.model.ReadPoint;
import org.diffindex.model.SchemeState;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that only the index writes to its table. */
class IndexTableGuardTest {
    private static final RegionInfo REGION =
            RegionInfoBuilder.newBuilder(TableName.valueOf("flights.by_origin")).build();

    private static final EntryFormat FORMAT = new EntryFormat("");

    private final IndexTableGuard guard = new IndexTableGuard();
    private final WALEdit edit = new WALEdit();

    @SuppressWarnings("unchecked") // a mock of a generic interface
    private final ObserverContext<RegionCoprocessorEnvironment> context = mock(ObserverContext.class);

    private final RegionCoprocessorEnvironment env = mock(RegionCoprocessorEnvironment.class);

    @BeforeEach
    void onAnIndexTable() {
        when(context.getEnvironment()).thenReturn(env);
        when(env.getRegionInfo()).thenReturn(REGION);
        when(env.getSharedData()).thenReturn(new ConcurrentHashMap<>());
    }

    @Test
    void admitsTheIndexesOwnWrites() throws IOException {
        guard.prePut(context, FORMAT.put(new IndexEntry(row("key"), 1), 1), edit);
        guard.preDelete(context, FORMAT.delete(row("key"), 1), edit);
        assertThat(guard.getRegionObserver()).containsSame(guard);
    }

    @Test
    void refusesCallsInFlightToADroppedIndexOfTheSameName() throws IOException {
        IndexDefinition first = Flights.byOrigin(IndexScheme.SYNC_FULL).withId("first");
        IndexDefinition second = first.withId("second");
        Region region = mock(Region.class);
        when(env.getRegion()).thenReturn(region);
        when(region.getTableDescriptor()).thenReturn(tableOf(second, IndexState.ACTIVE));
        guard.start(env);
        Delete own = second.entryFormat().delete(row("key"), 1);
        guard.preDelete(context, own, edit);
        Put late = first.entryFormat().put(new IndexEntry(row("key"), 1), 1);
        Put anonymous = FORMAT.put(new IndexEntry(row("key"), 1), 1);
        OperationStatus[] outcomes = batch(late, own, anonymous);
        assertThat(outcomes[0].getExceptionMsg()).contains("an index that was dropped");
        assertThat(outcomes[1]).as("a write of the index in the same call").isNull();
        assertThat(outcomes[2].getOperationStatusCode())
                .as("a put without the id of an index")
                .isEqualTo(OperationStatusCode.SANITY_CHECK_FAILURE);
        guard.preScannerOpen(context, second.entryFormat().scan());
        assertThatThrownBy(
                        () -> guard.preScannerOpen(context, first.entryFormat().scan()))
                .isInstanceOf(IndexReplacedException.class)
                .hasMessageContaining("was dropped");
        guard.preGetOp(context, second.entryFormat().get(row("key")), new ArrayList<>());
        assertThatThrownBy(() -> guard.preGetOp(context, first.entryFormat().get(row("key")), new ArrayList<>()))
                .isInstanceOf(IndexReplacedException.class);
        guard.stop(env);
    }

    private static TableDescriptor tableOf(IndexDefinition index, IndexState state) {
        return IndexDefinitions.markIndexTable(TableDescriptorBuilder.newBuilder(index.indexTable()), index, state)
                .build();
    }

    /** It may lack rows that were written before its creation. */
    @Test
    void anIndexThatIsBuiltIsWrittenButNotRead() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL).withId("7f");
        Region region = mock(Region.class);
        when(env.getRegion()).thenReturn(region);
        when(region.getTableDescriptor()).thenReturn(tableOf(index, IndexState.BUILDING));
        guard.start(env);
        guard.prePut(context, index.entryFormat().put(new IndexEntry(row("key"), 1), 1), edit);
        assertThatThrownBy(
                        () -> guard.preScannerOpen(context, index.entryFormat().scan()))
                .isInstanceOf(IndexNotReadableException.class)
                .hasMessageContaining("the index of table flights.by_origin is BUILDING")
                .hasMessageContaining("read it when it is ACTIVE");
        assertThatThrownBy(() -> guard.preGetOp(context, index.entryFormat().get(row("key")), new ArrayList<>()))
                .isInstanceOf(IndexNotReadableException.class);
        guard.preScannerOpen(context, new Scan());
        guard.stop(env);
    }

    @Test
    void anIndexThatIsBrokenOrDisabledIsWrittenButNotRead() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL).withId("7f");
        TableDescriptor active = tableOf(index, IndexState.ACTIVE);
        assertRefusesReaders(
                IndexDefinitions.broken(active, "the disk is full"),
                index,
                "is BROKEN: the disk is full. Remove the cause");
        assertRefusesReaders(
                IndexDefinitions.disabled(active, "its definition"), index, "is DISABLED; enable it, and read it when");
    }

    private void assertRefusesReaders(TableDescriptor own, IndexDefinition index, String why) throws IOException {
        Region region = mock(Region.class);
        when(env.getRegion()).thenReturn(region);
        when(region.getTableDescriptor()).thenReturn(own);
        guard.start(env);
        guard.prePut(context, index.entryFormat().put(new IndexEntry(row("key"), 1), 1), edit);
        assertThatThrownBy(
                        () -> guard.preScannerOpen(context, index.entryFormat().scan()))
                .isInstanceOf(IndexNotReadableException.class)
                .hasMessageContaining(why);
        guard.stop(env);
    }

    @Test
    void answersOnlyReadersThatReadAsTheSchemeDemands() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL).withId("7f");
        SchemeState begun = SchemeState.begin(Optional.empty(), index.scheme(), IndexScheme.SYNC_INSERT, "c1");
        open(IndexDefinitions.withSchemeState(tableOf(index, IndexState.ACTIVE), begun));
        Scan scan = index.entryFormat().scanEntries();
        guard.preScannerOpen(context, scan);
        guard.preScannerOpen(context, IndexAddress.readBy(scan, IndexScheme.SYNC_INSERT));
        assertThatThrownBy(() -> guard.preScannerOpen(context, IndexAddress.readBy(scan, IndexScheme.SYNC_FULL)))
                .isInstanceOfSatisfying(IndexSchemeChangedException.class, refusal -> assertThat(refusal.readAs())
                        .contains(IndexScheme.SYNC_INSERT))
                .hasMessageContaining("table flights.by_origin was changed, or is being changed");
        guard.preScannerOpen(context, IndexAddress.readByAny(scan));
        guard.stop(env);
        open(tableOf(index, IndexState.ACTIVE));
        guard.preScannerOpen(context, IndexAddress.readBy(scan, IndexScheme.ASYNC_SIMPLE));
        guard.stop(env);
    }

    private void open(TableDescriptor table) throws IOException {
        Region region = mock(Region.class);
        when(env.getRegion()).thenReturn(region);
        when(region.getTableDescriptor()).thenReturn(table);
        guard.start(env);
    }

    /** A late one would leave an entry that nobody removes. */
    @Test
    void refusesWritesFromBeforeTheSchemeChanged() throws IOException {
        IndexDefinition before = Flights.byOrigin(IndexScheme.SYNC_INSERT).withId("7f");
        IndexDefinition after = before.withScheme(IndexScheme.SYNC_FULL).withChange("c1");
        SchemeState begun = SchemeState.begin(Optional.empty(), before.scheme(), after.scheme(), "c1");
        TableDescriptor table = tableOf(before, IndexState.ACTIVE);
        Put late = before.entryFormat().put(new IndexEntry(row("key"), 1), 1);
        Put own = after.entryFormat().put(new IndexEntry(row("key"), 1), 1);
        open(IndexDefinitions.withSchemeState(table, begun));
        assertThat(batch(late, own)).containsOnlyNulls();
        guard.stop(env);
        open(IndexDefinitions.withSchemeState(table, begun.fenced()));
        OperationStatus[] outcomes = batch(
                own,
                after.entryFormat().delete(row("key"), 1),
                late,
                before.entryFormat().delete(row("key"), 1));
        assertThat(Arrays.copyOf(outcomes, 2)).as("of the present change").containsOnlyNulls();
        assertThat(Arrays.copyOfRange(outcomes, 2, 4))
                .extracting(OperationStatus::getExceptionMsg)
                .allSatisfy(message -> assertThat(message)
                        .contains("before the scheme of the index of table flights.by_origin was changed"));
        guard.stop(env);
    }

    /** Returns the outcomes that the guard decides of writes in one call; null for those that it lets through. */
    private OperationStatus[] batch(Mutation... writes) {
        OperationStatus[] outcomes = new OperationStatus[writes.length];
        guard.preBatchMutate(
                context, new MiniBatchOperationInProgress<>(writes, outcomes, null, 0, writes.length, writes.length));
        return outcomes;
    }

    /**
     * HBase would end the region server after an exception. A write that a later build would refuse might leave an
     * entry that nobody removes.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "diffindex.scheme | {}                | diffindex.scheme of the index table is not valid",
                "diffindex.scheme | {\"fence\":\"c1\"} | it has the members [fence], which this build",
                "diffindex.format | 3 | its format is 3, and this build of Diff-Index knows formats up to 2",
                "diffindex.state  | SHADOW            | its state is SHADOW, which this build"
            })
    void anIndexTableThatThisBuildDoesNotUnderstandIsNeitherWrittenNorRead(String key, String value, String why)
            throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL).withId("7f");
        TableDescriptor unknown = TableDescriptorBuilder.newBuilder(tableOf(index, IndexState.ACTIVE))
                .setValue(key, value)
                .build();
        assertRefusesReaders(unknown, index, why);
        open(unknown);
        assertThat(batch(
                        index.entryFormat().put(new IndexEntry(row("key"), 1), 1),
                        index.entryFormat().delete(row("key"), 1)))
                .extracting(OperationStatus::getExceptionMsg)
                .allSatisfy(message -> assertThat(message)
                        .contains("Index update refused, nothing was written: this region server cannot serve")
                        .contains(why, "the region of the base row tries again"));
        guard.preScannerOpen(context, new Scan());
        guard.stop(env);
    }

    @Test
    void refusesCallsWithAttributesThatItDoesNotKnow() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL).withId("7f");
        open(tableOf(index, IndexState.ACTIVE));
        Put own = index.entryFormat().put(new IndexEntry(row("key"), 1), 1);
        Put later = index.entryFormat().put(new IndexEntry(row("key"), 1), 1);
        later.setAttribute("diffindex.later", row("1"));
        OperationStatus[] outcomes = batch(own, later);
        assertThat(outcomes[0]).isNull();
        assertThat(outcomes[1].getExceptionMsg()).contains("Index update refused", "diffindex.later");
        assertThatThrownBy(() -> guard.preScannerOpen(context, new Scan().setAttribute("diffindex.later", row("1"))))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Nothing was read: the read has the attribute diffindex.later");
        assertThatThrownBy(() -> guard.preGetOp(
                        context, new Get(row("key")).setAttribute("diffindex.later", row("1")), new ArrayList<>()))
                .isInstanceOf(DoNotRetryIOException.class);
        guard.stop(env);
    }

    /** Until the definition is removed, every write maintains the index, and none is delayed. */
    @Test
    void anIndexWhoseDropHasBegunIsWrittenButNotRead() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL).withId("7f");
        Region region = mock(Region.class);
        when(env.getRegion()).thenReturn(region);
        when(region.getTableDescriptor()).thenReturn(tableOf(index, IndexState.DROPPING));
        guard.start(env);
        guard.prePut(context, index.entryFormat().put(new IndexEntry(row("key"), 1), 1), edit);
        guard.preDelete(context, index.entryFormat().delete(row("key"), 1), edit);
        assertThatThrownBy(
                        () -> guard.preScannerOpen(context, index.entryFormat().scan()))
                .isInstanceOf(IndexReplacedException.class)
                .hasMessageContaining("flights.by_origin is being dropped")
                .hasMessageContaining("drop it again");
        assertThatThrownBy(() -> guard.preGetOp(context, index.entryFormat().get(row("key")), new ArrayList<>()))
                .isInstanceOf(IndexReplacedException.class);
        guard.preScannerOpen(context, new Scan());
        guard.stop(env);
    }

    @Test
    void refusesToDeleteAnEntryInAnotherRegionThanThatOfItsReplacement() throws IOException {
        RegionInfo here = RegionInfoBuilder.newBuilder(TableName.valueOf("flights.by_origin"))
                .build();
        when(env.getRegionInfo()).thenReturn(here);
        Delete inTime = FORMAT.delete(row("key"), 1);
        IndexAddress.onlyIn(inTime, here.getEncodedName());
        Delete late = FORMAT.delete(row("key"), 1);
        IndexAddress.onlyIn(late, "split");
        Mutation[] writes = {FORMAT.put(new IndexEntry(row("new"), 2), 2), FORMAT.delete(row("key"), 1), inTime, late};
        OperationStatus[] outcomes = batch(writes);
        assertThat(Arrays.copyOf(outcomes, 3)).containsOnlyNulls();
        assertThat(outcomes[3].getOperationStatusCode()).isEqualTo(OperationStatusCode.SANITY_CHECK_FAILURE);
        assertThat(outcomes[3].getExceptionMsg()).startsWith(IndexAddress.NOT_IN_ITS_REGION);
    }

    @Test
    void refusesEveryKindOfWriteOfAClient() {
        refused(() -> guard.prePut(context, new Put(row("key")), edit));
        refused(() -> guard.preDelete(context, new Delete(row("key")), edit));
        refused(() -> guard.preIncrement(context, new Increment(row("key")), edit));
        refused(() -> guard.preAppend(context, new Append(row("key")), edit));
        refused(() -> guard.preBulkLoadHFile(context, List.of()));
    }

    private static void refused(ThrowingCallable write) {
        assertThatThrownBy(write)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("flights.by_origin is the table of an index")
                .hasMessageContaining("nothing was written")
                .hasMessageContaining("write to the base table");
    }

    private Region start() throws IOException {
        Region region = mock(Region.class);
        when(env.getRegion()).thenReturn(region);
        when(region.getTableDescriptor())
                .thenReturn(TableDescriptorBuilder.newBuilder(TableName.valueOf("flights.by_origin"))
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(EntryFormat.FAMILY))
                        .build());
        guard.start(env);
        return region;
    }

    @Test
    void holdsTheReadPointOfAScanUntilTheRegionCloses() throws IOException {
        Region region = start();
        RegionScanner held = mock(RegionScanner.class);
        when(region.getScanner(any(Scan.class))).thenReturn(held);
        RegionScanner scanner = mock(RegionScanner.class);
        when(scanner.getMvccReadPoint()).thenReturn(7L);
        when(scanner.getRegionInfo()).thenReturn(REGION);
        KeyValue cell = new KeyValue(row("key"), EntryFormat.FAMILY, EntryFormat.QUALIFIER, 1, new byte[0]);
        List<Result> answer = new ArrayList<>(List.of(Result.create(List.of(cell))));

        guard.postScannerOpen(context, ReadPoint.askFor(new Scan()), scanner);
        guard.postScannerNext(context, scanner, answer, 1, true);

        verify(region).getScanner(argThat(scan -> PackagePrivateFieldAccessor.getMvccReadPoint(scan) == 7));
        guard.preFlush(context, FlushLifeCycleTracker.DUMMY);
        verify(held, never()).close();
        guard.preClose(context, false);
        verify(held).close();
        guard.stop(env);
    }

    /** The region may have merged with one that the scan has read before. */
    @Test
    void tellsTheKeyAtWhichAScannerBegins() throws IOException {
        assertThat(toldStart(new Scan())).isEqualTo("d");
        assertThat(toldStart(new Scan().withStartRow(row("a")))).isEqualTo("d");
        assertThat(toldStart(new Scan().withStartRow(row("e")))).isEqualTo("e");
        assertThat(toldStart(new Scan().withStartRow(row("e"), false))).isEqualTo("e\0");
    }

    /** A client's view of a scan in reverse relies on this: what the region holds there and behind it was not read. */
    @Test
    void tellsAScanInReverseTheKeyAfterTheOneBehindWhichItBegins() throws IOException {
        assertThat(toldStart(new Scan().setReversed(true).withStartRow(row("e"), false)))
                .isEqualTo("e\0");
        assertThat(toldStart(new Scan().setReversed(true).withStartRow(row("e"))))
                .isEqualTo("e");
        assertThat(toldStart(new Scan().setReversed(true)))
                .as("no key of the table's end")
                .isEqualTo("d");
    }

    private String toldStart(Scan scan) throws IOException {
        Region region = start();
        RegionScanner held = mock(RegionScanner.class);
        when(region.getScanner(any(Scan.class))).thenReturn(held);
        RegionScanner scanner = mock(RegionScanner.class);
        when(scanner.getRegionInfo())
                .thenReturn(RegionInfoBuilder.newBuilder(REGION.getTable())
                        .setStartKey(row("d"))
                        .build());
        KeyValue cell = new KeyValue(row("key"), EntryFormat.FAMILY, EntryFormat.QUALIFIER, 1, new byte[0]);
        List<Result> answer = new ArrayList<>(List.of(Result.create(List.of(cell))));

        guard.postScannerOpen(context, ReadPoint.askFor(scan), scanner);
        guard.postScannerNext(context, scanner, answer, 1, true);

        guard.stop(env);
        return Bytes.toString(
                Bytes.getBytes(ReadPoint.of(answer.get(0)).orElseThrow().start()));
    }

    /** After that, another server may hold the region, and write to it. */
    @Test
    void refusesReadsWhenTheServersLeaseHasEnded() throws IOException {
        AtomicBoolean holds = new AtomicBoolean(true);
        SessionLease lease = mock(SessionLease.class);
        doAnswer(call -> {
                    if (!holds.get()) {
                        throw new NotServingRegionException();
                    }
                    return null;
                })
                .when(lease)
                .require(env);
        PerServer.offer(env, SessionLease.class, () -> lease);
        start();
        RegionScanner scanner = mock(RegionScanner.class);
        guard.preScannerOpen(context, new Scan());
        guard.postScannerNext(context, scanner, new ArrayList<>(), 1, true);
        guard.postGetOp(context, new Get(row("key")), List.of());

        holds.set(false);

        assertThatThrownBy(() -> guard.preScannerOpen(context, new Scan()))
                .isInstanceOf(NotServingRegionException.class);
        assertThatThrownBy(() -> guard.postScannerNext(context, scanner, new ArrayList<>(), 1, true))
                .isInstanceOf(NotServingRegionException.class);
        assertThatThrownBy(() -> guard.postGetOp(context, new Get(row("key")), List.of()))
                .isInstanceOf(NotServingRegionException.class);
        guard.stop(env);
    }

    /** HBase would end the region server after any other exception. */
    @Test
    void refusesReadsWithAReadPointThatCannotBeDecoded() throws IOException {
        start();
        Get get = new Get(row("key")).setAttribute("diffindex.readpoint", new byte[3]);
        assertThatThrownBy(() -> guard.preGetOp(context, get, new ArrayList<>()))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Nothing was read");
        Scan scan = new Scan().setAttribute("diffindex.readpoint.since", new byte[3]);
        assertThatThrownBy(() -> guard.preScannerOpen(context, scan)).isInstanceOf(DoNotRetryIOException.class);
        guard.stop(env);
    }

    @Test
    void aScanOfNewEntriesKeepsTheFilterOfAccessControl() throws IOException {
        start();
        Filter hidesAll = new PageFilter(0);
        Scan scan = ReadPoint.since(new Scan().setFilter(hidesAll), 7);

        guard.preScannerOpen(context, scan);

        assertThat(scan.getFilter()).isInstanceOfSatisfying(FilterList.class, filters -> {
            assertThat(filters.getOperator()).isEqualTo(FilterList.Operator.MUST_PASS_ALL);
            assertThat(filters.getFilters()).hasSize(2).first().isSameAs(hidesAll);
            assertThat(filters.getFilters()).last().isInstanceOf(PutSince.class);
        });
        guard.stop(env);
    }

    @Test
    void onlyCellsPutAfterTheReadPointCountAsNew() {
        KeyValue cell = new KeyValue(row("key"), EntryFormat.FAMILY, EntryFormat.QUALIFIER, 1, new byte[0]);
        PutSince filter = new PutSince(mock(Region.class), 7);
        assertThat(filter.filterAllRemaining()).isFalse();
        cell.setSequenceId(7);
        assertThat(filter.filterCell(cell)).isEqualTo(Filter.ReturnCode.NEXT_ROW);
        cell.setSequenceId(8);
        assertThat(filter.filterCell(cell)).isEqualTo(Filter.ReturnCode.INCLUDE);
    }
}
