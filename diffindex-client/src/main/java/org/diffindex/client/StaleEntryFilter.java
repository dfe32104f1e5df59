package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.LeasedRead;

/**
 * The double check of sync-insert (paper, section 4.2, algorithm 2): looks the base rows of a page of entries up, each row once,
 * in one batched call, and keeps the entries that their rows still yield.
 *
 * <p>Three kinds of entries are looked up: all, in an index whose scheme leaves stale ones behind; those that only a
 * session's own write vouches for; and all, if the query asks for rows. So a query with rows returns, under every
 * scheme, only rows that match it at the time of the lookup. The other entries are kept as they are.
 *
 * <p>A row that does not yield the entry any more may match the query all the same, by another entry. If the scan has met that
 * one, or will ({@link ScanView}), the row is returned there. If not - the row has moved to a place that the scan has read before,
 * or its new entry is still on its way to the index - the row is returned in the place of its old entry.
 *
 * <p>For the one thread, and the one query, of a scanner.
 */
final class StaleEntryFilter {
    /** The most rows that are remembered for either reason; a row that moves is returned again if it is not among them. */
    private static final int MOST_REMEMBERED = 50_000;

    /** Takes the entries that their rows do not yield any more; of a session's own, those that the index has replaced. */
    @FunctionalInterface
    interface Sink {
        void stale(List<FoundEntry> entries);
    }

    private final IndexEntryFunction function;
    private final QueryBounds bounds;
    private final Table base;
    private final Table index;
    private final ScanView view;
    private final Sink sink;
    private final boolean withRows;

    /** Rows that were returned by an entry that the scan does not meet, or not from the index. */
    private final Set<ByteBuffer> returnedOutOfPlace = new HashSet<>();

    /** Rows of which an entry was passed over because the scan is to meet their present one. */
    private final Set<ByteBuffer> toBeMet = new HashSet<>();

    /** A filter that reads from a base table and its index's, which it does not close. */
    StaleEntryFilter(
            IndexEntryFunction function,
            QueryBounds bounds,
            Table base,
            Table index,
            ScanView view,
            Sink sink,
            boolean withRows) {
        this.function = function;
        this.bounds = bounds;
        this.base = base;
        this.index = index;
        this.view = view;
        this.sink = sink;
        this.withRows = withRows;
    }

    private record Candidate(FoundEntry found, IndexKeyCodec.Key key) {
        ByteBuffer row() {
            return ByteBuffer.wrap(key.row());
        }
    }

    /** A row as it was looked up, and the entry that it yields; all entries of the row are judged by this one image. */
    private record Image(Result row, Optional<IndexEntry> entry) {
        boolean isOtherThan(FoundEntry found) {
            return entry.isPresent() && !entry.get().sameKey(found.entry());
        }
    }

    /** The hits among a page of entries, in their order. */
    List<IndexHit> filter(List<FoundEntry> page) throws IOException {
        List<FoundEntry> stale = new ArrayList<>();
        List<Candidate> candidates = new ArrayList<>(page.size());
        for (FoundEntry found : page) {
            Optional<IndexKeyCodec.Key> key = decode(found);
            if (key.isEmpty()) {
                stale.add(found);
            } else {
                candidates.add(new Candidate(found, key.get()));
            }
        }
        Map<ByteBuffer, Image> images = images(candidates);
        Map<ByteBuffer, IndexEntry> met = met(candidates, images);
        List<IndexHit> hits = new ArrayList<>(candidates.size());
        for (Candidate candidate : candidates) {
            Image image = images.get(candidate.row());
            if (!needsRow(candidate.found)) {
                hit(candidate, candidate.found.entry(), Optional.empty(), false).ifPresent(hits::add);
            } else if (image.entry.isEmpty()) {
                stale.add(candidate.found);
            } else if (image.isOtherThan(candidate.found)) {
                if (!candidate.found.own() || isMet(image.entry.get(), met)) {
                    stale.add(candidate.found);
                }
                inPlaceOf(candidate, image, met).ifPresent(hits::add);
            } else {
                toBeMet.remove(candidate.row());
                hit(candidate, image.entry.get(), resultOf(image), candidate.found.own())
                        .ifPresent(hits::add);
            }
        }
        if (!stale.isEmpty()) {
            sink.stale(stale);
        }
        return hits;
    }

    /** The rows of those candidates that need a look, each read once. */
    @SuppressWarnings("ByteBufferBackingArray") // of buffers that wrap whole arrays
    private Map<ByteBuffer, Image> images(List<Candidate> candidates) throws IOException {
        Set<ByteBuffer> rows = new LinkedHashSet<>();
        for (Candidate candidate : candidates) {
            if (needsRow(candidate.found)) {
                rows.add(candidate.row());
            }
        }
        List<Get> gets = rows.stream().map(row -> get(row.array())).toList();
        List<Result> results = ScanView.lookUp(base, gets);
        Map<ByteBuffer, Image> images = new HashMap<>();
        int next = 0;
        for (ByteBuffer row : rows) {
            Result result = results.get(next++);
            images.put(row, new Image(result, entryOf(row.array(), result)));
        }
        return images;
    }

    /** What the scan sees at the keys of those rows' present entries that match the query by another entry than was found. */
    private Map<ByteBuffer, IndexEntry> met(List<Candidate> candidates, Map<ByteBuffer, Image> images)
            throws IOException {
        Set<ByteBuffer> keys = new LinkedHashSet<>();
        for (Candidate candidate : candidates) {
            Image image = images.get(candidate.row());
            if (needsRow(candidate.found) && image.isOtherThan(candidate.found) && bounds.contain(image.entry.get())) {
                keys.add(ByteBuffer.wrap(image.entry.get().key()));
            }
        }
        if (keys.isEmpty()) {
            return Map.of();
        }
        byte[] position = candidates.get(candidates.size() - 1).found.key();
        return view.at(keys.stream().map(ByteBuffer::array).toList(), position, index);
    }

    /** The hit of a row by its old entry, if it matches the query and is not returned at its present one. */
    private Optional<IndexHit> inPlaceOf(Candidate candidate, Image image, Map<ByteBuffer, IndexEntry> met) {
        IndexEntry present = image.entry.get();
        if (!bounds.contain(present) || isReturnedAt(present, candidate, met)) {
            return Optional.empty();
        }
        toBeMet.remove(candidate.row());
        return hit(candidate, present, resultOf(image), true);
    }

    /**
     * Whether the scan returns a row at its present entry. It does if it sees the very entry; unless it has passed it already
     * and found the row elsewhere then, in a place to which it had yet to come.
     */
    private boolean isReturnedAt(IndexEntry present, Candidate candidate, Map<ByteBuffer, IndexEntry> met) {
        if (!isMet(present, met)) {
            return false;
        }
        if (Bytes.compareTo(present.key(), candidate.found.key()) > 0) {
            remember(toBeMet, candidate.row());
            return true;
        }
        return !toBeMet.contains(candidate.row());
    }

    private static boolean isMet(IndexEntry present, Map<ByteBuffer, IndexEntry> met) {
        return present.equals(met.get(ByteBuffer.wrap(present.key())));
    }

    /** A row is returned once, as far as it is remembered. */
    private Optional<IndexHit> hit(Candidate candidate, IndexEntry entry, Optional<Result> row, boolean outOfPlace) {
        if (returnedOutOfPlace.contains(candidate.row())) {
            return Optional.empty();
        }
        if (outOfPlace) {
            remember(returnedOutOfPlace, candidate.row());
        }
        IndexKeyCodec.Key key = entry.sameKey(candidate.found.entry())
                ? candidate.key
                : function.codec().decode(entry.key());
        return Optional.of(new IndexHit(function.definition(), key, entry, row));
    }

    private static void remember(Set<ByteBuffer> rows, ByteBuffer row) {
        if (rows.size() < MOST_REMEMBERED) {
            rows.add(row);
        }
    }

    private Optional<Result> resultOf(Image image) {
        return withRows ? Optional.of(image.row) : Optional.empty();
    }

    private boolean needsRow(FoundEntry found) {
        return withRows || found.own() || function.definition().scheme().leavesStaleEntries();
    }

    private Optional<IndexEntry> entryOf(byte[] row, Result result) {
        return result.isEmpty() ? Optional.empty() : function.entryOf(row, Arrays.asList(result.rawCells()));
    }

    private Get get(byte[] row) {
        Get get = LeasedRead.mark(new Get(row));
        if (!withRows) {
            for (IndexedColumn column : function.definition().columns()) {
                get.addColumn(column.family(), column.qualifier());
            }
        }
        return get;
    }

    /** The parts of an entry's key; empty for an own entry of an index that has become another one meanwhile. */
    private Optional<IndexKeyCodec.Key> decode(FoundEntry found) throws IOException {
        try {
            return Optional.of(function.codec().decode(found.key()));
        } catch (IllegalArgumentException e) {
            if (found.own()) {
                return Optional.empty();
            }
            throw new IOException(
                    "The table " + function.definition().indexTable() + " holds a row that is no entry of index "
                            + function.definition().name() + "; compare the index with its base and repair it",
                    e);
        }
    }
}
