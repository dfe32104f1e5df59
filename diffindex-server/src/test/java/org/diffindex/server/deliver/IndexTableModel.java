package org.diffindex.server.deliver;

import java.util.HashSet;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * An index table as HBase keeps it. Of each key the put with the newest timestamp that no tombstone hides, and that has not expired,
 * is visible, whichever came first. The delete of a column hides everything up to its timestamp, that of a version only
 * the put of its timestamp. Thread-safe.
 */
public final class IndexTableModel {
    private static final class Row {
        private final TreeMap<Long, Cell> puts = new TreeMap<>();
        /** How long each put lives, in ms from its stamp. */
        private final TreeMap<Long, Long> lifetimes = new TreeMap<>();

        private final Set<Long> deletedVersions = new HashSet<>(0);
        private long tombstone = Long.MIN_VALUE;

        /** Returns the newest put that is neither deleted nor expired. One that has expired hides no older ones. */
        Optional<Cell> visible(long now) {
            return puts.tailMap(tombstone, false).descendingMap().values().stream()
                    .filter(put -> !deletedVersions.contains(put.getTimestamp()))
                    .filter(put -> !hasExpired(put.getTimestamp(), now))
                    .findFirst();
        }

        /** Returns whether the TTL of a put, or of the table, has passed. */
        private boolean hasExpired(long stamp, long now) {
            return stamp + lifetimes.get(stamp) < now;
        }
    }

    private final int timeToLive;
    private final LongSupplier clock;
    private final TreeMap<byte[], Row> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    private long putCount;
    private long deleteCount;

    /** Creates a table whose entries do not expire. */
    public IndexTableModel() {
        this(HConstants.FOREVER, () -> 0);
    }

    /**
     * Creates a table with a time to live.
     *
     * @param timeToLive in seconds
     * @param clock in milliseconds
     */
    public IndexTableModel(int timeToLive, LongSupplier clock) {
        this.timeToLive = timeToLive;
        this.clock = clock;
    }

    /** Applies a put or a delete of an entry. */
    public synchronized void apply(Mutation mutation) {
        Row row = rows.computeIfAbsent(mutation.getRow(), key -> new Row());
        Cell cell = mutation.getFamilyCellMap().values().iterator().next().get(0);
        if (mutation instanceof Put) {
            putCount++;
            row.puts.put(cell.getTimestamp(), cell);
            long lifetime =
                    timeToLive == HConstants.FOREVER ? Long.MAX_VALUE / 2 : TimeUnit.SECONDS.toMillis(timeToLive);
            row.lifetimes.put(cell.getTimestamp(), Math.min(mutation.getTTL(), lifetime));
        } else {
            deleteCount++;
            if (cell.getType() == Cell.Type.Delete) {
                row.deletedVersions.add(cell.getTimestamp());
                return;
            }
            row.tombstone = Math.max(row.tombstone, cell.getTimestamp());
        }
    }

    /** Drops the tombstones and what they hide. */
    public synchronized void majorCompact() {
        for (Row row : rows.values()) {
            row.puts.headMap(row.tombstone, true).clear();
            row.puts.keySet().removeAll(row.deletedVersions);
            row.deletedVersions.clear();
            row.tombstone = Long.MIN_VALUE;
        }
    }

    /** Removes everything, as when a table is created anew. */
    public synchronized void clear() {
        rows.clear();
    }

    /** Returns the visible cells, by key. */
    public synchronized NavigableMap<byte[], Cell> visible() {
        NavigableMap<byte[], Cell> visible = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        long now = clock.getAsLong();
        rows.forEach((key, row) -> row.visible(now).ifPresent(cell -> visible.put(key, cell)));
        return visible;
    }

    /** Returns the visible entries as text: key, base timestamp, and what they include. */
    public NavigableSet<String> entries() {
        NavigableSet<String> entries = new TreeSet<>();
        visible().forEach((key, cell) -> {
            long timestamp = cell.getValueLength() == 0 ? cell.getTimestamp() : Bytes.toLong(CellUtil.cloneValue(cell));
            byte[] value = CellUtil.cloneValue(cell);
            String included = value.length <= Long.BYTES
                    ? ""
                    : " with " + Bytes.toStringBinary(value, Long.BYTES, value.length - Long.BYTES);
            entries.add(Bytes.toStringBinary(key) + "@" + timestamp + included);
        });
        return entries;
    }

    public synchronized long putCount() {
        return putCount;
    }

    public synchronized long deleteCount() {
        return deleteCount;
    }
}
