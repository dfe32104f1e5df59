package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
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
import org.diffindex.model.EntryCheck;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckResponse;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which entries a region confirms, on a real region, and on the parts where a write has to be in the way. */
class RememberedEntriesTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] DATE = Bytes.toBytes("date");
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_INSERT);
    private static final IndexDefinition BY_BOTH = Flights.byOriginAndDate(IndexScheme.SYNC_INSERT);
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
    void confirmsNothingOfRowsThatItDoesNotRemember() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX), Map.of(Settings.ROW_MEMORY_BYTES, "0"))) {
            put(local, "r", "ORD");
            assertThat(check(local, entry(local, "r"))).isEqualTo(bits());
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
    void confirmsNothingOfARowWithACellThatMayExpire() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(BY_BOTH))) {
            local.region().put(RowMemoryTest.expiringOrigin());
            local.region().put(new Put(row("r")).addColumn(F, DATE, Bytes.toBytes("1")));
            assertThat(check(local, request(BY_BOTH, entry(local, BY_BOTH, "r"))))
                    .isEqualTo(bits());
            put(local, "r", "LAX");
            assertThat(check(local, request(BY_BOTH, entry(local, BY_BOTH, "r"))))
                    .isEqualTo(bits(0));
        }
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

    @Test
    void confirmsNothingOfARowThatIsKnownOnlyOnceItIsRead() throws IOException {
        Parts parts = new Parts(new RowLocks());
        IndexEntry entry = parts.remember("ORD");
        parts.memory.forget(row("r"));
        RowMemory.Slot slot = parts.memory.reserve(row("r"));
        assertThat(parts.confirmed(entry)).isFalse();
        slot.fill(List.of(Flights.cell("r", "origin", "ORD", 100)));
        assertThat(parts.confirmed(entry)).isTrue();
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

    /** The row may have shown the new value already when the old one was found. */
    @Test
    void confirmsNothingIfARowWasWrittenMeanwhile() throws IOException {
        Runnable[] write = {() -> {}};
        Parts parts = new Parts(new RowLocks() {
            @Override
            public boolean isHeld(ImmutableBytesWritable row) {
                write[0].run();
                return super.isHeld(row);
            }
        });
        IndexEntry entry = parts.remember("ORD");
        assertThat(parts.confirmed(entry)).isTrue();
        write[0] = () -> parts.remember("LAX");
        assertThat(parts.confirmed(entry)).isFalse();
    }

    @Test
    void confirmsNothingOnceTheRegionMayHaveMoved() throws IOException {
        Parts parts = new Parts(new RowLocks());
        IndexEntry entry = parts.remember("ORD");
        parts.isOwner = false;
        assertThat(parts.confirmed(entry)).isFalse();
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
        final RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
        final RememberedEntries entries;
        boolean isOwner = true;
        boolean mayRead = true;
        long time = 100;

        Parts(RowLocks locks) {
            this.locks = locks;
            RowOrder order = new RowOrder(
                    locks,
                    new RowClock(InstantSource.system()),
                    new UncertainWrites(),
                    (row, families, clock, stamp) -> stamp);
            this.entries = new RememberedEntries(
                    RegionInfoBuilder.newBuilder(Flights.TABLE).build(),
                    new RegionMaintainers(List.of(INDEX), (row, sequence) -> List.of()),
                    memory,
                    order,
                    index -> mayRead,
                    () -> isOwner);
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
    private static IndexEntry entry(LocalRegion local, String row) throws IOException {
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

    private static BitSet check(LocalRegion local, IndexEntry... entries) throws IOException {
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
