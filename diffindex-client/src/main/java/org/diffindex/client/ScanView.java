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
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.ReadPoint;

/**
 * Tells which entries a scan of a range of an index table has met, or will meet. HBase reads each region at one MVCC read
 * point: an entry that is put after the scan has opened its region is not met, even if it lies ahead; and an entry that is
 * met may have been deleted by then.
 *
 * <p>If the servers tell no read points, because another coprocessor of the index table replaces its scanners, the view
 * remembers the entries that the scan has met, within the bounds of {@link RememberedRows}.
 *
 * <p>Used by the one thread, for the one scan, of a scanner.
 */
abstract class ScanView {
    /** The position of a scan that is over. */
    static final byte[] END = new byte[0];

    private final EntryFormat format;

    private final FailedReads failed;

    /** The entries, by key, that the scan has met before a server has told a read point. */
    private final Map<ByteBuffer, FoundEntry> untold = new HashMap<>();

    private long untoldBytes;

    /** Whether {@link #untold} has all of them. */
    private boolean remembersUntold = true;

    private final int mostUntold;

    private boolean isOver;

    /**
     * Creates a view of a scan that has met nothing yet.
     *
     * @param failed decides whether a failed read means that the index was dropped
     * @param mostUntold the most entries to be remembered that the scan meets before a read point is told
     */
    ScanView(EntryFormat format, FailedReads failed, int mostUntold) {
        this.format = format;
        this.failed = failed;
        this.mostUntold = mostUntold;
    }

    /** Records that the scan has met a row of the index table. */
    final void met(Result row, FoundEntry found) {
        boolean isTold = met(row.getRow(), ReadPoint.of(row));
        if (!isTold) {
            remember(found);
        }
    }

    private void remember(FoundEntry found) {
        if (untold.size() < mostUntold && untoldBytes < RememberedRows.MOST_BYTES) {
            untold.put(ByteBuffer.wrap(found.key()), found);
            untoldBytes += found.key().length + found.entry().included().length;
        } else {
            remembersUntold = false;
        }
    }

    /** Records that the scan is over: it will meet nothing more, also in regions in which it has met nothing. */
    final void ends() {
        isOver = true;
    }

    /**
     * Records that the scan has met a key.
     *
     * @param told the read point that came with it, if any
     * @return whether a read point has been told, with this key or before
     */
    abstract boolean met(byte[] key, Optional<ReadPoint> told);

    /** Returns the read point at which the scan has read, or will read, a key; empty if it is not known to read it at one. */
    abstract OptionalLong pointAt(byte[] key);

    /** Returns whether the scan has met no key that it reads at or after this one. */
    abstract boolean liesAhead(byte[] key);

    /** Returns whether the scan reads a key before the first one with which a read point was told. */
    abstract boolean liesBeforeTold(byte[] key);

    abstract boolean hasMetNothing();

    abstract boolean wasToldNothing();

    /** A range of keys that was read at one read point; the point is empty if the scan has met nothing in the range. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Read(byte[] start, byte[] stop, OptionalLong point) {
        /** Returns a range in which the scan has met nothing, or of which nothing is known. */
        static Read of(KeyRange range) {
            return new Read(range.start(), range.stop(), OptionalLong.empty());
        }
    }

    /**
     * Returns, when the scan is over, the parts of its range that were read earlier than the last one; none if the whole
     * range was read at one read point, or nothing is known of what the scan has met.
     *
     * @param range the range of the scan
     * @param opened how often the scan has opened a region. If it is more often than the scan has been told of read
     *     points, the scan has met nothing in one of the regions, perhaps in the last
     * @param isLast whether the query has read nothing after this scan; otherwise all of its parts are returned
     */
    final List<Read> readBefore(KeyRange range, long opened, boolean isLast) {
        if (hasMetNothing()) {
            return isLast && opened == 1 ? List.of() : List.of(Read.of(range));
        }
        if (wasToldNothing()) {
            return (!isLast || opened > 1) && remembersUntold ? List.of(Read.of(range)) : List.of();
        }
        return partsReadBefore(range, opened, isLast);
    }

    /** Returns the same as {@link #readBefore} if a read point was told. */
    abstract List<Read> partsReadBefore(KeyRange range, long opened, boolean isLast);

    /** Returns whether the end of a range lies after another end; an empty end is the table's. */
    static boolean isBehind(byte[] end, byte[] other) {
        return other.length > 0 && (end.length == 0 || Bytes.compareTo(end, other) > 0);
    }

    /**
     * Looks up, in one batched call, the entries that the scan sees at the given keys. In a region that the scan has
     * not opened yet, these are the entries that the index holds now.
     *
     * @return the entries that it sees, by key
     * @throws NoSuchIndexException if the drop of the index has begun
     */
    final Map<ByteBuffer, FoundEntry> at(Collection<byte[]> keys, Table index) throws IOException {
        List<Get> gets = new ArrayList<>(keys.size());
        Map<ByteBuffer, FoundEntry> seen = new HashMap<>();
        for (byte[] key : keys) {
            FoundEntry met = untold.get(ByteBuffer.wrap(key));
            OptionalLong point = pointAt(key);
            if (met != null) {
                seen.put(ByteBuffer.wrap(key), met);
            } else if (point.isPresent()) {
                gets.add(ReadPoint.asOf(format.get(key), point.getAsLong()));
            } else if (isAhead(key) || (liesBeforeTold(key) && !remembersUntold)) {
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
        return !isOver && liesAhead(key);
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
