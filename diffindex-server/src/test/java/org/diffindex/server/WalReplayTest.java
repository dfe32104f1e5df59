package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.Flights.F;
import static org.diffindex.server.Flights.cell;
import static org.diffindex.server.Flights.row;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.InFlight;
import org.diffindex.server.queue.QueueMemory;
import org.junit.jupiter.api.Test;

/** Out of the WAL come the changes that were written into it, with the stamps that they had. */
class WalReplayTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final long SEQUENCE = 42;

    private final RegionMaintainers maintainers =
            new RegionMaintainers(List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)), (row, sequence) -> List.of());
    private RegionInfo region = RegionInfoBuilder.newBuilder(Flights.TABLE).build();

    @Test
    void aPutToWhichTheServerGaveTheTimeHasItAsItsStamp() {
        RowChange change = only(replay(null, cell("r", "origin", "ORD", 100)));
        assertThat(change.row()).isEqualTo(row("r"));
        assertThat(change.firstStamp()).isEqualTo(100);
        assertThat(change.lastStamp()).isEqualTo(100);
        assertThat(change.firstSequence()).isEqualTo(SEQUENCE);
        assertThat(change.lastSequence()).isEqualTo(SEQUENCE);
        assertThat(change.isPlainPut()).isFalse();
    }

    @Test
    void severalWritesOfARowAreOneChangeFromTheFirstStampToTheLast() {
        RowChange change = only(
                replay(null, cell("r", "origin", "ORD", 101), cell("r", "origin", "", 100, Cell.Type.DeleteColumn)));
        assertThat(change.firstStamp()).isEqualTo(100);
        assertThat(change.lastStamp()).isEqualTo(101);
    }

    @Test
    void cellsOfNoIndexGiveNoChangeAndNoStamp() {
        assertThat(replay(null, cell("r", "carrier", "UA", 100))).isEmpty();
        RowChange change = only(replay(
                null,
                cell("r", "origin", "ORD", 100),
                cell("r", "carrier", "UA", 5),
                cell("r", "carrier", "AA", 9_000)));
        assertThat(change.firstStamp()).isEqualTo(100);
        assertThat(change.lastStamp()).isEqualTo(100);
    }

    @Test
    void aDeleteOfTheFamilyConcernsItsIndexes() {
        assertThat(replay(null, cell("r", "", "", 100, Cell.Type.DeleteFamily))).hasSize(1);
    }

    @Test
    void rowsOutsideTheRegionAreLeftToTheirOwn() {
        region = RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setStartKey(row("m"))
                .setEndKey(row("s"))
                .build();
        List<RowChange> changes = replay(
                null,
                cell("a", "origin", "ORD", 100),
                cell("m", "origin", "ORD", 100),
                cell("r", "origin", "ORD", 100),
                cell("s", "origin", "ORD", 100));
        assertThat(changes).extracting(change -> Bytes.toString(change.row())).containsExactly("m", "r");
    }

    @Test
    void marksThatHBaseItselfLoggedAreNoChanges() {
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
        assertThat(WalReplay.changes(key(null), edit, region, maintainers, Map.of()))
                .isEmpty();
    }

    @Test
    void stampsThatTheCellsDoNotTellComeBackFromTheKeyOfTheWalEntry() throws IOException {
        Put explicit = new Put(row("explicit")).addColumn(F, ORIGIN, 7, Bytes.toBytes("ORD"));
        Put future = new Put(row("future")).addColumn(F, ORIGIN, 9_999, Bytes.toBytes("ORD"));
        Delete again = new Delete(row("future")).addColumns(F, ORIGIN, 9_999);
        Put served = new Put(row("served")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
        ServerTime.mark(served);
        FilledTime.fill(served, 1_000);
        MiniBatch batch = stamped(explicit, future, again, served);

        WALEdit edit = edit(cells(explicit, future, again, served));
        WALKeyImpl key = key(null);
        batch.logged(key, edit, maintainers);

        List<RowChange> replayed = WalReplay.changes(key, edit, region, maintainers, Map.of());

        assertThat(replayed)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("plainPut")
                .containsExactlyElementsOf(batch.changes(maintainers));
        assertThat(replayed).extracting(RowChange::firstStamp).containsExactly(1_000L, 1_000L, 1_000L);
        assertThat(replayed).extracting(RowChange::lastStamp).containsExactly(1_000L, 1_001L, 1_000L);
    }

    @Test
    void nothingGoesAlongWithWritesToWhichTheServerGaveTheTime() throws IOException {
        Put served = new Put(row("served")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
        ServerTime.mark(served);
        FilledTime.fill(served, 1_000);
        WALKeyImpl key = key(null);
        stamped(served).logged(key, edit(cells(served)), maintainers);
        assertThat(key.getExtendedAttribute(WalReplay.STAMPS_ATTRIBUTE)).isNull();
    }

    @Test
    void aReplayedEditHasTheSequenceNumberOfItsFirstLogging() {
        WALKeyImpl key = key(null);
        key.setOrigLogSeqNum(17);
        WALEdit edit = new WALEdit();
        edit.add(cell("r", "origin", "ORD", 100));
        assertThat(only(WalReplay.changes(key, edit, region, maintainers, Map.of()))
                        .lastSequence())
                .isEqualTo(17);
    }

    @Test
    void ofAWriteThatIsFlushedThereIsNoChange() {
        WALEdit edit = edit(cell("r", "origin", "ORD", 100));
        Map<byte[], Long> flushed = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        flushed.put(Flights.F, SEQUENCE);
        assertThat(WalReplay.changes(key(null), edit, region, maintainers, flushed))
                .isEmpty();
        flushed.put(Flights.F, SEQUENCE - 1);
        assertThat(WalReplay.changes(key(null), edit, region, maintainers, flushed))
                .hasSize(1);
    }

    private MiniBatch stamped(Mutation... mutations) throws IOException {
        QueueMemory memory = new QueueMemory(1);
        MiniBatch batch = new MiniBatch(
                List.of(mutations), List.of(), any -> false, new InFlight(new FlushBarrier().enter(), memory, 0));
        batch.stamp(new RowClock(() -> Instant.ofEpochMilli(1_000)));
        return batch;
    }

    private List<RowChange> replay(byte[] stamps, Cell... cells) {
        return WalReplay.changes(key(stamps), edit(cells), region, maintainers, Map.of());
    }

    private static WALEdit edit(Cell... cells) {
        WALEdit edit = new WALEdit();
        for (Cell cell : cells) {
            edit.add(cell);
        }
        return edit;
    }

    private WALKeyImpl key(byte[] stamps) {
        WALKeyImpl key = new WALKeyImpl(
                region.getEncodedNameAsBytes(), Flights.TABLE, SEQUENCE, 0, HConstants.DEFAULT_CLUSTER_ID);
        if (stamps != null) {
            key.addExtendedAttribute(WalReplay.STAMPS_ATTRIBUTE, stamps);
        }
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
