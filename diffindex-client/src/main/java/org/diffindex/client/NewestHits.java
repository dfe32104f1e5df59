package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hbase.thirdparty.com.google.common.collect.Lists;
import org.diffindex.model.Aggregate;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;

/**
 * Finds the newest hits of a query: asks each region of the index for the newest of its entries, so that only these are sent. Where
 * an entry need not be a hit, their base rows are looked up, the newest first, until there are as many hits as wanted that are no
 * older than the last entry looked up. If there are not enough, the regions are asked for four times as many; beyond {@link
 * Aggregate.Newest#MOST}, all hits are read.
 *
 * <p>Used by one thread, for one query.
 */
final class NewestHits {
    /** The fewest entries that a region is asked for if some of them may be stale. */
    private static final int FEWEST_ASKED = 64;

    private static final int FEWEST_LOOKED_UP = 16;
    private static final int MOST_LOOKED_UP = 1_000;

    /** How many hits are kept, if all are read, before the older ones of them are dropped. */
    private static final int FEWEST_KEPT = 1_000;

    private static final Comparator<IndexHit> NEWEST_FIRST =
            Comparator.comparing(NewestHits::entryOf, NewestEntries.NEWEST_FIRST);

    private final IndexedTable table;
    private final IndexAggregates regions;
    private final IndexQuery query;
    private final int most;

    /**
     * Creates a search.
     *
     * @param regions asks the regions
     * @param most how many hits are wanted, at least 1
     */
    NewestHits(IndexedTable table, IndexAggregates regions, IndexQuery query, int most) {
        this.table = table;
        this.regions = regions;
        this.query = query;
        this.most = most;
    }

    /** Returns the hits, the newest first. */
    List<IndexHit> within(IndexedTable.Bound bound) throws IOException {
        IndexDefinition definition = bound.definition();
        ReadMode mode = new ReadMode(definition.scheme(), table.failedReads(definition));
        int asked = isChecked(mode) ? Math.max(2 * most, FEWEST_ASKED) : most;
        while (asked <= Aggregate.Newest.MOST) {
            NewestEntries entries = new NewestEntries(definition, asked);
            if (regions.ask(bound, new Aggregate.Newest(asked), mode, entries)) {
                Optional<List<IndexHit>> hits =
                        isChecked(mode) ? checked(bound, entries) : enough(hits(definition, entries), entries.areAll());
                if (hits.isPresent()) {
                    return hits.get();
                }
                asked *= 4;
            }
        }
        return ofAllHits(definition);
    }

    private boolean isChecked(ReadMode mode) {
        return query.isWithRows() || mode.checksAll();
    }

    /** Returns the newest of hits, if they are as many as wanted, or there are no others. */
    private Optional<List<IndexHit>> enough(Collection<IndexHit> hits, boolean areAll) {
        return hits.size() < most && !areAll
                ? Optional.empty()
                : Optional.of(hits.stream().sorted(NEWEST_FIRST).limit(most).toList());
    }

    /** Returns entries all of which are hits. A row that was written meanwhile may have two: the newer one is taken. */
    private Collection<IndexHit> hits(IndexDefinition definition, NewestEntries entries) {
        IndexEntryFunction function = new IndexEntryFunction(definition);
        Map<ByteBuffer, IndexHit> hits = new LinkedHashMap<>();
        for (FoundEntry found : entries.newestFirst()) {
            IndexHit hit = hit(function, found.entry(), found, Optional.empty());
            hits.putIfAbsent(ByteBuffer.wrap(hit.row()), hit);
        }
        return hits.values();
    }

    private static IndexHit hit(
            IndexEntryFunction function, IndexEntry entry, FoundEntry found, Optional<RowLookup.Image> image) {
        return new IndexHit(
                function.definition(),
                function.codec().decode(entry.key()),
                entry,
                image.map(RowLookup.Image::row),
                found);
    }

    /** Looks up the rows of entries, the newest first; returns the newest hits, empty if that takes more entries. */
    private Optional<List<IndexHit>> checked(IndexedTable.Bound bound, NewestEntries entries) throws IOException {
        try (Table base = table.openBase()) {
            Rows rows = new Rows(bound, base);
            int page = Math.min(Math.max(most, FEWEST_LOOKED_UP), MOST_LOOKED_UP);
            List<FoundEntry> candidates = entries.newestFirst();
            int lookedUp = 0;
            Optional<List<IndexHit>> hits = enough(List.of(), candidates.isEmpty() && entries.areAll());
            for (List<FoundEntry> next : Lists.partition(candidates, page)) {
                rows.lookUp(next);
                lookedUp += next.size();
                boolean areAll = entries.areAll() && lookedUp == candidates.size();
                FoundEntry last = next.get(next.size() - 1);
                hits = enough(areAll ? rows.hits : rows.hitsUpTo(last.entry()), areAll);
                if (hits.isPresent()) {
                    break;
                }
            }
            rows.reportStale();
            return hits;
        }
    }

    /** The rows that were looked up. */
    private final class Rows {
        private final IndexEntryFunction function;
        private final QueryBounds bounds;
        private final RowLookup lookup;
        private final Set<ByteBuffer> seen = new HashSet<>();
        private final List<IndexHit> hits = new ArrayList<>();
        private final List<FoundEntry> stale = new ArrayList<>();

        Rows(IndexedTable.Bound bound, Table base) {
            this.function = new IndexEntryFunction(bound.definition());
            this.bounds = bound.bounds();
            this.lookup = new RowLookup(function, base, query.isWithRows());
        }

        /** Looks up the rows of entries; a row that was looked up is a hit by its present entry, or none. */
        void lookUp(List<FoundEntry> entries) throws IOException {
            List<byte[]> rows = entries.stream()
                    .map(found -> function.codec().decode(found.key()).row())
                    .toList();
            List<RowLookup.Image> images = lookup.images(rows);
            for (int i = 0; i < rows.size(); i++) {
                FoundEntry found = entries.get(i);
                RowLookup.Image image = images.get(i);
                Optional<IndexEntry> present = image.entry();
                if (present.filter(found.entry()::sameKey).isEmpty()) {
                    stale.add(found);
                }
                if (seen.add(ByteBuffer.wrap(rows.get(i)))
                        && present.filter(bounds::contain).isPresent()) {
                    hits.add(hit(
                            function, present.get(), found, Optional.of(image).filter(each -> query.isWithRows())));
                }
            }
        }

        /** Returns the hits that are no older than an entry: all that the query has of them, if it was the last looked up. */
        List<IndexHit> hitsUpTo(IndexEntry last) {
            return hits.stream()
                    .filter(hit -> NewestEntries.NEWEST_FIRST.compare(entryOf(hit), last) <= 0)
                    .toList();
        }

        void reportStale() {
            if (!stale.isEmpty()) {
                table.sinkOf(function.definition(), Optional.empty()).stale(stale);
            }
        }
    }

    private static IndexEntry entryOf(IndexHit hit) {
        return new IndexEntry(hit.key(), hit.timestamp());
    }

    /** Reads all hits, and keeps the newest. */
    private List<IndexHit> ofAllHits(IndexDefinition definition) throws IOException {
        Map<ByteBuffer, IndexHit> kept = new LinkedHashMap<>();
        try (IndexScanner hits = table.scan(definition, query)) {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                kept.merge(ByteBuffer.wrap(hit.row()), hit, NewestHits::newer);
                if (kept.size() >= Math.max(4 * most, FEWEST_KEPT)) {
                    List<IndexHit> newest = enough(kept.values(), true).orElseThrow();
                    kept.values().retainAll(Set.copyOf(newest));
                }
            }
        }
        return enough(kept.values(), true).orElseThrow();
    }

    private static IndexHit newer(IndexHit one, IndexHit other) {
        return NEWEST_FIRST.compare(one, other) <= 0 ? one : other;
    }
}
