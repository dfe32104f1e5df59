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
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
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
    private final UntoldEntries untold;

    /** By the positions of the ranges; a scan that has not begun may have none. */
    private final Map<Integer, ScanView> views = new HashMap<>();

    /** Creates the views of a query whose scans have met nothing yet. */
    QueryView(QueryBounds bounds, EntryFormat format, FailedReads failed) {
        this(bounds, format, failed, new UntoldEntries());
    }

    /**
     * Creates the views of a query whose scans have met nothing yet.
     *
     * @param failed decides whether a failed read means that the index was dropped
     * @param untold remembers, for all scans, the entries that they meet before a read point is told
     */
    QueryView(QueryBounds bounds, EntryFormat format, FailedReads failed, UntoldEntries untold) {
        this.bounds = bounds;
        this.format = format;
        this.failed = failed;
        this.untold = untold;
    }

    /** Returns the view of the scan of the range at a position of {@link QueryBounds#ranges}. */
    ScanView of(int position) {
        return views.computeIfAbsent(position, range -> bounds.direction().newView(format, untold));
    }

    /**
     * Looks up, in one batched call, the entries that the query sees at keys that its conditions select: within a range that
     * is left to read, what the scan of that range has met or will meet; before the token of the query, what the index
     * holds now, which an earlier page could show.
     *
     * @return the entries that it sees, by key
     * @throws NoSuchIndexException if the drop of the index has begun
     */
    Map<ByteBuffer, FoundEntry> at(Collection<byte[]> keys, Table index) throws IOException {
        Map<ByteBuffer, FoundEntry> seen = new HashMap<>();
        List<Get> gets = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            FoundEntry met = untold.of(key);
            if (met == null) {
                lookAt(key).ifPresent(gets::add);
            } else {
                seen.put(ByteBuffer.wrap(key), met);
            }
        }
        for (Result result : entries(index, gets)) {
            if (!result.isEmpty()) {
                FoundEntry found = new FoundEntry(format.entryOf(result), format.stampOf(result), false);
                seen.put(ByteBuffer.wrap(found.key()), found);
            }
        }
        return seen;
    }

    private Optional<Get> lookAt(byte[] key) {
        int range = bounds.rangeOf(key);
        return range < 0 ? Optional.of(format.get(key)) : of(range).lookAt(key);
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
