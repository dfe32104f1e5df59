package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryCheck;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckResponse;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.maintain.PresentRows;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.metrics.IndexCounters;
import org.diffindex.server.queue.DeliveryStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which entries a region confirms, on a real region, and on the parts where a write has to be in the way. */
class PresentEntriesTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] DATE = Bytes.toBytes("date");
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_INSERT);
    private static final long NANOS_TO_READ = 1_000;
    private static final IndexEntryFunction FUNCTION = new IndexEntryFunction(INDEX);

    @TempDir
    Path folder;

    @Test
    void confirmsTheEntriesThatRowsYieldNow() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local, "r", "ORD");
            put(local, "s", "ORD");
            IndexEntry old = entry(local, "s");
            put(local, "s", "LAX");
            IndexEntry gone = entry(local, "r");
            IndexEntry present = entry(local, "s");
            assertThat(check(local, gone, old, present)).isEqualTo(bits(0, 2));
            local.region().delete(new Delete(row("r")));
            assertThat(check(local, gone, old, present)).isEqualTo(bits(2));
        }
    }

    /** The timestamp of an entry stays the same when its row loses an older cell. */
    @Test
    void confirmsNoEntryThatIncludesWhatItsRowHasLost() throws IOException {
        IndexDefinition covering = IndexDefinition.builder(Flights.TABLE, "covering")
                .column("f", "origin", ColumnTypes.STRING)
                .include("f", "date", ColumnTypes.STRING)
                .scheme(IndexScheme.SYNC_INSERT)
                .build();
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(covering))) {
            local.region().put(new Put(row("r")).addColumn(F, DATE, Bytes.toBytes("2008-01-07")));
            put(local, "r", "ORD");
            IndexEntry dated = entry(local, covering, "r");
            local.region().delete(new Delete(row("r")).addColumns(F, DATE));
            IndexEntry undated = entry(local, covering, "r");
            assertThat(undated.sameKey(dated)).isTrue();
            assertThat(undated.timestamp()).isEqualTo(dated.timestamp());
            assertThat(check(local, request(covering, dated, undated))).isEqualTo(bits(1));
        }
    }

    /**
     * A put of the past, below a tombstone in a file, is shown once a major compaction has dropped the tombstone: the row
     * changes without a write.
     */
    @Test
    void forgetsWhatRowsShowedBeforeACompaction() throws IOException {
        IndexDefinition full = Flights.byOrigin(IndexScheme.SYNC_FULL);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX, full))) {
            put(local, "r", "ORD");
            IndexEntry old = entry(local, "r");
            local.region().delete(new Delete(row("r")));
            local.region().flush(true);
            local.region().put(new Put(row("r")).addColumn(F, ORIGIN, old.timestamp() - 1_000, Bytes.toBytes("LAX")));
            assertThat(check(local, old)).isEqualTo(bits());
            local.region().compact(true);
            assertThat(check(local, entry(local, "r"))).isEqualTo(bits(0));
        }
    }

    /** HBase counts a hidden put among the versions to be kept, and a flush may drop the one that is shown. */
    @Test
    void forgetsWhatRowsShowedBeforeAFlush() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            local.region().put(new Put(row("r")).addColumn(F, ORIGIN, 9, Bytes.toBytes("nine")));
            local.region().delete(new Delete(row("r")).addColumn(F, ORIGIN, 9));
            local.region().flush(true);
            local.region().put(new Put(row("r")).addColumn(F, ORIGIN, 5, Bytes.toBytes("five")));
            local.region().put(new Put(row("r")).addColumn(F, ORIGIN, 9, Bytes.toBytes("hidden")));
            IndexEntry five = entry(local, "r");
            assertThat(check(local, five)).isEqualTo(bits(0));
            local.region().flush(true);
            assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
            assertThat(check(local, five)).isEqualTo(bits());
        }
    }

    @Test
    void aReadOfRememberedRowsLooksNothingUp() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            for (int i = 0; i < 100; i++) {
                put(local, "row%03d".formatted(i), "ORD");
            }
            int hits = 0;
            try (IndexedTable table = new IndexedTable(local.network().connection(), Flights.TABLE);
                    IndexScanner scanner = table.getByIndex(
                            IndexQuery.index(INDEX.name()).equalTo("ORD").build())) {
                while (scanner.next() != null) {
                    hits++;
                }
            }
            assertThat(hits).isEqualTo(100);
            assertThat(local.network().baseGets.own()).isZero();
        }
    }

    @Test
    void doesNotConfirmAnEntryOfTheSameKeyFromAnotherWrite() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local, "r", "ORD");
            IndexEntry first = entry(local, "r");
            put(local, "r", "ORD");
            assertThat(check(local, first, entry(local, "r"))).isEqualTo(bits(1));
        }
    }

    @Test
    void readsRowsThatItDoesNotRemember() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX), Map.of(Settings.ROW_MEMORY_BYTES, "0"))) {
            put(local, "r", "ORD");
            put(local, "s", "ORD");
            put(local, "t", "ORD");
            IndexEntry old = entry(local, "s");
            put(local, "s", "LAX");
            assertThat(check(local, entry(local, "t"), old, entry(local, "r"), entry(local, "s")))
                    .isEqualTo(bits(0, 2, 3));
        }
    }

    @Test
    void remembersTheRowsThatItReads() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local, "r", "ORD");
            IndexEntry first = entry(local, "r");
            local.region().delete(new Delete(row("r")));
            assertThat(check(local, first)).as("of a row that has been deleted").isEqualTo(bits());
            put(local, "r", "LAX");
            local.region().put(new Put(row("s")).addColumn(F, DATE, Bytes.toBytes("1")));
            IndexEntry present = entry(local, "r");
            assertThat(check(local, first, present)).isEqualTo(bits(1));
        }
    }

    @Test
    void aWriteAfterARowWasReadFindsItsOldEntry() throws IOException {
        IndexDefinition full = Flights.byOrigin(IndexScheme.SYNC_FULL);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(full))) {
            local.region().put(new Put(row("r")).addColumn(F, ORIGIN, 5, Bytes.toBytes("ORD"))); // is not remembered
            IndexEntry first = entry(local, full, "r");
            assertThat(check(local, request(full, first))).isEqualTo(bits(0));
            long reads = local.base().reads.own();
            put(local, "r", "LAX");
            assertThat(local.base().reads.own()).isEqualTo(reads);
            assertThat(local.indexTable(full).entries()).isEqualTo(local.expected(full));
        }
    }

    @Test
    void refusesToCheckAnotherIndex() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local, "r", "ORD");
            CheckRequest.Builder request = request(entry(local, "r"));
            assertThat(check(local, request)).isEqualTo(bits(0));
            for (CheckRequest.Builder other : List.of(
                    request.clone().setIndexId("another"),
                    request.clone().setIndex("another"),
                    request.clone().clearIndexId())) {
                assertThatThrownBy(() -> check(local, other)).isInstanceOf(DoNotRetryIOException.class);
            }
        }
    }

    @Test
    void confirmsNothingBesideACoprocessorThatHidesCells() throws IOException {
        try (LocalRegion local =
                new LocalRegion(folder, 1, List.of(INDEX), Map.of(), Intruders.with(Intruders.HidingFromGets.class))) {
            put(local, "r", "ORD");
            assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
            assertThat(check(local, entry(local, "r"))).isEqualTo(bits());
        }
    }

    /** Such a cell comes from another cluster. */
    @Test
    void readsARowWithACellThatMayExpireAnewEachTime() throws IOException {
        Parts parts = new Parts(new RowLocks());
        Cell expiring = new KeyValue(
                row("r"),
                F,
                ORIGIN,
                100,
                Bytes.toBytes("ORD"),
                List.<Tag>of(new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(100_000L))));
        parts.read = List.of(expiring);
        IndexEntry entry = FUNCTION.entryOf(row("r"), parts.read).orElseThrow();
        assertThat(parts.confirmed(entry)).isTrue();
        parts.read = List.of();
        assertThat(parts.confirmed(entry)).as("of a cell that has expired").isFalse();
    }

    @Test
    void confirmsNothingOfTablesWithATtl() throws IOException {
        try (LocalRegion local = new LocalRegion(
                folder,
                1,
                List.of(INDEX),
                Map.of(),
                table -> table.modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                        .setTimeToLive(100_000)
                        .build()))) {
            put(local, "r", "ORD");
            assertThat(check(local, entry(local, "r"))).isEqualTo(bits());
        }
    }

    /** The put of one of two indexed columns needs no old value here, so it does not read the row that it leaves. */
    @Test
    void remembersARowWhoseLastWriteHasNotReadIt() throws IOException {
        IndexDefinition other = Flights.byOriginAndDate(IndexScheme.ASYNC_SIMPLE);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX, other))) {
            put(local, "r", "ORD");
            IndexEntry entry = entry(local, "r");
            assertThat(check(local, entry)).isEqualTo(bits(0));
            long reads = local.base().reads.own();
            assertThat(check(local, entry)).isEqualTo(bits(0));
            assertThat(local.base().reads.own()).isEqualTo(reads);
        }
    }

    @Test
    void confirmsNothingOfRowsForWhichThereIsNoTime() throws IOException {
        Parts parts = new Parts(new RowLocks());
        IndexEntry entry = parts.remember("ORD");
        parts.memory.forget(row("r"));
        parts.read = List.of(Flights.cell("r", "origin", "ORD", 100));
        parts.nanosForEachLook = NANOS_TO_READ;
        assertThat(parts.confirmed(entry)).isFalse();
        parts.nanosForEachLook = NANOS_TO_READ - 1;
        assertThat(parts.confirmed(entry)).isTrue();
    }

    /** The reader may have seen the row before the write. */
    @Test
    void doesNotRememberWhatItReadDuringAWrite() throws IOException {
        Parts parts = new Parts(new RowLocks());
        IndexEntry old = parts.remember("ORD");
        parts.memory.forget(row("r"));
        parts.read = List.of(Flights.cell("r", "origin", "ORD", 100));
        parts.whileReading = () -> parts.remember("LAX");
        assertThat(parts.confirmed(old)).as("as of the read").isTrue();
        parts.whileReading = () -> {};
        assertThat(parts.confirmed(old)).as("as of now").isFalse();
    }

    @Test
    void aFailedReadLeavesNothingBehind() throws IOException {
        Parts parts = new Parts(new RowLocks());
        IndexEntry entry = parts.remember("ORD");
        parts.memory.forget(row("r"));
        parts.read = List.of(Flights.cell("r", "origin", "ORD", 100));
        parts.whileReading = () -> {
            throw new UncheckedIOException(new IOException("the file is gone"));
        };
        assertThatThrownBy(() -> parts.confirmed(entry)).hasMessageContaining("the file is gone");
        assertThat(parts.shared.bytes()).isZero();
    }

    @Test
    void refusesRequestsThatAreTooLongOrOfUnequalLengths() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local, "r", "ORD");
            IndexEntry[] many = new IndexEntry[EntryCheck.MOST_ENTRIES + 1];
            Arrays.fill(many, entry(local, "r"));
            CheckRequest.Builder most = request(Arrays.copyOf(many, EntryCheck.MOST_ENTRIES));
            assertThat(check(local, most).cardinality()).isEqualTo(EntryCheck.MOST_ENTRIES);
            for (CheckRequest.Builder malformed :
                    List.of(request(many), request(many[0]).addFingerprint(1))) {
                assertThatThrownBy(() -> check(local, malformed))
                        .isInstanceOf(DoNotRetryIOException.class)
                        .hasMessageContaining("none was checked");
            }
        }
    }

    @Test
    void confirmsNothingWhileARowIsBeingWritten() throws IOException {
        Parts parts = new Parts(new RowLocks());
        IndexEntry entry = parts.remember("ORD");
        assertThat(parts.confirmed(entry)).isTrue();
        RowLocks.Held write = parts.locks.acquire(Set.of(new ImmutableBytesWritable(row("r"))));
        assertThat(parts.confirmed(entry)).isFalse();
        write.release();
        assertThat(parts.confirmed(entry)).isTrue();
    }

    /** The row may show the new value to others although the old one is still remembered. */
    @Test
    void looksAtTheLocksBeforeItAsksTheMemory() throws IOException {
        Runnable[] write = {() -> {}};
        Parts parts = new Parts(new RowLocks() {
            @Override
            public Set<ImmutableBytesWritable> heldAmong(Set<ImmutableBytesWritable> rows) {
                Set<ImmutableBytesWritable> held = super.heldAmong(rows);
                write[0].run();
                return held;
            }
        });
        IndexEntry old = parts.remember("ORD");
        IndexEntry[] present = new IndexEntry[1];
        write[0] = () -> present[0] = parts.remember("LAX");
        assertThat(parts.confirmed(old)).isFalse();
        write[0] = () -> {};
        assertThat(parts.confirmed(present[0])).isTrue();
    }

    @Test
    void confirmsNothingOnceTheRegionMayHaveMoved() throws IOException {
        Parts parts = new Parts(new RowLocks());
        IndexEntry entry = parts.remember("ORD");
        assertThat(parts.confirmed(entry)).isTrue();
        parts.isOwner = false;
        assertThat(parts.confirmed(entry)).isFalse();
        assertThat(parts.counters.confirmedEntries.sum()).isOne();
    }

    @Test
    void confirmsNothingToACallerWhoMayNotReadTheColumns() throws IOException {
        Parts parts = new Parts(new RowLocks());
        IndexEntry entry = parts.remember("ORD");
        parts.mayRead = false;
        assertThat(parts.confirmed(entry)).isFalse();
    }

    /** The parts of a region without the region. */
    private static final class Parts {
        final RowLocks locks;
        final RowMemory.Shared shared = new RowMemory.Shared(10_000);
        final RowMemory memory = new RowMemory(shared, new LongAdder());
        final IndexCounters counters = new IndexCounters();
        final PresentEntries entries;
        boolean isOwner = true;
        boolean mayRead = true;
        long time = 100;

        /** What a read of row r returns. */
        List<Cell> read = List.of();

        Runnable whileReading = () -> {};
        long nanosForEachLook;
        private long nanos;

        Parts(RowLocks locks) {
            this.locks = locks;
            this.entries = new PresentEntries(
                    RegionInfoBuilder.newBuilder(Flights.TABLE).build(),
                    new RegionMaintainers(List.of(INDEX), (row, sequence) -> List.of()),
                    new PresentRows(locks, memory, this::read, NANOS_TO_READ, this::nanoTime),
                    index -> mayRead,
                    () -> isOwner,
                    new DeliveryStats(Map.of(INDEX.indexTable(), counters)));
        }

        private PresentRows.Snapshot read(NavigableSet<byte[]> rows, BooleanSupplier goesOn) {
            List<Cell> seen = read;
            whileReading.run();
            Map<byte[], List<Cell>> found = new TreeMap<>(Bytes.BYTES_COMPARATOR);
            rows.stream().takeWhile(row -> goesOn.getAsBoolean()).forEach(row -> found.put(row, seen));
            return new PresentRows.Snapshot(1, found);
        }

        private long nanoTime() {
            long now = nanos;
            nanos += nanosForEachLook;
            return now;
        }

        /** Remembers what row r shows after a write of its origin; returns its entry. */
        IndexEntry remember(String origin) {
            Cell cell = Flights.cell("r", "origin", origin, time++);
            memory.forget(row("r"));
            memory.remember(row("r"), List.of(cell));
            return FUNCTION.entryOf(row("r"), List.of(cell)).orElseThrow();
        }

        boolean confirmed(IndexEntry entry) throws IOException {
            return entries.confirmed(request(entry).build()).get(0);
        }
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin)));
    }

    /** Returns the entry that a row yields. */
    static IndexEntry entry(LocalRegion local, String row) throws IOException {
        return entry(local, INDEX, row);
    }

    private static IndexEntry entry(LocalRegion local, IndexDefinition index, String row) throws IOException {
        List<Cell> cells = new ArrayList<>();
        try (RegionScanner scanner = local.region().getScanner(new Scan(new Get(row(row))))) {
            scanner.next(cells);
        }
        return new IndexEntryFunction(index).entryOf(row(row), cells).orElseThrow();
    }

    private static CheckRequest.Builder request(IndexEntry... entries) {
        return request(INDEX, entries);
    }

    private static CheckRequest.Builder request(IndexDefinition index, IndexEntry... entries) {
        CheckRequest.Builder request =
                CheckRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
        for (IndexEntry entry : entries) {
            request.addKey(ByteString.copyFrom(entry.key())).addFingerprint(entry.fingerprint());
        }
        return request;
    }

    static BitSet check(LocalRegion local, IndexEntry... entries) throws IOException {
        return check(local, request(entries));
    }

    private static BitSet check(LocalRegion local, CheckRequest.Builder request) throws IOException {
        ServerRpcController controller = new ServerRpcController();
        CheckResponse[] response = new CheckResponse[1];
        local.endpoint().check(controller, request.build(), answer -> response[0] = answer);
        controller.checkFailed();
        return BitSet.valueOf(response[0].getConfirmed().toByteArray());
    }

    private static BitSet bits(int... positions) {
        BitSet bits = new BitSet();
        Arrays.stream(positions).forEach(bits::set);
        return bits;
    }
}
