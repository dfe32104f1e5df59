package org.diffindex.client;

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

/** The view of a scan from the least key to the greatest. */
final class ForwardView extends ScanView {
    /** A part of a region that one scanner reads, at one read point; it starts at its key in the map. */
    private record Part(ReadPoint readPoint) {
        boolean reaches(byte[] key) {
            byte[] end = Bytes.getBytes(readPoint.regionEnd());
            return end.length == 0 || Bytes.compareTo(key, end) < 0;
        }
    }

    /** The parts by their first keys, compared as unsigned bytes. Empty until a server has told a read point. */
    private final TreeMap<byte[], Part> parts = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    private Part last;

    /** The first key after the last one that the scan has met; empty if it has met none. */
    private byte[] behindLast = END;

    ForwardView(EntryFormat format, UntoldEntries untold) {
        super(format, untold);
    }

    @Override
    boolean met(byte[] key, Optional<ReadPoint> told) {
        if (told.isPresent() && (last == null || !told.get().equals(last.readPoint))) {
            // A server of an earlier version tells the region's start key, also of a scanner that was opened behind it.
            byte[] start = Bytes.getBytes(told.get().start());
            last = new Part(told.get());
            parts.put(Bytes.compareTo(start, behindLast) > 0 ? start : behindLast, last);
        }
        behindLast = KeyOrder.firstAfter(key);
        return last != null;
    }

    @Override
    OptionalLong pointAt(byte[] key) {
        Map.Entry<byte[], Part> part = parts.floorEntry(key);
        return part != null && part.getValue().reaches(key)
                ? OptionalLong.of(part.getValue().readPoint.point())
                : OptionalLong.empty();
    }

    @Override
    boolean liesAhead(byte[] key) {
        return Bytes.compareTo(key, behindLast) >= 0;
    }

    @Override
    boolean liesBeforeTold(byte[] key) {
        return parts.floorKey(key) == null;
    }

    @Override
    boolean hasMetNothing() {
        return behindLast.length == 0;
    }

    @Override
    boolean wasToldNothing() {
        return parts.isEmpty();
    }

    @Override
    List<Read> partsReadBefore(KeyRange range, long opened, boolean isLast) {
        List<Read> reads = new ArrayList<>();
        byte[] from = range.start();
        for (Map.Entry<byte[], Part> part : parts.entrySet()) {
            byte[] start = Bytes.compareTo(part.getKey(), from) > 0 ? part.getKey() : from;
            byte[] next = Optional.ofNullable(parts.higherKey(part.getKey())).orElse(range.stop());
            byte[] end = part.getValue().reaches(next) && next.length > 0
                    ? next
                    : Bytes.getBytes(part.getValue().readPoint.regionEnd());
            if (Bytes.compareTo(from, start) < 0) {
                reads.add(Read.of(new KeyRange(from, start)));
            }
            from = isBehind(end, range.stop()) ? range.stop() : end;
            reads.add(new Read(
                    start, from, OptionalLong.of(part.getValue().readPoint.point())));
        }
        boolean isReadToTheEnd = Arrays.equals(from, range.stop());
        if (isReadToTheEnd && isLast && opened == parts.size()) {
            reads.remove(reads.size() - 1);
        } else if (!isReadToTheEnd) {
            reads.add(Read.of(new KeyRange(from, range.stop())));
        }
        return reads;
    }
}
