package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.LeasedRead;

/**
 * The double check of sync-insert (paper, section 4.2, algorithm 2): looks the base rows of a page of entries up, in one
 * batched call, and keeps the entries that their rows still yield.
 *
 * <p>Three kinds of entries are looked up: all, in an index whose scheme leaves stale ones behind; those that only a
 * session's own write vouches for; and all, if the query asks for rows. So a query with rows returns, under every
 * scheme, only rows that match it at the time of the lookup. The other entries are kept as they are.
 *
 * <p>A row that does not yield the entry any more may match the query all the same, by another entry, which the scan finds
 * too - unless that is still on its way to the index, because the write that makes it is under way, or its server has
 * died. Then the row would be found by neither entry, though it matched all the time. So as long as the index does not
 * hold the new entry the old one is kept, and the row returned in its place.
 *
 * <p>For the one thread, and the one query, of a scanner.
 */
final class StaleEntryFilter {
    /** Takes the entries that their rows do not yield any more, and that nothing needs. */
    @FunctionalInterface
    interface Sink {
        void stale(List<FoundEntry> entries);
    }

    private final IndexEntryFunction function;
    private final QueryBounds bounds;
    private final Table base;
    private final Table index;
    private final Sink sink;
    private final boolean withRows;

    /** Rows that were returned without an entry of theirs in the index, which may yet come. */
    private final Set<ByteBuffer> returnedBefore = new HashSet<>();

    /** A filter that reads from a base table and its index's, which it does not close. */
    StaleEntryFilter(
            IndexEntryFunction function, QueryBounds bounds, Table base, Table index, Sink sink, boolean withRows) {
        this.function = function;
        this.bounds = bounds;
        this.base = base;
        this.index = index;
        this.sink = sink;
        this.withRows = withRows;
    }

    private record Candidate(FoundEntry found, IndexKeyCodec.Key key) {}

    /** The entry that a candidate's row yields now, and whether it is another one than was found. */
    private record Current(Candidate candidate, IndexEntry entry, Optional<Result> row, boolean isOther) {
        boolean isWithoutEntryInIndex() {
            return isOther || candidate.found.own();
        }
    }

    /** The hits among a page of entries, in their order. */
    List<IndexHit> filter(List<FoundEntry> page) throws IOException {
        List<FoundEntry> stale = new ArrayList<>();
        List<Candidate> candidates = new ArrayList<>(page.size());
        List<Get> gets = new ArrayList<>();
        for (FoundEntry found : page) {
            Optional<IndexKeyCodec.Key> key = decode(found);
            if (key.isEmpty()) {
                stale.add(found);
                continue;
            }
            candidates.add(new Candidate(found, key.get()));
            if (needsRow(found)) {
                gets.add(get(key.get().row()));
            }
        }
        Result[] rows = lookUp(base, gets);
        List<IndexHit> hits = hits(matching(current(candidates, rows, stale), stale));
        if (!stale.isEmpty()) {
            sink.stale(stale);
        }
        return hits;
    }

    /** A get alone goes out from this thread; several are batched by HBase's client, which takes others for it. */
    private static Result[] lookUp(Table table, List<Get> gets) throws IOException {
        return switch (gets.size()) {
            case 0 -> new Result[0];
            case 1 -> new Result[] {table.get(gets.get(0))};
            default -> table.get(gets);
        };
    }

    /** What the candidates' rows yield now. The entries of rows that yield none are added to the stale ones. */
    private List<Current> current(List<Candidate> candidates, Result[] rows, List<FoundEntry> stale) {
        List<Current> current = new ArrayList<>(candidates.size());
        int next = 0;
        for (Candidate candidate : candidates) {
            FoundEntry found = candidate.found;
            if (!needsRow(found)) {
                current.add(new Current(candidate, found.entry(), Optional.empty(), false));
                continue;
            }
            Result row = rows[next++];
            Optional<IndexEntry> entry = entryOf(candidate.key.row(), row);
            if (entry.isEmpty()) {
                stale.add(found);
            } else {
                boolean isOther = !found.entry().sameKey(entry.get());
                Optional<Result> result = withRows ? Optional.of(row) : Optional.empty();
                current.add(new Current(candidate, entry.get(), result, isOther));
            }
        }
        return current;
    }

    /**
     * Those whose rows match the query. Where a row yields another entry, which the index holds, the one that was found is
     * added to the stale ones; before that it is all by which the row can be found.
     */
    private List<Current> matching(List<Current> current, List<FoundEntry> stale) throws IOException {
        List<Get> others = current.stream()
                .filter(Current::isOther)
                .map(each -> new Get(each.entry.key()))
                .toList();
        if (others.isEmpty()) {
            return current;
        }
        Iterator<Result> held = Arrays.asList(lookUp(index, others)).iterator();
        List<Current> matching = new ArrayList<>(current.size());
        for (Current each : current) {
            if (each.isOther && !held.next().isEmpty()) {
                stale.add(each.candidate.found);
            } else if (bounds.contain(each.entry)) {
                matching.add(each);
            }
        }
        return matching;
    }

    /** A row is returned once, however many entries it has had. */
    private List<IndexHit> hits(List<Current> matching) throws IOException {
        List<IndexHit> hits = new ArrayList<>(matching.size());
        for (Current current : matching) {
            ByteBuffer row = ByteBuffer.wrap(current.candidate.key.row());
            boolean isNew = current.isWithoutEntryInIndex() ? returnedBefore.add(row) : !returnedBefore.contains(row);
            if (isNew) {
                IndexKeyCodec.Key key =
                        current.isOther ? function.codec().decode(current.entry.key()) : current.candidate.key;
                hits.add(new IndexHit(function.definition(), key, current.entry, current.row));
            }
        }
        return hits;
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
