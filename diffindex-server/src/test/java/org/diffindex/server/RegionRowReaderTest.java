package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MultiVersionConcurrencyControl;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.maintain.PresentRows;
import org.diffindex.server.maintain.RecentWrites;
import org.diffindex.server.maintain.RegionRowReader;
import org.diffindex.server.maintain.RowReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that each way of reading the past of rows, one by one or together, yields what the table showed. */
class RegionRowReaderTest {
    private static final int ROWS = 24;
    private static final int STEPS = 25;
    private static final long SAME_TIME = 1_000;

    private final IndexDefinition index = Flights.byOriginAndDate(IndexScheme.SYNC_FULL);
    private final Random random = new Random(11);

    @TempDir
    Path folder;

    @Test
    void everyWayOfReadingYieldsWhatTheTableShowed() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1_000, List.of(index))) {
            HRegion region = local.region();
            for (int i = 0; i < ROWS; i++) {
                region.put(put(row(i)));
            }
            local.drain();
            region.flush(true);
            NavigableMap<Long, NavigableMap<byte[], List<String>>> shown = new TreeMap<>();
            for (int step = 0; step < STEPS; step++) {
                region.batchMutate(someWrites());
                shown.put(region.getReadPoint(IsolationLevel.READ_COMMITTED), shown(region));
            }
            for (RowReader reader : List.of(nearReader(region), farReader(region))) {
                assertThatEachIsRead(reader, shown);
                for (long sequence : shown.keySet()) {
                    NavigableSet<byte[]> some = someRows();
                    NavigableMap<byte[], List<Cell>> together = reader.readAll(some, sequence);
                    assertThat(together.navigableKeySet()).containsExactlyElementsOf(some);
                    for (byte[] row : some) {
                        List<String> expected = shown.get(sequence).get(row);
                        assertThat(described(together.get(row))).isEqualTo(expected);
                        assertThat(described(reader.read(row, sequence))).isEqualTo(expected);
                    }
                }
            }
        }
    }

    @Test
    void rowsAreReadAsTheyAreNow() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1_000, List.of(index))) {
            HRegion region = local.region();
            for (int i = 0; i < ROWS; i++) {
                region.put(put(row(i)));
            }
            region.flush(true);
            region.batchMutate(someWrites());
            PresentRows.Snapshot seen = nearReader(region).readPresent(rows(0, 3, 4, 2 * ROWS), () -> true);
            assertThat(seen.readPoint()).isEqualTo(region.getReadPoint(IsolationLevel.READ_COMMITTED));
            NavigableMap<byte[], List<String>> shown = shown(region);
            assertThat(seen.rows()).hasSize(4);
            seen.rows().forEach((row, cells) -> assertThat(described(cells))
                    .isEqualTo(shown.getOrDefault(row, List.of())));
        }
    }

    @Test
    void rowsAreReadAsLongAsThereIsTime() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1_000, List.of(index))) {
            local.region().put(put(row(0)));
            Iterator<Boolean> goesOn = List.of(true, true, false).iterator();
            NavigableSet<byte[]> asked = rows(0, 1, 2, 3);
            assertThat(nearReader(local.region())
                            .readPresent(asked, goesOn::next)
                            .rows()
                            .keySet())
                    .containsExactlyElementsOf(rows(0, 1));
        }
    }

    /** Compares all points in each row's history, read together. */
    private static void assertThatEachIsRead(
            RowReader reader, NavigableMap<Long, NavigableMap<byte[], List<String>>> shown) throws IOException {
        for (byte[] row : shown.firstEntry().getValue().keySet()) {
            NavigableMap<Long, List<Cell>> each = reader.readEach(row, shown.navigableKeySet());
            for (long sequence : shown.keySet()) {
                assertThat(described(each.get(sequence)))
                        .isEqualTo(shown.get(sequence).get(row));
            }
        }
    }

    @Test
    void readsNothingBeforeTheFirstWrite() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            local.region().put(put(row(0)));
            NavigableSet<byte[]> rows = rows(0, 1);
            assertThat(nearReader(local.region()).readAll(rows, 0).values()).containsOnly(List.of());
            assertThat(farReader(local.region()).readAll(rows, 0).values()).containsOnly(List.of());
        }
    }

    @Test
    void aConcurrentCellWithTheSameTimestampHidesNothingOfThePast() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1_000, List.of(index))) {
            HRegion region = local.region();
            region.put(origin("ORD"));
            long sequence = region.getReadPoint(IsolationLevel.READ_COMMITTED);
            AtomicLong horizon = new AtomicLong(SAME_TIME - 1);
            Region writtenMeanwhile = beforeEachScan(region, () -> {
                horizon.set(SAME_TIME);
                region.put(origin("LAX"));
            });
            RowReader reader = new RegionRowReader(
                    writtenMeanwhile, List.of(index), horizon::get, new RecentWrites(0), () -> true);
            assertThat(reader.read(row(0), sequence))
                    .extracting(cell -> Bytes.toString(CellUtil.cloneValue(cell)))
                    .containsExactly("ORD");
        }
    }

    /**
     * A write during the read is seen completely or not at all; otherwise an entry would be put that the row never had.
     */
    @Test
    void thePresentRowIsNotAMixtureOfTwoWrites() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1_000, List.of(index))) {
            HRegion region = local.region();
            region.put(dateAndOrigin("monday", "ORD"));
            long first = region.getReadPoint(IsolationLevel.READ_COMMITTED);
            AtomicBoolean isWritten = new AtomicBoolean();
            LongSupplier writing = () -> {
                if (isWritten.compareAndSet(false, true)) {
                    put(region, dateAndOrigin("tuesday", "LAX"));
                }
                return Long.MIN_VALUE;
            };
            RowReader reader = new RegionRowReader(region, List.of(index), writing, new RecentWrites(0), () -> true);
            NavigableMap<Long, List<Cell>> read =
                    reader.readEach(row(0), new TreeSet<>(List.of(first - 1, first, RowReader.NOW)));
            assertThat(isWritten).isTrue();
            assertThat(values(read.get(first))).containsExactly("monday", "ORD");
            assertThat(values(read.get(RowReader.NOW))).isIn(List.of("monday", "ORD"), List.of("tuesday", "LAX"));
        }
    }

    /**
     * HBase shows a write when all writes before it, of whatever rows, are shown; its index updates may come before
     * that.
     */
    @Test
    void thePresentRowHasARequestedWriteThatHBaseDoesNotShowYet() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (LocalRegion local = new LocalRegion(folder, 1_000, List.of(index))) {
            HRegion region = local.region();
            region.put(dateAndOrigin("monday", "ORD"));
            MultiVersionConcurrencyControl.WriteEntry earlier = region.getMVCC().begin();
            long size = region.getMemStoreDataSize();
            Future<?> put = thread.submit(() -> put(region, dateAndOrigin("tuesday", "LAX")));
            try {
                Waiting.until("the put is in memory", () -> region.getMemStoreDataSize() > size);
                long sequence = earlier.getWriteNumber() + 1;
                assertThat(valuesNow(region, RowReader.NOW)).containsExactly("monday", "ORD");
                assertThat(valuesNow(region, sequence, RowReader.NOW)).containsExactly("tuesday", "LAX");
            } finally {
                region.getMVCC().complete(earlier);
            }
            put.get();
        } finally {
            thread.shutdownNow();
        }
    }

    /** Returns what the row holds now, when its past is read together with that. */
    private List<String> valuesNow(HRegion region, Long... sequences) throws IOException {
        return values(nearReader(region)
                .readEach(row(0), new TreeSet<>(List.of(sequences)))
                .get(RowReader.NOW));
    }

    private static Put dateAndOrigin(String date, String origin) {
        return new Put(row(0))
                .addColumn(F, Bytes.toBytes("date"), Bytes.toBytes(date))
                .addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin));
    }

    private static void put(HRegion region, Put put) {
        try {
            region.put(put);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> values(List<Cell> cells) {
        return cells.stream()
                .map(cell -> Bytes.toString(CellUtil.cloneValue(cell)))
                .toList();
    }

    private static Put origin(String origin) {
        return new Put(row(0)).addColumn(F, Bytes.toBytes("origin"), SAME_TIME, Bytes.toBytes(origin));
    }

    /** A write to the region. */
    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }

    private static Region beforeEachScan(Region region, Write write) {
        return (Region) Proxy.newProxyInstance(
                Region.class.getClassLoader(), new Class<?>[] {Region.class}, (self, method, arguments) -> {
                    if (method.getName().equals("getScanner")) {
                        write.run();
                    }
                    return method.invoke(region, arguments);
                });
    }

    /** HBase shows only the last of them to a raw scan. */
    @Test
    void distinguishesPutsOfOneTimestamp() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            HRegion region = local.region();
            NavigableMap<Long, NavigableMap<byte[], List<String>>> shown = new TreeMap<>();
            for (int i = 0; i < STEPS; i++) {
                String column = i % 3 == 0 ? "date" : "origin";
                region.put(new Put(row(0)).addColumn(F, Bytes.toBytes(column), 1 + i % 2, Bytes.toBytes("value" + i)));
                shown.put(region.getReadPoint(IsolationLevel.READ_COMMITTED), shown(region));
            }
            assertThatEachIsRead(
                    new RegionRowReader(region, List.of(index), () -> 2, new RecentWrites(0), () -> true), shown);
        }
    }

    /** A column with an empty qualifier is sorted among the tombstones of its family. */
    @Test
    void distinguishesFamilyTombstonesOfOneTimestampBehindACellWithoutAQualifier() throws IOException {
        IndexDefinition both = IndexDefinition.builder(Flights.TABLE, "both")
                .column("f", "", ColumnTypes.STRING)
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(IndexScheme.SYNC_FULL)
                .build();
        try (LocalRegion local = new LocalRegion(folder, 1_000, List.of(both))) {
            HRegion region = local.region();
            region.put(new Put(row(0)).addColumn(F, Bytes.toBytes("origin"), 40, Bytes.toBytes("ORD")));
            region.delete(new Delete(row(0)).addFamily(F, 50));
            region.put(new Put(row(0)).addColumn(F, new byte[0], 100, Bytes.toBytes("first")));
            long hidden = region.getReadPoint(IsolationLevel.READ_COMMITTED);
            region.delete(new Delete(row(0)).addFamily(F, 50));
            long hiddenAgain = region.getReadPoint(IsolationLevel.READ_COMMITTED);
            RowReader reader = new RegionRowReader(region, List.of(both), () -> 100, new RecentWrites(0), () -> true);
            NavigableMap<Long, List<Cell>> read = reader.readEach(row(0), new TreeSet<>(List.of(hidden, hiddenAgain)));
            assertThat(values(read.get(hidden))).containsExactly("first");
            assertThat(values(read.get(hiddenAgain))).containsExactly("first");
        }
    }

    private static final class FirstKey extends WALKeyImpl {
        FirstKey() {
            setSequenceId(1);
        }
    }

    private RegionRowReader nearReader(HRegion region) {
        RecentWrites fewSinceTheFirst = new RecentWrites(1);
        fewSinceTheFirst.add(new FirstKey(), 1);
        return new RegionRowReader(region, List.of(index), () -> Long.MIN_VALUE, fewSinceTheFirst, () -> true);
    }

    private RowReader farReader(HRegion region) {
        return new RegionRowReader(region, List.of(index), () -> Long.MIN_VALUE, new RecentWrites(0), () -> true);
    }

    private static byte[] row(int number) {
        return Bytes.toBytes(String.format("r%02d", number));
    }

    private static NavigableSet<byte[]> rows(int... numbers) {
        NavigableSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
        for (int number : numbers) {
            rows.add(row(number));
        }
        return rows;
    }

    /** Returns row keys, including some that the table never had. */
    private NavigableSet<byte[]> someRows() {
        return rows(random.ints(12, 0, 2 * ROWS).toArray());
    }

    private Put put(byte[] row) {
        Put put = new Put(row);
        for (String column : List.of("a", "date", "m", "origin", "z")) {
            if (random.nextInt(4) > 0 || column.equals("a")) {
                put.addColumn(F, Bytes.toBytes(column), Bytes.toBytes(column + random.nextInt(1_000)));
            }
        }
        return put;
    }

    /** Returns writes of rows of the table and of a range of new rows. */
    private Mutation[] someWrites() {
        List<Mutation> writes = new ArrayList<>();
        random.ints(8, 0, 3 * ROWS / 2).distinct().forEach(number -> {
            Delete delete = new Delete(row(number));
            switch (random.nextInt(6)) {
                case 0 -> writes.add(delete.addFamily(F));
                case 1 -> writes.add(delete.addColumns(F, Bytes.toBytes("origin")));
                case 2 -> writes.add(delete.addColumn(F, Bytes.toBytes("date")));
                default -> writes.add(put(row(number)));
            }
        });
        return writes.toArray(Mutation[]::new);
    }

    private NavigableMap<byte[], List<String>> shown(HRegion region) throws IOException {
        NavigableMap<byte[], List<String>> shown = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        for (int i = 0; i < 2 * ROWS; i++) {
            Result result = region.get(index.addReadColumns(new Get(row(i))));
            shown.put(row(i), result.isEmpty() ? List.of() : described(List.of(result.rawCells())));
        }
        return shown;
    }

    private static List<String> described(List<Cell> cells) {
        return cells.stream()
                .map(cell ->
                        cell + "=" + Bytes.toString(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()))
                .toList();
    }
}
