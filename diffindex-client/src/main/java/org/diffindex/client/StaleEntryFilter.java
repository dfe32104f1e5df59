package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;

/**
 * The double check of sync-insert (paper, section 4.2, algorithm 2): looks the base rows of a page of entries up, in one
 * batched call, and keeps the entries that their rows still yield.
 *
 * <p>Three kinds of entries are looked up: all, in an index whose scheme leaves stale ones behind; those that only a
 * session's own write vouches for; and all, if the query asks for rows. So a query with rows returns, under every
 * scheme, only rows that match it at the time of the lookup. The other entries are kept as they are.
 */
final class StaleEntryFilter {
    /** Takes the entries that their rows do not yield any more. */
    @FunctionalInterface
    interface Sink {
        void stale(List<FoundEntry> entries);
    }

    private final IndexEntryFunction function;
    private final Table base;
    private final Sink sink;
    private final boolean withRows;

    /** A filter that reads from a base table, which it does not close. */
    StaleEntryFilter(IndexEntryFunction function, Table base, Sink sink, boolean withRows) {
        this.function = function;
        this.base = base;
        this.sink = sink;
        this.withRows = withRows;
    }

    /** Whether every entry of an index is a hit, without a look at its row. */
    static boolean keepsEvery(IndexDefinition definition, IndexQuery query) {
        return !definition.scheme().leavesStaleEntries() && !query.isWithRows();
    }

    private record Candidate(FoundEntry found, IndexKeyCodec.Key key) {}

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
        Result[] rows = gets.isEmpty() ? new Result[0] : base.get(gets);
        List<IndexHit> hits = hits(candidates, rows, stale);
        if (!stale.isEmpty()) {
            sink.stale(stale);
        }
        return hits;
    }

    /** The hits among the candidates; the others are added to the stale ones. The rows are those that were looked up. */
    private List<IndexHit> hits(List<Candidate> candidates, Result[] rows, List<FoundEntry> stale) {
        List<IndexHit> hits = new ArrayList<>(candidates.size());
        int next = 0;
        for (Candidate candidate : candidates) {
            FoundEntry found = candidate.found;
            if (!needsRow(found)) {
                hits.add(new IndexHit(function.definition(), candidate.key, found.entry(), Optional.empty()));
                continue;
            }
            Result row = rows[next++];
            Optional<IndexEntry> entry = entryOf(candidate.key.row(), row).filter(found.entry()::sameKey);
            if (entry.isPresent()) {
                Optional<Result> result = withRows ? Optional.of(row) : Optional.empty();
                hits.add(new IndexHit(function.definition(), candidate.key, entry.get(), result));
            } else {
                stale.add(found);
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
        Get get = new Get(row);
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
