package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.LeasedRead;
import org.diffindex.model.ProtectedCells;
import org.diffindex.model.ProtectedColumns;

/**
 * The double check (paper, section 4.2, algorithm 2): looks up the base rows of a page of entries, each
 * row once, in one batched call, and keeps the entries that their rows still yield.
 *
 * <p>Rows that a {@link QuickCheck} confirms are not looked up.
 *
 * <p>It looks up all entries of an index whose scheme leaves stale entries behind, or is being changed ({@link
 * ReadMode#checksAll}), entries that only a session's own write vouches for, and all entries if the query requests rows. So a query with rows returns, under every scheme, only
 * rows that match it at the time of the lookup. Other entries are kept without a lookup.
 *
 * <p>A row that no longer yields the entry may still match the query by another entry. If the scan has met that entry,
 * or will meet it ({@link ScanView}), the row is returned there. Otherwise, because the row has moved to a position
 * that the scan had read before, or because its new entry is still in flight, the row is returned at the position of
 * its old entry. If the scan was to meet the present entry and has passed its position without meeting it, the row is
 * looked up once more, as if the scan had met it.
 *
 * <p>In a query that continues after a token, the position of the present entry may lie before the token. Then the index is
 * asked whether it holds that entry now: if so, an earlier page could show the row there; otherwise none did, and the row
 * is returned here.
 *
 * <p>It remembers rows as returned out of place, as expected, and as left out, each within the bounds of {@link
 * RememberedRows}. Beyond them, a row that moves or is written again may be returned twice, and one that moves missed
 * if the scan does not meet its expected entry.
 *
 * <p>Used by the one thread, for the one query, of a scanner.
 */
final class StaleEntryFilter {
    /**
     * Receives the entries that their rows do not yield any more; of a session's own entries, those that the index has
     * replaced.
     */
    @FunctionalInterface
    interface Sink {
        void stale(List<FoundEntry> entries);
    }

    private final IndexEntryFunction function;
    private final QueryBounds bounds;
    private final Table base;
    private final Table index;
    private final QueryView view;
    private final QuickCheck quickCheck;
    private final Sink sink;
    private final ReadMode mode;
    private final boolean withRows;
    private final Predicate<FoundEntry> isHidden;

    /** Rows that were returned by an entry that the scan does not meet, or that is not from the index table. */
    private final RememberedRows returnedOutOfPlace = new RememberedRows();

    /** Rows that were left out at a stale entry and not returned since. */
    private final RememberedRows leftOut = new RememberedRows();

    /** Whether {@link #leftOut} has all rows that the scan has met and that were not returned. */
    private boolean remembersAll = true;

    private final ExpectedEntries expected;

    /**
     * Creates a filter that reads from a base table and its index table, which it does not close.
     *
     * @param isHidden tells which of the entries that the scan meets the filter does not receive, as {@link
     *     EntrySource#hides}
     */
    StaleEntryFilter(
            IndexEntryFunction function,
            QueryBounds bounds,
            Table base,
            Table index,
            QueryView view,
            QuickCheck quickCheck,
            Sink sink,
            ReadMode mode,
            boolean withRows,
            Predicate<FoundEntry> isHidden) {
        this.function = function;
        this.bounds = bounds;
        this.base = base;
        this.index = index;
        this.view = view;
        this.quickCheck = quickCheck;
        this.sink = sink;
        this.mode = mode;
        this.withRows = withRows;
        this.isHidden = isHidden;
        this.expected = new ExpectedEntries(bounds.direction());
    }

    /** A row as it was looked up, and the entry that it yields. All entries of the row are judged by this one image. */
    private record Image(Result row, Optional<IndexEntry> entry) {
        boolean isOtherThan(FoundEntry found) {
            return entry.isPresent() && !entry.get().sameKey(found.entry());
        }
    }

    /**
     * Returns the hits among a page of entries, in the order of the entries. If it fails, nothing has changed, and it
     * may be called again.
     *
     * @param page the next entries, perhaps none
     * @param isLast whether the scan is over
     */
    List<IndexHit> filter(List<FoundEntry> page, boolean isLast) throws IOException {
        List<FoundEntry> stale = new ArrayList<>();
        byte[] position = isLast || page.isEmpty()
                ? ScanView.END
                : page.get(page.size() - 1).key();
        List<Candidate> candidates = candidates(page, position, stale);
        List<Image> images = images(candidates);
        Map<ByteBuffer, FoundEntry> met = met(candidates, images);
        List<IndexHit> hits = new ArrayList<>(candidates.size());
        for (int i = 0; i < candidates.size(); i++) {
            Candidate candidate = candidates.get(i);
            Image image = images.get(i);
            if (isStale(candidate, image, met)) {
                stale.add(candidate.found());
            }
            hit(candidate, image, met).ifPresent(hits::add);
            expected.judged(candidate.row(), candidate.found().key());
        }
        if (!stale.isEmpty()) {
            sink.stale(stale);
        }
        return hits;
    }

    /** Returns the entries of a page and the expected entries that it has passed, in the order of the scan, late ones last. */
    private List<Candidate> candidates(List<FoundEntry> page, byte[] position, List<FoundEntry> stale)
            throws IOException {
        List<Candidate> candidates = new ArrayList<>(page.size());
        for (FoundEntry found : page) {
            Optional<IndexKeyCodec.Key> key = decode(found);
            if (key.isEmpty()) {
                stale.add(found);
            } else {
                candidates.add(Candidate.of(found, key.get(), true));
            }
        }
        List<IndexEntry> overdue = expected.overdue(position, page);
        for (IndexEntry entry : overdue) {
            FoundEntry found = new FoundEntry(entry, entry.timestamp(), false);
            candidates.add(Candidate.of(found, function.codec().decode(entry.key()), false));
        }
        if (!overdue.isEmpty()) {
            candidates.sort(Comparator.comparing(
                            (Candidate candidate) -> candidate.found().late())
                    .thenComparing(
                            candidate -> candidate.found().key(),
                            bounds.direction().order()));
        }
        return candidates;
    }

    /** Returns whether the scan has met an entry that its row does not yield any more. */
    private boolean isStale(Candidate candidate, Image image, Map<ByteBuffer, FoundEntry> met) {
        if (!candidate.isMet() || !needsRow(candidate)) {
            return false;
        }
        return image.entry.isEmpty()
                || (image.isOtherThan(candidate.found())
                        && (!candidate.found().own() || isMet(image.entry.get(), met)));
    }

    private Optional<IndexHit> hit(Candidate candidate, Image image, Map<ByteBuffer, FoundEntry> met) {
        if (!needsRow(candidate)) {
            return hit(candidate, candidate.found().entry(), Optional.empty(), false);
        }
        if (image.entry.isEmpty()) {
            leaveOut(candidate);
            return Optional.empty();
        }
        if (image.isOtherThan(candidate.found())) {
            return inPlaceOf(candidate, image, met);
        }
        expected.forget(candidate.row());
        boolean outOfPlace = candidate.found().own() || candidate.found().late() || !candidate.isMet();
        return hit(candidate, image.entry.get(), resultOf(image), outOfPlace);
    }

    /**
     * Returns the image of each candidate's row, null where it is not needed. A row is looked up once, and not at all if
     * an entry of it is confirmed.
     */
    @SuppressWarnings("ByteBufferBackingArray") // of buffers that wrap whole arrays
    private List<Image> images(List<Candidate> candidates) throws IOException {
        Map<ByteBuffer, Image> images = confirmed(candidates);
        Set<ByteBuffer> rows = new LinkedHashSet<>();
        for (Candidate candidate : candidates) {
            if (needsRow(candidate) && !images.containsKey(candidate.row())) {
                rows.add(candidate.row());
            }
        }
        List<Get> gets = rows.stream().map(row -> get(row.array())).toList();
        List<Result> results = QueryView.lookUp(base, gets);
        int next = 0;
        for (ByteBuffer row : rows) {
            ProtectedColumns result = ProtectedColumns.of(results.get(next++));
            images.put(row, new Image(result.row(), function.entryOf(row.array(), result.unprotected())));
        }
        return candidates.stream()
                .map(candidate -> images.get(candidate.row()))
                .collect(Collectors.toCollection(() -> new ArrayList<>(candidates.size())));
    }

    /** Returns the images of rows of which it is known, without a lookup, that they yield an entry that was met. */
    private Map<ByteBuffer, Image> confirmed(List<Candidate> candidates) throws IOException {
        Map<ByteBuffer, Image> images = new HashMap<>();
        if (!withRows) {
            List<Candidate> asked = candidates.stream()
                    .filter(candidate -> candidate.isMet() && !candidate.found().own() && needsRow(candidate))
                    .toList();
            quickCheck.confirmed(asked).stream()
                    .mapToObj(asked::get)
                    .forEach(candidate -> images.put(
                            candidate.row(),
                            new Image(
                                    Result.EMPTY_RESULT,
                                    Optional.of(candidate.found().entry()))));
        }
        return images;
    }

    /**
     * Returns, for rows that match the query by another entry than the one found, what the scan sees, and is not hidden
     * from this filter, at the keys of their present entries; before the token, what an earlier page could show.
     */
    private Map<ByteBuffer, FoundEntry> met(List<Candidate> candidates, List<Image> images) throws IOException {
        Set<ByteBuffer> keys = new LinkedHashSet<>();
        for (int i = 0; i < candidates.size(); i++) {
            Candidate candidate = candidates.get(i);
            Image image = images.get(i);
            if (needsRow(candidate) && image.isOtherThan(candidate.found()) && bounds.select(image.entry.get())) {
                keys.add(ByteBuffer.wrap(image.entry.get().key()));
            }
        }
        if (keys.isEmpty()) {
            return Map.of();
        }
        Map<ByteBuffer, FoundEntry> seen =
                view.at(keys.stream().map(ByteBuffer::array).toList(), index);
        seen.values().removeIf(isHidden);
        return seen;
    }

    /**
     * Returns a row at the position of its old entry, if it matches the query and is not returned at its present one.
     */
    private Optional<IndexHit> inPlaceOf(Candidate candidate, Image image, Map<ByteBuffer, FoundEntry> met) {
        IndexEntry present = image.entry.get();
        FoundEntry seen = met.get(ByteBuffer.wrap(present.key()));
        boolean isOfEarlierPage = seen != null && !bounds.contain(present);
        if (isOfEarlierPage || !bounds.select(present)) {
            leaveOut(candidate);
            return Optional.empty();
        }
        boolean isAhead =
                bounds.direction().isBehind(present.key(), candidate.found().key());
        if (seen != null && isAhead && !candidate.found().late()) {
            expected.expect(candidate.row(), present);
            leaveOut(candidate);
            return Optional.empty();
        }
        if (seen != null && isReturned(candidate.row(), seen.entry(), present)) {
            return Optional.empty();
        }
        expected.forget(candidate.row());
        return hit(candidate, present, resultOf(image), true);
    }

    private void leaveOut(Candidate candidate) {
        if (!leftOut.add(candidate.row())) {
            remembersAll = false;
        }
    }

    /**
     * Returns whether a row was returned when the scan met the key of its present entry. It was unless it had another
     * entry then. The entry that the scan saw may be older: the row was written again since with the same values, or the
     * entry of its last write is delayed.
     */
    private boolean isReturned(ByteBuffer row, IndexEntry seen, IndexEntry present) {
        return remembersAll ? !leftOut.contains(row) : seen.isAsNewAs(present) && !expected.contains(row);
    }

    /**
     * Returns whether the scan sees a row's present entry. An entry of the same key from before the row had it does not
     * count; a later one does, which a write put over it whose base row was lost or is in flight.
     */
    private static boolean isMet(IndexEntry present, Map<ByteBuffer, FoundEntry> met) {
        FoundEntry seen = met.get(ByteBuffer.wrap(present.key()));
        return seen != null && seen.entry().isAsNewAs(present);
    }

    /** Returns a hit, unless the row is known to have been returned out of place. */
    private Optional<IndexHit> hit(Candidate candidate, IndexEntry entry, Optional<Result> row, boolean outOfPlace) {
        if (returnedOutOfPlace.contains(candidate.row())) {
            return Optional.empty();
        }
        if (outOfPlace) {
            returnedOutOfPlace.add(candidate.row());
        }
        leftOut.remove(candidate.row());
        IndexKeyCodec.Key key = entry.sameKey(candidate.found().entry())
                ? candidate.key()
                : function.codec().decode(entry.key());
        return Optional.of(new IndexHit(function.definition(), key, entry, row, candidate.found()));
    }

    private Optional<Result> resultOf(Image image) {
        return withRows ? Optional.of(image.row) : Optional.empty();
    }

    private boolean needsRow(Candidate candidate) {
        return withRows || candidate.found().own() || !candidate.isMet() || mode.checksAll();
    }

    private Get get(byte[] row) {
        IndexDefinition index = function.definition();
        Get get = LeasedRead.mark(new Get(row));
        return withRows
                ? ProtectedColumns.askFor(index, get)
                : ProtectedCells.leftOut(index, index.addReadColumns(get));
    }

    /**
     * Decodes an entry's key; empty for a session's own entry of an index whose definition has been replaced meanwhile.
     */
    private Optional<IndexKeyCodec.Key> decode(FoundEntry found) throws IOException {
        try {
            return Optional.of(function.codec().decode(found.key()));
        } catch (IllegalArgumentException e) {
            if (found.own()) {
                return Optional.empty();
            }
            throw new IOException(
                    "Table " + function.definition().indexTable() + " holds a row that is not an entry of index "
                            + function.definition().name() + "; scrub the index with repair",
                    e);
        }
    }
}
