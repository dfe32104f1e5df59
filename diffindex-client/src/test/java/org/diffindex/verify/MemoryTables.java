package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.tasks.KeyRange;

/**
 * A base table and an index table in memory, each in two regions. A test can damage them, and they can change at every
 * drain. A repair does what a server does.
 */
final class MemoryTables implements ScrubTables {
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] CITY = Bytes.toBytes("city");
    private static final byte[] MIDDLE = Bytes.toBytes("m");

    final AtomicInteger pointReads = new AtomicInteger();
    final AtomicInteger largestRead = new AtomicInteger();
    /** Number of rows whose latest stamps were requested. */
    final AtomicInteger stampReads = new AtomicInteger();
    /** The rows whose latest stamps were requested. */
    final List<String> stampsOf = Collections.synchronizedList(new ArrayList<>());
    /** The number of rows that each call repairs. */
    final List<Integer> repairs = Collections.synchronizedList(new ArrayList<>());
    /** The cells that the scrub deleted itself. */
    final AtomicInteger deletes = new AtomicInteger();

    /** Runs at every drain. */
    Runnable onDrain = () -> {};

    /** Runs when a range of either table is scanned. */
    Runnable onScan = () -> {};

    /** Runs after every read of rows of the base table by their keys. */
    Runnable onBaseRows = () -> {};

    /** Runs before every read of rows of the index table by their keys. */
    Runnable beforeIndexRows = () -> {};

    /** Runs after every read of rows of the index table by their keys. */
    Runnable afterIndexRows = () -> {};

    /** Runs at every repair. */
    Runnable onRepair = () -> {};

    long undelivered;

    /** Whether a repair puts an entry with another timestamp. */
    boolean repairsWrongly;

    /** Whether a repair changes nothing. */
    boolean repairsNothing;

    /** Whether a repair deletes the wrong entry, and puts none. */
    boolean repairsByDeleting;

    /** The latest stamp of a write that the servers report. */
    long latestStamp = Long.MAX_VALUE;

    private final IndexEntryFunction function;
    private final NavigableMap<byte[], Cell> base = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    private final NavigableMap<byte[], List<Cell>> index = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    private long clock = 1_000_000;

    /** Creates tables whose servers use a definition. */
    MemoryTables(IndexDefinition definition) {
        this.function = new IndexEntryFunction(definition);
    }

    /** Writes a base row without indexing it. */
    synchronized void putBase(String row, String city, long timestamp) {
        base.put(Bytes.toBytes(row), cell(Bytes.toBytes(row), F, CITY, timestamp, Bytes.toBytes(city)));
    }

    synchronized void deleteBase(String row) {
        base.remove(Bytes.toBytes(row));
    }

    /** Puts the entry that the row should have. */
    synchronized void index(String row) {
        IndexEntry entry = entry(Bytes.toBytes(row));
        putIndex(entry.key(), entry.timestamp(), new byte[0]);
    }

    synchronized byte[] keyOf(String row) {
        return entry(Bytes.toBytes(row)).key();
    }

    synchronized void putIndex(byte[] key, long stamp, byte[] value) {
        putStray(key, EntryFormat.QUALIFIER, stamp, value);
    }

    synchronized void putStray(byte[] key, byte[] qualifier, long stamp, byte[] value) {
        List<Cell> cells = index.computeIfAbsent(key, none -> new ArrayList<>());
        cells.removeIf(cell -> CellUtil.matchingQualifier(cell, qualifier));
        cells.add(cell(key, EntryFormat.FAMILY, qualifier, stamp, value));
    }

    synchronized void deleteIndex(byte[] key) {
        index.remove(key);
    }

    synchronized void clearIndex() {
        index.clear();
    }

    private IndexEntry entry(byte[] row) {
        return function.entryOf(row, List.of(base.get(row))).orElseThrow();
    }

    /** The keys of the index table. */
    synchronized List<String> keys() {
        return index.keySet().stream().map(Bytes::toStringBinary).toList();
    }

    private static Cell cell(byte[] row, byte[] family, byte[] qualifier, long timestamp, byte[] value) {
        return CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
                .setRow(row)
                .setFamily(family)
                .setQualifier(qualifier)
                .setTimestamp(timestamp)
                .setType(Cell.Type.Put)
                .setValue(value)
                .build();
    }

    @Override
    public List<ScrubRange> baseRanges() {
        return ranges();
    }

    @Override
    public List<ScrubRange> indexRanges() {
        return ranges();
    }

    private static List<ScrubRange> ranges() {
        byte[] none = {};
        return List.of(
                new ScrubRange(none, MIDDLE, new byte[] {'a'}, MIDDLE),
                new ScrubRange(MIDDLE, none, MIDDLE, new byte[] {'z'}));
    }

    @Override
    public KeyRange baseRegionOf(byte[] row) {
        ScrubRange region = ranges().get(Bytes.compareTo(row, MIDDLE) < 0 ? 0 : 1);
        return new KeyRange(region.start(), region.end());
    }

    @Override
    public int rowsOfALook() {
        return Place.PAGE;
    }

    @Override
    public ScrubTables afterWaitFor(int rows) {
        return this;
    }

    private static <T> NavigableMap<byte[], T> in(ScrubRange range, NavigableMap<byte[], T> table) {
        NavigableMap<byte[], T> tail = table.tailMap(range.start(), true);
        return range.end().length == 0 ? tail : tail.headMap(range.end(), false);
    }

    @Override
    public void scanBase(ScrubRange range, Rows rows) throws IOException {
        List<Result> results;
        synchronized (this) {
            onScan.run();
            results = in(range, base).values().stream()
                    .map(cell -> Result.create(List.of(cell)))
                    .toList();
        }
        for (Result row : results) {
            rows.next(row);
        }
    }

    @Override
    public void scanIndex(ScrubRange range, Rows rows) throws IOException {
        List<Result> results;
        synchronized (this) {
            onScan.run();
            results =
                    in(range, index).values().stream().map(MemoryTables::result).toList();
        }
        for (Result row : results) {
            rows.next(row);
        }
    }

    private static Result result(Collection<Cell> cells) {
        return cells == null ? Result.EMPTY_RESULT : Result.create(List.copyOf(cells));
    }

    @Override
    public synchronized Result[] baseRows(List<byte[]> rows) {
        countRead(rows.size());
        Result[] results = rows.stream()
                .map(row -> base.containsKey(row) ? Result.create(List.of(base.get(row))) : Result.EMPTY_RESULT)
                .toArray(Result[]::new);
        onBaseRows.run();
        return results;
    }

    @Override
    public synchronized Result[] indexRows(List<byte[]> keys) {
        countRead(keys.size());
        beforeIndexRows.run();
        Result[] results = keys.stream().map(key -> result(index.get(key))).toArray(Result[]::new);
        afterIndexRows.run();
        return results;
    }

    private void countRead(int places) {
        pointReads.addAndGet(places);
        largestRead.accumulateAndGet(places, Math::max);
    }

    @Override
    public long[] latestStamps(List<byte[]> rows) {
        stampReads.addAndGet(rows.size());
        rows.forEach(row -> stampsOf.add(Bytes.toString(row)));
        return rows.stream().mapToLong(row -> latestStamp).toArray();
    }

    @Override
    public synchronized long drain(Duration timeout) {
        onDrain.run();
        return undelivered;
    }

    @Override
    public synchronized void repair(List<RowRepair> wanted) {
        repairs.add(wanted.size());
        onRepair.run();
        for (RowRepair repair : repairsNothing ? List.<RowRepair>of() : wanted) {
            repair.key().ifPresent(index::remove);
            if (base.containsKey(repair.row()) && !repairsByDeleting) {
                IndexEntry right = entry(repair.row());
                if (repair.key().isEmpty() || Bytes.equals(repair.key().get(), right.key())) {
                    long timestamp = repairsWrongly ? right.timestamp() - 1 : right.timestamp();
                    putIndex(right.key(), ++clock, Bytes.toBytes(timestamp));
                }
            }
        }
    }

    @Override
    public synchronized void delete(List<Delete> deletes) {
        this.deletes.addAndGet(deletes.size());
        for (Delete delete : deletes) {
            Cell which = delete.getFamilyCellMap().get(EntryFormat.FAMILY).get(0);
            List<Cell> cells = index.get(delete.getRow());
            cells.removeIf(
                    cell -> CellUtil.matchingQualifier(cell, which) && cell.getTimestamp() == which.getTimestamp());
            if (cells.isEmpty()) {
                index.remove(delete.getRow());
            }
        }
    }
}
