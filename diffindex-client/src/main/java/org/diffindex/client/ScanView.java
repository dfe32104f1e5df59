package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.KeyOrder;
import org.diffindex.model.ReadPoint;

/**
 * Tells which entries a scan of an index table has met, or will meet. HBase reads each region at one MVCC read point:
 * an entry that is put after the scan has opened its region is not met, even if it lies ahead; and an entry that is met
 * may have been deleted by then.
 *
 * <p>If the servers tell no read points, because another coprocessor of the index table replaces its scanners, the view
 * remembers the entries that the scan has met, within the bounds of {@link RememberedRows}.
 *
 * <p>Used by the one thread, for the one scan, of a scanner.
 */
final class ScanView {
    /** A part of a region that one scanner reads, at one read point; it starts at its key in the map. */
    private record Part(ReadPoint readPoint) {
        boolean reaches(byte[] key) {
            byte[] end = Bytes.getBytes(readPoint.regionEnd());
            return end.length == 0 || Bytes.compareTo(key, end) < 0;
        }
    }

    /** The position of a scan that is over. */
    static final byte[] END = new byte[0];

    /** The parts by their first keys, compared as unsigned bytes. Empty until a server has told a read point. */
    private final TreeMap<byte[], Part> parts = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    private final EntryFormat format;

    private final FailedReads failed;

    /** The entries, by key, that the scan has met before a server has told a read point. */
    private final Map<ByteBuffer, FoundEntry> untold = new HashMap<>();

    private long untoldBytes;

    /** Whether {@link #untold} has all of them. */
    private boolean remembersUntold = true;

    private Part last;

    private final int mostUntold;

    private boolean isOver;

    /** The first key after the last one that the scan has met; empty if it has met none. */
    private byte[] behindLast = END;

    /**
     * Creates a view of a scan that has met nothing yet.
     *
     * @param failed decides whether a failed read means that the index was dropped
     */
    ScanView(EntryFormat format, FailedReads failed) {
        this(format, failed, RememberedRows.MOST);
    }

    /**
     * Creates a view that remembers only that many of the entries that the scan meets before a read point is told.
     */
    ScanView(EntryFormat format, FailedReads failed, int mostUntold) {
        this.format = format;
        this.failed = failed;
        this.mostUntold = mostUntold;
    }

    /** Records that the scan has met a row of the index table. */
    void met(Result row, FoundEntry found) {
        Optional<ReadPoint> told = ReadPoint.of(row);
        if (told.isPresent() && (last == null || !told.get().equals(last.readPoint))) {
            // A server of an earlier version tells the region's start key, also of a scanner that was opened behind it.
            byte[] start = Bytes.getBytes(told.get().start());
            last = new Part(told.get());
            parts.put(Bytes.compareTo(start, behindLast) > 0 ? start : behindLast, last);
        }
        if (last == null) {
            remember(found);
        }
        behindLast = KeyOrder.firstAfter(row.getRow());
    }

    private void remember(FoundEntry found) {
        if (untold.size() < mostUntold && untoldBytes < RememberedRows.MOST_BYTES) {
            untold.put(ByteBuffer.wrap(found.key()), found);
            untoldBytes += found.key().length;
        } else {
            remembersUntold = false;
        }
    }

    /** Records that the scan is over: it will meet nothing more, also in regions in which it has met nothing. */
    void ends() {
        isOver = true;
    }

    private boolean hasMetNothing() {
        return behindLast.length == 0;
    }

    /** A range of keys that was read at one read point; the point is empty if the scan has met nothing in the range. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Read(byte[] start, byte[] stop, OptionalLong point) {}

    /**
     * Returns, when the scan is over, the ranges within the bounds that were read earlier than the last one, in key
     * order; none if the whole range was read at one read point, or nothing is known of what the scan has met.
     *
     * @param opened how often the scan has opened a region. If it is more often than the scan has been told of read
     *     points, the scan has met nothing in one of the regions, perhaps in the last
     */
    List<Read> readBefore(QueryBounds bounds, long opened) {
        if (hasMetNothing()) {
            return opened == 1 ? List.of() : List.of(all(bounds));
        }
        if (parts.isEmpty()) {
            return opened > 1 && remembersUntold ? List.of(all(bounds)) : List.of();
        }
        List<Read> reads = new ArrayList<>();
        byte[] from = bounds.start();
        for (Map.Entry<byte[], Part> part : parts.entrySet()) {
            byte[] start = Bytes.compareTo(part.getKey(), from) > 0 ? part.getKey() : from;
            byte[] next = Optional.ofNullable(parts.higherKey(part.getKey())).orElse(bounds.stop());
            byte[] end = part.getValue().reaches(next) && next.length > 0
                    ? next
                    : Bytes.getBytes(part.getValue().readPoint.regionEnd());
            if (Bytes.compareTo(from, start) < 0) {
                reads.add(new Read(from, start, OptionalLong.empty()));
            }
            from = isBehind(end, bounds.stop()) ? bounds.stop() : end;
            reads.add(new Read(
                    start, from, OptionalLong.of(part.getValue().readPoint.point())));
        }
        boolean isReadToTheEnd = Arrays.equals(from, bounds.stop());
        if (!reads.isEmpty() && isReadToTheEnd && opened == parts.size()) {
            reads.remove(reads.size() - 1);
        } else if (!reads.isEmpty() && !isReadToTheEnd) {
            reads.add(new Read(from, bounds.stop(), OptionalLong.empty()));
        }
        return reads;
    }

    private static Read all(QueryBounds bounds) {
        return new Read(bounds.start(), bounds.stop(), OptionalLong.empty());
    }

    /** Returns whether the end of a range lies after another end; an empty end is the table's. */
    private static boolean isBehind(byte[] end, byte[] other) {
        return other.length > 0 && (end.length == 0 || Bytes.compareTo(end, other) > 0);
    }

    /**
     * Looks up, in one batched call, the entries that the scan sees at the given keys. In a region that the scan has
     * not opened yet, these are the entries that the index holds now.
     *
     * @return the entries that it sees, by key
     * @throws NoSuchIndexException if the drop of the index has begun
     */
    Map<ByteBuffer, FoundEntry> at(Collection<byte[]> keys, Table index) throws IOException {
        List<Get> gets = new ArrayList<>(keys.size());
        Map<ByteBuffer, FoundEntry> seen = new HashMap<>();
        for (byte[] key : keys) {
            FoundEntry met = untold.get(ByteBuffer.wrap(key));
            Map.Entry<byte[], Part> part = parts.floorEntry(key);
            if (met != null) {
                seen.put(ByteBuffer.wrap(key), met);
            } else if (part != null && part.getValue().reaches(key)) {
                gets.add(ReadPoint.asOf(
                        format.get(key), part.getValue().readPoint.point()));
            } else if (isAhead(key) || (part == null && !remembersUntold)) {
                gets.add(format.get(key));
            }
            // else the scan has passed the key without meeting anything
        }
        for (Result result : entries(index, gets)) {
            if (!result.isEmpty()) {
                FoundEntry found = new FoundEntry(format.entryOf(result), format.stampOf(result), false);
                seen.put(ByteBuffer.wrap(found.key()), found);
            }
        }
        return seen;
    }

    private boolean isAhead(byte[] key) {
        return !isOver && Bytes.compareTo(key, behindLast) >= 0;
    }

    private List<Result> entries(Table index, List<Get> gets) throws IOException {
        try {
            return lookUp(index, gets);
        } catch (IOException e) {
            throw failed.exceptionFor(e);
        }
    }

    /**
     * Reads rows. A single get is sent by this thread; HBase's client sends a batch of several from threads of its own.
     */
    static List<Result> lookUp(Table table, List<Get> gets) throws IOException {
        return switch (gets.size()) {
            case 0 -> List.of();
            case 1 -> List.of(table.get(gets.get(0)));
            default -> Arrays.asList(table.get(gets));
        };
    }
}
