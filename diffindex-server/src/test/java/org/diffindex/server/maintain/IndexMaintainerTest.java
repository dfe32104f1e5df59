package org.diffindex.server.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.entry;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.model.SessionChange;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the index updates that a change of a row requires, by scheme. */
class IndexMaintainerTest {
    private static final Cell ORD = cell("r", "origin", "ORD", 100);
    private static final Cell LAX = cell("r", "origin", "LAX", 200);
    private static final Cell MONDAY = cell("r", "date", "2008-01-07", 100);

    private final HistoryReader reader =
            new HistoryReader().state(5, ORD, MONDAY).state(9, LAX, MONDAY);

    static Stream<IndexScheme> thatDeleteOldEntries() {
        return Stream.of(IndexScheme.values()).filter(scheme -> !scheme.leavesStaleEntries());
    }

    static Stream<IndexScheme> thatLeaveStaleEntries() {
        return Stream.of(IndexScheme.values()).filter(IndexScheme::leavesStaleEntries);
    }

    @ParameterizedTest
    @MethodSource("thatDeleteOldEntries")
    void aPutOfAnotherValuePutsTheNewEntryAndDeletesTheOld(IndexScheme scheme) throws IOException {
        IndexDefinition index = Flights.byOrigin(scheme);
        IndexDelta delta = delta(index, plainPut(LAX));
        assertThat(delta.insert()).contains(entry(index, "r", LAX));
        assertThat(delta.delete()).contains(entry(index, "r", ORD));
        assertThat(reader.reads).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("thatLeaveStaleEntries")
    void underASchemeWithStaleEntriesAPutDoesNotReadTheRow(IndexScheme scheme) throws IOException {
        IndexDefinition index = Flights.byOrigin(scheme);
        IndexDelta delta = delta(index, plainPut(LAX));
        assertThat(delta.insert()).contains(entry(index, "r", LAX));
        assertThat(delta.delete()).isEmpty();
        assertThat(reader.reads).isEmpty();
    }

    /** A tombstone with the same timestamp would hide the put. */
    @Test
    void aPutThatAClientsTimestampMayHideYieldsNoEntryWithoutAReadOfTheRow() {
        RegionMaintainers maintainers =
                new RegionMaintainers(List.of(Flights.byOrigin(IndexScheme.SYNC_INSERT)), reader);
        PlainPut put = new PlainPut(row("r"), LAX.getTimestamp(), List.of(LAX));

        maintainers.raiseHorizon(LAX.getTimestamp() - 1);
        assertThat(maintainers.insertsToldBy(put)).isPresent();

        maintainers.raiseHorizon(LAX.getTimestamp());
        assertThat(maintainers.insertsToldBy(put)).isEmpty();
    }

    @Test
    void aPutOfSomeColumnsOfACompositeTakesTheOthersFromTheRow() throws IOException {
        IndexDefinition full = Flights.byOriginAndDate(IndexScheme.SYNC_FULL);
        IndexDelta delta = delta(full, plainPut(LAX));
        assertThat(delta.insert()).contains(entry(full, "r", LAX, MONDAY));
        assertThat(delta.delete()).contains(entry(full, "r", ORD, MONDAY));

        IndexDefinition insert = Flights.byOriginAndDate(IndexScheme.SYNC_INSERT);
        assertThat(delta(insert, plainPut(LAX)).insert()).contains(entry(insert, "r", LAX, MONDAY));
    }

    @ParameterizedTest
    @MethodSource("thatLeaveStaleEntries")
    void underASchemeWithStaleEntriesAPutOfAllColumnsOfACompositeDoesNotReadTheRow(IndexScheme scheme)
            throws IOException {
        IndexDefinition index = Flights.byOriginAndDate(scheme);
        Cell tuesday = cell("r", "date", "2008-01-08", 200);
        assertThat(delta(index, plainPut(LAX, tuesday)).insert()).contains(entry(index, "r", LAX, tuesday));
        assertThat(reader.reads).isEmpty();
    }

    @Test
    void aRowThatLacksAColumnOfACompositeHasNoEntry() throws IOException {
        HistoryReader half = new HistoryReader().state(9, LAX);
        for (IndexScheme scheme : IndexScheme.values()) {
            RegionMaintainers maintainers = new RegionMaintainers(List.of(Flights.byOriginAndDate(scheme)), half);
            RowChange change = plainPut(LAX);
            assertThat(maintainers.updates(change, maintainers.imagesOf(change), IndexSet.all()))
                    .as(scheme.toString())
                    .isEmpty();
        }
    }

    @Test
    void aPutOfTheSameValueUpdatesTheEntrysTimestampAndDeletesNothing() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        Cell again = cell("r", "origin", "ORD", 200);
        IndexDelta delta = delta(index, plainPut(again));
        assertThat(delta.insert()).contains(entry(index, "r", again));
        assertThat(delta.delete()).isEmpty();
    }

    @Test
    void aDeleteDeletesTheEntryOnlyIfTheSchemeDeletesOldEntries() throws IOException {
        reader.state(9);
        RowChange change = RowChange.of(row("r"), 9, 200, 200);
        IndexDefinition full = Flights.byOrigin(IndexScheme.SYNC_FULL);
        assertThat(delta(full, change).delete()).contains(entry(full, "r", ORD));
        assertThat(delta(full, change).insert()).isEmpty();
        assertThat(delta(Flights.byOrigin(IndexScheme.SYNC_INSERT), change).isEmpty())
                .isTrue();
    }

    @Test
    void aDeleteThatRevealsAnOlderValuePutsItsEntryAgain() throws IOException {
        HistoryReader history = new HistoryReader().state(5, LAX).state(9, ORD);
        RowChange change = RowChange.of(row("r"), 9, 300, 300);
        for (IndexScheme scheme : IndexScheme.values()) {
            IndexDefinition index = Flights.byOrigin(scheme);
            RegionMaintainers maintainers = new RegionMaintainers(List.of(index), history);
            List<IndexUpdate> updates =
                    maintainers.updates(change, maintainers.imagesOf(change), IndexSet.all()).stream()
                            .filter(IndexUpdate::isPut)
                            .toList();
            assertThat(updates).as(scheme.toString()).hasSize(1);
            assertThat(updates.get(0).mutation().getRow())
                    .isEqualTo(entry(index, "r", ORD).key());
        }
    }

    /** A replay of earlier changes may have omitted the entry, because the row had another one by then. */
    @Test
    void writesThatRestoreTheRowsEntryPutItAgain() throws IOException {
        HistoryReader history = new HistoryReader().state(5, ORD).state(7, LAX).state(9, ORD);
        RowChange change = RowChange.between(row("r"), 7, 9, 200, 300);
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        RowImages images = new RowImages(change, history, Long.MIN_VALUE);
        assertThat(IndexMaintainer.of(index).delta(change, images))
                .isEqualTo(IndexDelta.insertOnly(Optional.of(entry(index, "r", ORD))));
        assertThat(IndexMaintainer.of(index, true).delta(change, images).isEmpty())
                .as("whether nothing is put if the entry would outlive its cell")
                .isTrue();
    }

    /** A write that failed may not be in the WAL, so that the region's next server gives its stamp to a later write. */
    @ParameterizedTest
    @EnumSource
    void aWriteThatLeftTheRowAsItWasPutsNothingAtItsStamp(IndexScheme scheme) throws IOException {
        reader.state(9, ORD, MONDAY);
        IndexDefinition index = Flights.byOrigin(scheme);
        RowChange change = RowChange.of(row("r"), 9, 200, 200);
        assertThat(delta(index, change).isEmpty()).isTrue();
        assertThat(updatesOfThePast(index, change)).isEmpty();
    }

    /** A reader may have had the entry deleted while the row had another one. */
    @ParameterizedTest
    @MethodSource("thatLeaveStaleEntries")
    void underASchemeWithStaleEntriesWritesThatRestoreTheRowsEntryPutItAgain(IndexScheme scheme) throws IOException {
        HistoryReader history = new HistoryReader().state(5, ORD).state(7, LAX).state(9, ORD);
        RowChange change = RowChange.between(row("r"), 7, 9, 200, 300);
        IndexDefinition index = Flights.byOrigin(scheme);
        assertThat(IndexMaintainer.of(index).delta(change, new RowImages(change, history, Long.MIN_VALUE)))
                .isEqualTo(IndexDelta.insertOnly(Optional.of(entry(index, "r", ORD))));
    }

    /** Such writes are increments, and several puts of a row in one batch. */
    @ParameterizedTest
    @MethodSource("thatLeaveStaleEntries")
    void underASchemeWithStaleEntriesAWriteThatDatesTheEntryReadsTheRowOnce(IndexScheme scheme) throws IOException {
        IndexDefinition index = Flights.byOrigin(scheme);
        assertThat(delta(index, RowChange.of(row("r"), 9, 200, 200)).insert()).contains(entry(index, "r", LAX));
        assertThat(reader.reads).hasSize(1);
    }

    @Test
    void allIndexesOfATableShareOneReadOfTheRow() throws IOException {
        RegionMaintainers maintainers = new RegionMaintainers(
                List.of(
                        Flights.byOrigin(IndexScheme.SYNC_FULL),
                        Flights.byOriginAndDate(IndexScheme.SYNC_FULL),
                        Flights.byOriginAndDate(IndexScheme.SYNC_INSERT)),
                reader);
        RowChange change = plainPut(LAX);
        assertThat(maintainers.updates(change, maintainers.imagesOf(change), IndexSet.all()))
                .hasSize(5);
        assertThat(reader.reads).hasSize(1);
    }

    @Test
    void updatesOnlyTheRequestedIndexes() throws IOException {
        RegionMaintainers maintainers = new RegionMaintainers(
                List.of(Flights.byOrigin(IndexScheme.SYNC_FULL), Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)), reader);
        RowChange change = plainPut(LAX);
        assertThat(maintainers.updates(change, maintainers.imagesOf(change), IndexSet.asynchronous()))
                .extracting(IndexUpdate::table)
                .containsOnly(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE).indexTable());
        assertThat(maintainers.concernedBy(change, IndexSet.asynchronous())).isTrue();
        assertThat(maintainers.concernedBy(change, IndexSet.whose(IndexScheme::leavesStaleEntries)))
                .isFalse();
    }

    @Test
    void aSessionReceivesTheEntriesOfAsyncSessionIndexesWithTheirStamps() throws IOException {
        IndexDefinition session = Flights.byOrigin(IndexScheme.ASYNC_SESSION).withId("id");
        RegionMaintainers maintainers =
                new RegionMaintainers(List.of(session, Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)), reader);
        RowChange change = plainPut(LAX);
        List<SessionChange> changes = maintainers.sessionChanges(change, maintainers.imagesOf(change), index -> true);
        assertThat(changes)
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(SessionChange.entry(session, change.row(), 200, entry(session, "r", LAX), 200));
    }

    /**
     * The change that brought the present entry may still be in flight: until it is delivered, the row would have no
     * entry.
     */
    @Test
    void deletesAPastEntryTogetherWithAPutOfThePresentOne() throws IOException {
        Cell jfk = cell("r", "origin", "JFK", 300);
        reader.state(12, jfk, MONDAY);
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        List<IndexUpdate> updates = updatesOfThePast(index, RowChange.of(row("r"), 9, 200, 200));
        byte[] present = entry(index, "r", jfk).key();
        assertThat(updates).hasSize(2);
        assertThat(updates.get(0).isPut()).isFalse();
        assertThat(updates.get(0).mutation().getRow())
                .isEqualTo(entry(index, "r", ORD).key());
        assertThat(updates.get(0).successor()).isEqualTo(present);
        assertThat(updates.get(1).isPut()).isTrue();
        assertThat(updates.get(1).mutation().getRow()).isEqualTo(present);
        assertThat(stampOf(updates.get(1))).isEqualTo(200);
    }

    /** The writes after the present change may be merged, so that none of them would delete an entry in between. */
    @Test
    void inAnAsynchronousIndexOnlyItsOwnChangePutsThePresentEntry() throws IOException {
        reader.state(12, cell("r", "origin", "JFK", 300), MONDAY);
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        assertThat(updatesOfThePast(index, RowChange.of(row("r"), 9, 200, 200)))
                .extracting(IndexUpdate::isPut)
                .containsExactly(false);
    }

    @Test
    void doesNotPutAPastEntryThatTheRowNoLongerHas() throws IOException {
        reader.state(12, MONDAY);
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        List<IndexUpdate> updates = updatesOfThePast(index, RowChange.of(row("r"), 9, 200, 200));
        assertThat(updates).hasSize(1);
        assertThat(updates.get(0).isPut()).isFalse();
        assertThat(updates.get(0).successor()).isNull();
    }

    private List<IndexUpdate> updatesOfThePast(IndexDefinition index, RowChange change) throws IOException {
        RegionMaintainers maintainers = new RegionMaintainers(List.of(index), reader);
        return maintainers.updatesOfThePast(change, maintainers.pastOf(List.of(change)), IndexSet.all());
    }

    private static long stampOf(IndexUpdate update) {
        return update.mutation()
                .getFamilyCellMap()
                .values()
                .iterator()
                .next()
                .get(0)
                .getTimestamp();
    }

    @Test
    void isConcernedByItsColumnsAndByDeletesOfTheirFamily() {
        IndexMaintainer maintainer = IndexMaintainer.of(Flights.byOrigin(IndexScheme.SYNC_FULL));
        assertThat(maintainer.concernedBy(ORD)).isTrue();
        assertThat(maintainer.concernedBy(cell("r", "origin", "", 1, Cell.Type.Delete)))
                .isTrue();
        assertThat(maintainer.concernedBy(cell("r", "", "", 1, Cell.Type.DeleteFamily)))
                .isTrue();
        assertThat(maintainer.concernedBy(cell("r", "", "", 1, Cell.Type.DeleteFamilyVersion)))
                .isTrue();
        assertThat(maintainer.concernedBy(MONDAY)).isFalse();
        assertThat(maintainer.concernedBy(cell("r", "date", "", 1, Cell.Type.DeleteColumn)))
                .isFalse();
    }

    private IndexDelta delta(IndexDefinition index, RowChange change) throws IOException {
        return IndexMaintainer.of(index).delta(change, new RowImages(change, reader, Long.MIN_VALUE));
    }

    private static RowChange plainPut(Cell... cells) {
        return RowChange.plainPut(row("r"), 9, 200, List.of(cells));
    }
}
