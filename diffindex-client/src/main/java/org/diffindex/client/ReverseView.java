package org.diffindex.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.KeyOrder;
import org.diffindex.model.ReadPoint;

/**
 * The view of a scan from the greatest key to the least. With a read point a server tells where its scanner began, and the
 * end of its region, but not the region's start: how far down a scanner reads is known only as far as it has met entries.
 * Between the last entry of one scanner and the beginning of the next the scan has met nothing, whichever scanner has read
 * there. So of a key ahead it is not known whether the present scanner will read it, and the index as it is now is asked;
 * what the scan does not meet after all is looked up when it has passed the key ({@link ExpectedEntries}).
 */
final class ReverseView extends ScanView {
    /**
     * A part of a region that one scanner has read, at one read point.
     *
     * @param last the last key that it has met, the least of the part
     * @param end the end of the part, exclusive; empty for the table's
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Part(long point, byte[] last, byte[] end) {
        boolean contains(byte[] key) {
            return Bytes.compareTo(key, last) >= 0 && (end.length == 0 || Bytes.compareTo(key, end) < 0);
        }
    }

    /** The parts of the scanners before the present one, by their last keys. */
    private final TreeMap<byte[], Part> before = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    /** The read point of the present scanner; null until a server has told one. */
    private ReadPoint told;

    /** The end of the part that the present scanner reads. */
    private byte[] end = END;

    /** The end of the first part; what lies behind it was read before a read point was told. */
    private byte[] firstEnd = END;

    /** The last key that the scan has met; null if it has met none. */
    private byte[] last;

    ReverseView(EntryFormat format, UntoldEntries untold) {
        super(format, untold);
    }

    @Override
    boolean met(byte[] key, Optional<ReadPoint> point) {
        if (point.isPresent() && !point.get().equals(told)) {
            if (told != null) {
                before.put(last, present());
            }
            end = endOf(point.get(), key);
            firstEnd = told == null ? end : firstEnd;
            told = point.get();
        }
        last = key;
        return told != null;
    }

    private Part present() {
        return new Part(told.point(), last, end);
    }

    /** Returns the end of the part of a scanner whose first entry has been met. */
    private byte[] endOf(ReadPoint point, byte[] first) {
        byte[] least = Bytes.getBytes(point.regionEnd());
        byte[] begin = beginOf(point.start());
        if (Bytes.compareTo(begin, first) > 0 && isBehind(least, begin)) { // else it is the start of the region
            least = begin;
        }
        return last != null && isBehind(least, last) ? last : least;
    }

    /**
     * Returns the end, exclusive, of what a scanner reads. A server tells the first key after the one at which the scanner
     * was opened, exclusively; or that key itself, if it was opened inclusively.
     */
    private static byte[] beginOf(ByteBuffer toldStart) {
        byte[] start = Bytes.getBytes(toldStart);
        boolean isExclusive = start.length > 0 && start[start.length - 1] == 0;
        return isExclusive ? Arrays.copyOf(start, start.length - 1) : KeyOrder.firstAfter(start);
    }

    @Override
    OptionalLong pointAt(byte[] key) {
        Map.Entry<byte[], Part> part = before.floorEntry(key);
        if (part != null && part.getValue().contains(key)) {
            return OptionalLong.of(part.getValue().point());
        }
        return told != null && present().contains(key) ? OptionalLong.of(told.point()) : OptionalLong.empty();
    }

    @Override
    boolean liesAhead(byte[] key) {
        return last == null || Bytes.compareTo(key, last) < 0;
    }

    @Override
    boolean liesBeforeTold(byte[] key) {
        return told == null || (firstEnd.length > 0 && Bytes.compareTo(key, firstEnd) >= 0);
    }

    @Override
    boolean hasMetNothing() {
        return last == null;
    }

    @Override
    boolean wasToldNothing() {
        return told == null;
    }

    @Override
    List<Read> partsReadBefore(KeyRange range, long opened, boolean isLast) {
        List<Read> reads = new ArrayList<>();
        byte[] to = range.stop();
        for (Part part : before.descendingMap().values()) {
            to = addGap(part, to, reads);
            reads.add(new Read(part.last(), to, OptionalLong.of(part.point())));
            to = part.last();
        }
        to = addGap(present(), to, reads);
        boolean isReadToTheEnd = opened == before.size() + 1; // by the present scanner, since there was no further one
        if (isReadToTheEnd && isLast) {
            return reads;
        }
        byte[] from = isReadToTheEnd ? range.start() : last;
        reads.add(new Read(from, to, OptionalLong.of(told.point())));
        KeyRange rest = new KeyRange(range.start(), from);
        if (!isReadToTheEnd && !rest.isEmpty()) {
            reads.add(Read.of(rest));
        }
        return reads;
    }

    /** Adds what lies between the end of a part and what is read above it; returns the end of the part within the range. */
    private static byte[] addGap(Part part, byte[] to, List<Read> reads) {
        if (!isBehind(to, part.end())) {
            return to;
        }
        reads.add(Read.of(new KeyRange(part.end(), to)));
        return part.end();
    }
}
