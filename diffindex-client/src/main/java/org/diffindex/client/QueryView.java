package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.EntryFormat;

/**
 * The views of the scans of one query, which reads the ranges of its bounds one after the other.
 *
 * <p>Used by the one thread, for the one query, of a scanner.
 */
final class QueryView {
    private final QueryBounds bounds;
    private final EntryFormat format;
    private final FailedReads failed;
    private final int mostUntold;

    /** By the positions of the ranges; a scan that has not begun may have none. */
    private final Map<Integer, ScanView> views = new HashMap<>();

    /** Creates the views of a query whose scans have met nothing yet. */
    QueryView(QueryBounds bounds, EntryFormat format, FailedReads failed) {
        this(bounds, format, failed, RememberedRows.MOST);
    }

    /** Creates views each of which remembers only that many entries until a read point is told. */
    QueryView(QueryBounds bounds, EntryFormat format, FailedReads failed, int mostUntold) {
        this.bounds = bounds;
        this.format = format;
        this.failed = failed;
        this.mostUntold = mostUntold;
    }

    /** Returns the view of the scan of the range at a position of {@link QueryBounds#ranges}. */
    ScanView of(int position) {
        return views.computeIfAbsent(position, range -> bounds.direction().newView(format, failed, mostUntold));
    }

    /**
     * Looks up the entries that the query sees at keys within its bounds, as {@link ScanView#at} does, in one batched call
     * for each range.
     *
     * @return the entries that it sees, by key
     * @throws NoSuchIndexException if the drop of the index has begun
     */
    Map<ByteBuffer, FoundEntry> at(Collection<byte[]> keys, Table index) throws IOException {
        Map<Integer, List<byte[]>> byRange = new TreeMap<>();
        for (byte[] key : keys) {
            byRange.computeIfAbsent(bounds.rangeOf(key), range -> new ArrayList<>())
                    .add(key);
        }
        Map<ByteBuffer, FoundEntry> seen = new HashMap<>();
        for (Map.Entry<Integer, List<byte[]>> range : byRange.entrySet()) {
            seen.putAll(of(range.getKey()).at(range.getValue(), index));
        }
        return seen;
    }
}
