package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.local.FilledTime;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.QueueMemory;
import org.junit.jupiter.api.Test;

/** Tests that a replay yields the changes that were logged, with their stamps. */
class WalReplayTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final long SEQUENCE = 42;

    private static final byte[] G = Bytes.toBytes("g");
    private static final IndexDefinition OF_TWO_FAMILIES = IndexDefinition.builder(Flights.TABLE, "of_two_families")
            .column("f", "origin", ColumnTypes.STRING)
            .column("g", "origin", ColumnTypes.STRING)
            .scheme(IndexScheme.SYNC_FULL)
            .build();

    private RegionMaintainers maintainers =
            new RegionMaintainers(List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)), (row, sequence) -> List.of());
    private IndexSet expiring = IndexSet.none();
    private long newStamp = 5_000;
    private long lastInFiles;

    /** The stamps by which the clock of the whole region is raised. */
    private final List<Long> kept = new ArrayList<>();

    private RegionInfo region = RegionInfoBuilder.newBuilder(Flights.TABLE).build();

    @Test
    void aPutWithTheServersTimestampHasItAsItsStamp() throws IOException {
        RowChange change = only(replay(cell("r", "origin", "ORD", 100)));
        assertThat(change.row()).isEqualTo(row("r"));
        assertThat(change.firstStamp()).isEqualTo(100);
        assertThat(change.lastStamp()).isEqualTo(100);
        assertThat(change.firstSequence()).isEqualTo(SEQUENCE);
        assertThat(change.lastSequence()).isEqualTo(SEQUENCE);
        assertThat(change.isPlainPut()).isFalse();
    }

    @Test
    void severalWritesOfARowAreOneChangeFromTheFirstStampToTheLast() throws IOException {
        RowChange change =
                only(replay(cell("r", "origin", "ORD", 101), cell("r", "origin", "", 100, Cell.Type.DeleteColumn)));
        assertThat(change.firstStamp()).isEqualTo(100);
        assertThat(change.lastStamp()).isEqualTo(101);
    }

    @Test
    void unindexedCellsYieldNoChangeAndNoStamp() throws IOException {
        assertThat(replay(cell("r", "carrier", "UA", 100))).isEmpty();
        RowChange change = only(replay(
                cell("r", "origin", "ORD", 100), cell("r", "carrier", "UA", 5), cell("r", "carrier", "AA", 9_000)));
        assertThat(change.firstStamp()).isEqualTo(100);
        assertThat(change.lastStamp()).isEqualTo(100);
    }

    @Test
    void aDeleteOfTheFamilyYieldsAChange() throws IOException {
        assertThat(replay(cell("r", "", "", 100, Cell.Type.DeleteFamily))).hasSize(1);
    }

    @Test
    void ignoresRowsOutsideTheRegion() throws IOException {
        region = RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setStartKey(row("m"))
                .setEndKey(row("s"))
                .build();
        List<RowChange> changes = replay(
                cell("a", "origin", "ORD", 100),
                cell("m", "origin", "ORD", 100),
                cell("r", "origin", "ORD", 100),
                cell("s", "origin", "ORD", 100));
        assertThat(changes).extracting(change -> Bytes.toString(change.row())).containsExactly("m", "r");
    }

    @Test
    void ignoresMarkersThatHBaseLogged() throws IOException {
        WALEdit edit = WALEdit.createCompaction(
                region,
                org.apache.hadoop.hbase.shaded.protobuf.generated.WALProtos.CompactionDescriptor.newBuilder()
                        .setTableName(org.apache.hbase.thirdparty.com.google.protobuf.ByteString.copyFrom(
                                Flights.TABLE.getName()))
                        .setEncodedRegionName(org.apache.hbase.thirdparty.com.google.protobuf.ByteString.copyFrom(
                                region.getEncodedNameAsBytes()))
                        .setFamilyName(org.apache.hbase.thirdparty.com.google.protobuf.ByteString.copyFrom(F))
                        .setStoreHomeDir("f")
                        .build());
        assertThat(changes(stampedKey(), edit, Map.of())).isEmpty();
    }

    @Test
    void stampsThatTheCellsDoNotShowAreReadFromTheWalKey() throws IOException {
        Put explicit = new Put(row("explicit")).addColumn(F, ORIGIN, 7, Bytes.toBytes("ORD"));
        Put future = new Put(row("future")).addColumn(F, ORIGIN, 9_999, Bytes.toBytes("ORD"));
        Delete again = new Delete(row("future")).addColumns(F, ORIGIN, 9_999);
        Put served = new Put(row("served")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
        ServerTime.mark(served);
        FilledTime.fill(served, 1_000);
        MiniBatch batch = stamped(explicit, future, again, served);

        WALEdit edit = edit(cells(explicit, future, again, served));
        WALKeyImpl key = key();
        batch.logged(key, edit, maintainers);

        List<RowChange> replayed = changes(key, edit, Map.of());

        assertThat(replayed)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("plainPut")
                .containsExactlyElementsOf(batch.changes(maintainers));
        assertThat(replayed).extracting(RowChange::firstStamp).containsExactly(1_000L, 1_000L, 1_000L);
        assertThat(replayed).extracting(RowChange::lastStamp).containsExactly(1_000L, 1_000L, 1_000L);
    }

    @Test
    void writesWithTheServersTimestampsCarryOnlyTheMark() throws IOException {
        Put served = new Put(row("served")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
        ServerTime.mark(served);
        FilledTime.fill(served, 1_000);
        WALKeyImpl key = key();
        stamped(served).logged(key, edit(cells(served)), maintainers);
        assertThat(key.getExtendedAttribute(WalStamps.ATTRIBUTE)).containsExactly(1);
    }

    @Test
    void aReplayedEditHasItsOriginalSequenceNumber() throws IOException {
        WALKeyImpl key = stampedKey();
        key.setOrigLogSeqNum(17);
        WALEdit edit = new WALEdit();
        edit.add(cell("r", "origin", "ORD", 100));
        assertThat(only(changes(key, edit, Map.of())).lastSequence()).isEqualTo(17);
    }

    @Test
    void aFlushedWriteYieldsNoChange() throws IOException {
        WALEdit edit = edit(cell("r", "origin", "ORD", 100));
        Map<byte[], Long> flushed = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        flushed.put(Flights.F, SEQUENCE);
        assertThat(changes(stampedKey(), edit, flushed)).isEmpty();
        flushed.put(Flights.F, SEQUENCE - 1);
        assertThat(changes(stampedKey(), edit, flushed)).hasSize(1);
    }

    @Test
    void aWriteOfWhichOneFamilyIsFlushedYieldsTheChangesOfTheRowsThatAreRestored() throws IOException {
        maintainers = new RegionMaintainers(List.of(OF_TWO_FAMILIES), (row, sequence) -> List.of());
        Map<byte[], Long> flushed = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        flushed.put(F, SEQUENCE + 5);
        flushed.put(G, SEQUENCE - 1);
        WALEdit edit = edit(cell("flushed", "origin", "ORD", 100), cell("both", "origin", "ORD", 101), ofG("both", 99));
        RowChange change = only(changes(stampedKey(), edit, flushed));
        assertThat(change.row()).isEqualTo(row("both"));
        assertThat(change.firstStamp()).isEqualTo(99);
        assertThat(change.lastStamp()).isEqualTo(101);
        assertThat(change.firstSequence()).isEqualTo(SEQUENCE);
        assertThat(change.lastSequence()).as("the last write in a file").isEqualTo(SEQUENCE + 5);
    }

    private static Cell ofG(String row, long timestamp) {
        return new KeyValue(row(row), G, ORIGIN, timestamp, Bytes.toBytes("ORD"));
    }

    @Test
    void anEditWithoutTheMarkGetsANewStampWhateverItsTimestamps() throws IOException {
        RowChange change = only(changes(key(), edit(cell("r", "origin", "ORD", 9_000_000_000_000L)), Map.of()));
        assertThat(change.firstStamp()).isEqualTo(5_001);
        assertThat(change.lastStamp()).isEqualTo(5_001);
        assertThat(change.firstSequence()).isEqualTo(SEQUENCE);
    }

    /** Otherwise later writes in the WAL, whose stamps are smaller, could not delete what the edit left in an index. */
    @Test
    void editsAfterOneWithoutTheMarkAlsoGetNewStamps() throws IOException {
        WalReplay replay = replay();
        replay.changes(stampedKey(), edit(cell("r", "origin", "ORD", 100)), Map.of());
        replay.changes(key(), edit(cell("r", "origin", "LAX", 100)), Map.of());
        RowChange last = only(replay.changes(stampedKey(), edit(cell("r", "origin", "JFK", 200)), Map.of()));
        assertThat(last.firstStamp()).isEqualTo(5_002);
        assertThat(last.lastStamp()).isEqualTo(5_002);
        RowChange ahead = only(replay.changes(stampedKey(), edit(cell("r", "origin", "SFO", 9_000)), Map.of()));
        assertThat(ahead.firstStamp())
                .as("new stamp, later than the logged one")
                .isEqualTo(9_001);
    }

    /** A replay that failed may have given the stamps in the files, to writes that HBase does not replay again. */
    @Test
    void editsGetNewStampsFromTheFirstOnThatASpillFileMayContradict() throws IOException {
        lastInFiles = 200;
        WalReplay replay = replay();
        RowChange first = only(replay.changes(stampedKey(), edit(cell("r", "origin", "ORD", 201)), Map.of()));
        assertThat(first.lastStamp()).isEqualTo(201);
        RowChange second = only(replay.changes(stampedKey(), edit(cell("s", "origin", "LAX", 200)), Map.of()));
        assertThat(second.firstStamp()).isEqualTo(5_001);
        assertThat(second.lastStamp()).isEqualTo(5_001);
        RowChange last = only(replay.changes(stampedKey(), edit(cell("r", "origin", "JFK", 202)), Map.of()));
        assertThat(last.lastStamp()).isEqualTo(5_002);
        assertThat(kept)
                .as("stamps that raise the clock; a new one would move it ahead with each edit")
                .containsExactly(201L);
    }

    @Test
    void anUnindexedEditWithoutTheMarkChangesNoStamps() throws IOException {
        WalReplay replay = replay();
        assertThat(replay.changes(key(), edit(cell("r", "carrier", "UA", 100)), Map.of()))
                .isEmpty();
        RowChange next = only(replay.changes(stampedKey(), edit(cell("r", "origin", "JFK", 200)), Map.of()));
        assertThat(next.firstStamp()).isEqualTo(200);
    }

    /** There, clients give no timestamps, and an entry with another stamp would outlive its row. */
    @Test
    void timestampsAreStampsIfEntriesExpire() throws IOException {
        expiring = IndexSet.all();
        lastInFiles = 200;
        assertThat(only(changes(key(), edit(cell("r", "origin", "ORD", 100)), Map.of()))
                        .lastStamp())
                .isEqualTo(100);
    }

    /** The timestamps of the row that does not expire may be a client's, as those of any write without stamps. */
    @Test
    void aRowThatDoesNotExpireGetsANewStampBesideOneThatDoes() throws IOException {
        IndexDefinition ofG = IndexDefinition.builder(Flights.TABLE, "of_g")
                .column("g", "origin", ColumnTypes.STRING)
                .scheme(IndexScheme.SYNC_FULL)
                .build();
        maintainers = new RegionMaintainers(
                List.of(Flights.byOrigin(IndexScheme.SYNC_FULL), ofG), (row, sequence) -> List.of());
        expiring = IndexSet.of(ofG);
        List<RowChange> changes =
                changes(key(), edit(ofG("expires", 100), cell("stays", "origin", "ORD", 9_000_000_000_000L)), Map.of());
        assertThat(changes).extracting(RowChange::lastStamp).containsExactly(100L, 5_001L);
    }

    @Test
    void failsOnStampsOfAnotherFormat() {
        WALKeyImpl key = key();
        key.addExtendedAttribute(WalStamps.ATTRIBUTE, new byte[] {2});
        assertThatIOException()
                .isThrownBy(() -> changes(key, edit(cell("r", "origin", "ORD", 100)), Map.of()))
                .withMessageContaining("format");
    }

    private MiniBatch stamped(Mutation... mutations) throws IOException {
        QueueMemory memory = new QueueMemory(1);
        MiniBatch batch = new MiniBatch(
                List.of(mutations),
                List.of(),
                any -> false,
                new PendingBatch(new FlushBarrier().register(), memory, 0));
        batch.stamp(new RowClock(() -> Instant.ofEpochMilli(1_000)), null, (writes, why) -> {
            throw why;
        });
        return batch;
    }

    private List<RowChange> replay(Cell... cells) throws IOException {
        return changes(stampedKey(), edit(cells), Map.of());
    }

    private List<RowChange> changes(WALKeyImpl key, WALEdit edit, Map<byte[], Long> flushed) throws IOException {
        return replay().changes(key, edit, flushed);
    }

    /** Returns a replay that gives the new stamps 5,001, 5,002 and so on. */
    private WalReplay replay() {
        return new WalReplay(
                region,
                maintainers,
                expiring,
                (row, logged) -> newStamp = Math.max(newStamp, logged) + 1,
                kept::add,
                stamp -> stamp > lastInFiles);
    }

    private static WALEdit edit(Cell... cells) {
        WALEdit edit = new WALEdit();
        for (Cell cell : cells) {
            edit.add(cell);
        }
        return edit;
    }

    private WALKeyImpl key() {
        return new WALKeyImpl(
                region.getEncodedNameAsBytes(), Flights.TABLE, SEQUENCE, 0, HConstants.DEFAULT_CLUSTER_ID);
    }

    /** Returns the key of writes whose stamps are their timestamps. */
    private WALKeyImpl stampedKey() {
        WALKeyImpl key = key();
        WalStamps.of(Map.of(), List.of()).addTo(key);
        return key;
    }

    private static Cell[] cells(Mutation... mutations) {
        return java.util.Arrays.stream(mutations)
                .flatMap(mutation -> mutation.getFamilyCellMap().values().stream())
                .flatMap(List::stream)
                .toArray(Cell[]::new);
    }

    private static RowChange only(List<RowChange> changes) {
        assertThat(changes).hasSize(1);
        return changes.get(0);
    }
}
