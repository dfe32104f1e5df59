package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.model.Aggregate;
import org.diffindex.model.EntryCount;
import org.diffindex.model.IndexDefinition;

/**
 * The aggregates of {@link IndexedTable}: each is asked of the regions of the index where these can answer for their entries, and
 * made of the hits otherwise. Safe for use by many threads.
 */
final class IndexAggregates {
    private final Connection connection;
    private final IndexedTable table;

    IndexAggregates(Connection connection, IndexedTable table) {
        this.connection = connection;
        this.table = table;
    }

    /** Computes an aggregate of a query that is bound to the definition of its index. */
    @FunctionalInterface
    interface Computation<T> {
        T of(IndexedTable.Bound bound) throws IOException;
    }

    /**
     * Computes an aggregate, and once more from the beginning if the columns of the index were changed meanwhile, so that what this
     * client knows as the index is gone.
     */
    <T> T compute(IndexQuery query, Computation<T> computation) throws IOException {
        IndexedTable.Bound bound = table.bind(query);
        while (true) {
            try {
                return computation.of(bound);
            } catch (NoSuchIndexException e) {
                IndexedTable.Bound now = boundAgain(query, e);
                if (now.definition().name().equals(bound.definition().name())) {
                    throw e;
                }
                bound = now;
            }
        }
    }

    private IndexedTable.Bound boundAgain(IndexQuery query, NoSuchIndexException refusal) throws IOException {
        try {
            return table.bind(query);
        } catch (NoSuchIndexException e) {
            refusal.addSuppressed(e);
            throw refusal;
        }
    }

    /** Returns whether the regions of an index can answer for the hits of a query: each of their entries is one. */
    static boolean areEntriesHits(IndexQuery query, IndexDefinition definition) {
        return !query.isWithRows() && !definition.scheme().leavesStaleEntries();
    }

    /**
     * Asks the regions for an aggregate of entries all of which are hits.
     *
     * @return false if the scheme of the index changed meanwhile, so that they may not be: what the sink received is of no use
     */
    private boolean ask(IndexedTable.Bound bound, Aggregate aggregate, AggregateRead.Sink sink) throws IOException {
        FailedReads failed = table.failedReads(bound.definition());
        return ask(bound, aggregate, new ReadMode(bound.definition().scheme(), failed), sink);
    }

    /**
     * Asks the regions for an aggregate of entries.
     *
     * @param mode how the entries are read
     * @return false if the scheme of the index changed meanwhile: the mode is careful now, and what the sink received of no use
     */
    boolean ask(IndexedTable.Bound bound, Aggregate aggregate, ReadMode mode, AggregateRead.Sink sink)
            throws IOException {
        FailedReads failed = table.failedReads(bound.definition());
        try (AggregateRead read =
                new AggregateRead(connection, bound.definition(), bound.bounds(), aggregate, mode, failed)) {
            return read.into(sink);
        }
    }

    long count(IndexQuery query) throws IOException {
        return compute(query, bound -> {
            if (areEntriesHits(query, bound.definition())) {
                Total total = new Total(query.limit());
                if (ask(bound, new Aggregate.Count(List.of()), total)) {
                    return Math.min(total.entries, query.limit());
                }
            }
            return countHits(bound.definition(), query);
        });
    }

    private long countHits(IndexDefinition definition, IndexQuery query) throws IOException {
        long hits = 0;
        try (IndexScanner scanner = table.scan(definition, query)) {
            while (scanner.next() != null) {
                hits++;
            }
        }
        return hits;
    }

    boolean exists(IndexQuery query) throws IOException {
        try (IndexScanner scanner = table.getByIndex(query.toBuilder().limit(1).build())) {
            return scanner.next() != null;
        }
    }

    List<IndexHit> newest(IndexQuery query, int most) throws IOException {
        if (most < 1 || most > IndexedTable.MOST_NEWEST) {
            throw new InvalidQueryException("The newest 1 to " + IndexedTable.MOST_NEWEST
                    + " hits can be asked for, not " + most + "; nothing was read");
        }
        requireAllHits(query);
        return compute(query, bound -> new NewestHits(table, this, query, most).within(bound));
    }

    Optional<IndexHit> first(IndexQuery query, String column, ScanDirection order) throws IOException {
        requireAllHits(query);
        return compute(query, bound -> {
            Extremes.requireOrderedBy(column, query, bound.definition());
            return Extremes.first(table, bound.definition(), query, order);
        });
    }

    List<GroupCount> countBy(IndexQuery query, int columns) throws IOException {
        requireAllHits(query);
        return compute(query, bound -> {
            GroupCounts groups = new GroupCounts(bound.definition(), columns, IndexedTable.MOST_GROUPS);
            boolean areCounted = areEntriesHits(query, bound.definition())
                    && ask(bound, new Aggregate.Count(groups.groupedBy()), groups);
            return areCounted
                    ? groups.inOrder()
                    : countedHits(bound, query, new GroupCounts(bound.definition(), columns, IndexedTable.MOST_GROUPS));
        });
    }

    private List<GroupCount> countedHits(IndexedTable.Bound bound, IndexQuery query, GroupCounts groups)
            throws IOException {
        try (IndexScanner scanner = table.scan(bound.definition(), query)) {
            for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                groups.add(hit.key(), 1);
            }
        }
        return groups.inOrder();
    }

    /** Requires that a query has neither a limit nor a token, which choose from hits in the order of the index. */
    private static void requireAllHits(IndexQuery query) {
        if (query.limit() != Long.MAX_VALUE || query.position().isPresent()) {
            throw new InvalidQueryException("This is asked about all hits of a query by index " + query.index()
                    + ", and the query has a limit or a token; nothing was read; leave them out");
        }
    }

    /** The number of entries, up to a limit or beyond. */
    private static final class Total implements AggregateRead.Sink {
        private final long limit;
        private long entries;

        Total(long limit) {
            this.limit = limit;
        }

        @Override
        public boolean row(Result row) throws IOException {
            entries += countOf(row);
            return entries < limit;
        }

        @Override
        public void late(FoundEntry entry) {
            entries++;
        }
    }

    /**
     * Returns how many entries a row stands for.
     *
     * @throws DoNotRetryIOException if no region has counted them
     */
    static long countOf(Result row) throws IOException {
        OptionalLong count = EntryCount.of(row);
        return count.orElseThrow(() -> new DoNotRetryIOException(
                "The table of the index has answered with entries in place of their number; nothing was counted."
                        + " Look with doctor whether it has its coprocessor IndexTableGuard"));
    }
}
