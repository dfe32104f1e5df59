package org.diffindex.client;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.ReadPoint;

/**
 * Tells which entries a scan of a range of an index table has met, or will meet. HBase reads each region at one MVCC read
 * point: an entry that is put after the scan has opened its region is not met, even if it lies ahead; and an entry that is
 * met may have been deleted by then.
 *
 * <p>If the servers tell no read points, because another coprocessor of the index table replaces its scanners, the view
 * remembers the entries that the scan has met, in the {@link UntoldEntries} of the query.
 *
 * <p>Used by the one thread, for the one scan, of a scanner.
 */
abstract class ScanView {
    /** The position of a scan that is over. */
    static final byte[] END = new byte[0];

    private final EntryFormat format;

    private final UntoldEntries untold;

    /** Whether {@link #untold} has all entries that the scan has met before a server has told a read point. */
    private boolean remembersUntold = true;

    private boolean isOver;

    /**
     * Creates a view of a scan that has met nothing yet.
     *
     * @param untold remembers the entries that the scan meets before a read point is told
     */
    ScanView(EntryFormat format, UntoldEntries untold) {
        this.format = format;
        this.untold = untold;
    }

    /** Records that the scan has met a row of the index table. */
    final void met(Result row, FoundEntry found) {
        boolean isTold = met(row.getRow(), ReadPoint.of(row));
        if (!isTold && !untold.add(found)) {
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
     * Returns the get that reads, of the index table, the entry that the scan sees at a key of its range; empty if it has
     * passed the key without meeting anything. In a region that the scan has not opened yet, that is the entry that the
     * index holds now. An entry that {@link UntoldEntries} has is not looked up.
     */
    final Optional<Get> lookAt(byte[] key) {
        OptionalLong point = pointAt(key);
        if (point.isPresent()) {
            return Optional.of(ReadPoint.asOf(format.get(key), point.getAsLong()));
        }
        boolean isUnknown = isAhead(key) || (liesBeforeTold(key) && !remembersUntold);
        return isUnknown ? Optional.of(format.get(key)) : Optional.empty();
    }

    private boolean isAhead(byte[] key) {
        return !isOver && liesAhead(key);
    }
}
