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
import org.diffindex.model.IndexEntry;
import org.diffindex.model.ReadPoint;

/**
 * Which entries a scan of an index table has met, or will meet. HBase reads each region as of one moment, so that an entry put
 * after the scan has come to its region is not met, even if it lies ahead; and an entry that is met may be gone by then.
 *
 * <p>For the one thread, and the one scan, of a scanner.
 */
final class ScanView {
    /** A part of a region that is read as of one moment, from its key in the map on. */
    private record Part(ReadPoint readPoint) {
        boolean reaches(byte[] key) {
            byte[] end = Bytes.getBytes(readPoint.regionEnd());
            return end.length == 0 || Bytes.compareTo(key, end) < 0;
        }
    }

    /** The position of a scan that is over. */
    static final byte[] END = new byte[0];

    /** By their first keys, compared as unsigned bytes. Empty if the servers do not tell. */
    private final TreeMap<byte[], Part> parts = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    private final EntryFormat format;

    private Part last;

    private boolean isOver;

    /** The first key behind the last one that the scan has met. */
    private byte[] behindLast = END;

    /** The view of a scan that has met nothing yet. */
    ScanView(EntryFormat format) {
        this.format = format;
    }

    /** The scan has met a row of the index table. */
    void met(Result row) {
        Optional<ReadPoint> told = ReadPoint.of(row);
        if (told.isPresent() && (last == null || !told.get().equals(last.readPoint))) {
            // A scanner that is opened anew, perhaps in a region that was merged meanwhile, goes on behind the last
            // key.
            byte[] start = Bytes.getBytes(told.get().regionStart());
            last = new Part(told.get());
            parts.put(Bytes.compareTo(start, behindLast) > 0 ? start : behindLast, last);
        }
        behindLast = Arrays.copyOf(row.getRow(), row.getRow().length + 1);
    }

    /** The scan has come to its end: also in regions in which it has met nothing there is nothing more to meet. */
    void ends() {
        isOver = true;
    }

    private boolean hasMetNothing() {
        return behindLast.length == 0;
    }

    /** A range of keys that was read as of a read point; empty if the scan has met nothing in it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Read(byte[] start, byte[] stop, OptionalLong point) {}

    /**
     * The ranges within bounds that were read as of earlier moments than the last one, in their order, when the scan is over; none
     * if all was read as of one moment, or the servers do not tell.
     *
     * @param opened how often the scan has opened a region. If that is more often than it has been told of, it has met nothing in one
     *     of them, perhaps the last
     */
    List<Read> readBefore(QueryBounds bounds, long opened) {
        if (hasMetNothing()) {
            return opened == 1 ? List.of() : List.of(new Read(bounds.start(), bounds.stop(), OptionalLong.empty()));
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

    /** Whether a key that ends a range, empty for none, lies behind another one that does. */
    private static boolean isBehind(byte[] end, byte[] other) {
        return other.length > 0 && (end.length == 0 || Bytes.compareTo(end, other) > 0);
    }

    /**
     * Looks up, in one batched call, what the scan sees at some keys. Of a region to which it has not come yet that is what the
     * index holds now.
     *
     * @param position the last key that the scan has met; {@link #END} if it is over
     * @return the entries that it sees, by key
     */
    Map<ByteBuffer, IndexEntry> at(Collection<byte[]> keys, byte[] position, Table index) throws IOException {
        List<Get> gets = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            Map.Entry<byte[], Part> part = parts.floorEntry(key);
            if (part != null && part.getValue().reaches(key)) {
                gets.add(ReadPoint.asOf(new Get(key), part.getValue().readPoint.point()));
            } else if (parts.isEmpty()
                    ? position.length > 0 || !hasMetNothing()
                    : !isOver && position.length > 0 && Bytes.compareTo(key, position) > 0) {
                gets.add(new Get(key));
            }
            // else in a region that the scan has passed, and in which it has met nothing
        }
        Map<ByteBuffer, IndexEntry> seen = new HashMap<>();
        for (Result result : lookUp(index, gets)) {
            if (!result.isEmpty()) {
                seen.put(ByteBuffer.wrap(result.getRow()), format.entryOf(result));
            }
        }
        return seen;
    }

    /** As {@link #at}, when the scan has met all that it meets. */
    Map<ByteBuffer, IndexEntry> met(Collection<byte[]> keys, Table index) throws IOException {
        return at(keys, END, index);
    }

    /** A get alone goes out from this thread; several are batched by HBase's client, which takes others for it. */
    static List<Result> lookUp(Table table, List<Get> gets) throws IOException {
        return switch (gets.size()) {
            case 0 -> List.of();
            case 1 -> List.of(table.get(gets.get(0)));
            default -> Arrays.asList(table.get(gets));
        };
    }
}
