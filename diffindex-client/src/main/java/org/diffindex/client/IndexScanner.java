package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;

/**
 * Iterates over the hits of one query in the order of the index's keys, or in the reverse order. Must be closed, like HBase's {@link
 * org.apache.hadoop.hbase.client.ResultScanner}.
 *
 * <p>However many hits there are, the scanner holds one page of them, and remembers at most 100,000 rows that changed
 * while it ran, and 48 MiB of the keys of rows and entries; and, if another coprocessor of the index table keeps the
 * server from telling read points, 50,000 of the entries that it met, with keys of 16 MiB. Like an HBase scan it is not
 * a snapshot: a concurrent write may be seen or not. A row whose present entry the scan does not meet is returned with
 * its present values at the position of its old entry, so such a hit may be out of order.
 *
 * <p>Until it is closed or at its end, the scanner of a session keeps the changes that the session remembered when the
 * scanner was opened; they count towards {@link SessionOptions#maxBytes}.
 *
 * <p>Used by one thread at a time.
 */
public final class IndexScanner implements Closeable, Iterable<IndexHit> {
    /** Runs before each step of a scanner; for example, a session's check that it has not expired. */
    @FunctionalInterface
    interface Use {
        void use() throws IOException;
    }

    /**
     * The source of a scanner: the entries of one generation of an index.
     *
     * @param generation the {@linkplain org.diffindex.model.IndexDefinition#name name} of the generation
     * @param source the entries
     * @param filter checks them, and makes hits of them
     * @param tokens makes the token of the position behind a key
     * @param resources closed after the source
     */
    record Opened(
            String generation,
            EntrySource source,
            StaleEntryFilter filter,
            Function<byte[], PageToken> tokens,
            Closeable resources) {}

    /** Opens an index again under its name, after it could not be read as it was. */
    @FunctionalInterface
    interface Reopening {
        /**
         * Returns the index as it is now; empty if it was not replaced.
         *
         * @param before the generation that could not be read
         */
        Optional<Opened> reopen(String before) throws IOException;
    }

    private final Reopening reopening;
    private final Use use;
    private String generation;
    private EntrySource source;
    private StaleEntryFilter filter;
    private Function<byte[], PageToken> tokens;
    private Closeable resources;
    private final int caching;
    private final List<FoundEntry> entries = new ArrayList<>();
    private final Deque<IndexHit> page = new ArrayDeque<>();
    private long left;
    private boolean hasFoundNothing = true;
    private boolean everyEntryWasHit = true;
    private boolean exhausted;
    private boolean done;
    private boolean closed;
    private boolean hasReturnedHit;

    /** The key behind which the scan was when it returned the last hit; empty if that was before the first one. */
    private byte[] position;

    /**
     * Creates a scanner over a source. Closing it closes the source, then the resources.
     *
     * @param query gives the limit and the page size
     * @param tokens makes the token of the position behind a key
     */
    IndexScanner(
            EntrySource source,
            StaleEntryFilter filter,
            IndexQuery query,
            Function<byte[], PageToken> tokens,
            Closeable resources,
            Use use) {
        this(new Opened("", source, filter, tokens, resources), before -> Optional.empty(), query, use);
    }

    /**
     * Creates a scanner which goes over to the index as it is now if the columns of the index were changed before it has found
     * anything.
     */
    IndexScanner(Opened opened, Reopening reopening, IndexQuery query, Use use) {
        this.generation = opened.generation();
        this.source = opened.source();
        this.filter = opened.filter();
        this.tokens = opened.tokens();
        this.resources = opened.resources();
        this.reopening = reopening;
        this.use = use;
        this.left = query.limit();
        this.caching = query.caching();
        this.position = query.position().map(PageToken::key).orElse(new byte[0]);
    }

    /**
     * Returns the next hit; null at the end.
     *
     * @throws NoSuchIndexException if the index was dropped meanwhile, or, once there was a hit, if its columns were changed:
     *     read again
     * @throws IllegalArgumentException if the columns of the index were changed, and the query's values do not fit the new ones
     * @throws org.diffindex.model.IndexNotReadableException if the index is BUILDING
     * @throws SessionExpiredException if the scanner belongs to a session that has expired
     * @throws IllegalStateException if the scanner or its session is closed
     */
    public IndexHit next() throws IOException {
        return returned(poll());
    }

    private IndexHit poll() throws IOException {
        if (closed) {
            throw new IllegalStateException("The scanner is closed; open another one with getByIndex");
        }
        use.use();
        if (left == 0) {
            source.close(); // the limit is reached; the source is not needed any more
            return null;
        }
        while (page.isEmpty() && !done) {
            fetchOrGoOver();
        }
        IndexHit hit = page.poll();
        if (hit != null) {
            left--;
        }
        return hit;
    }

    /** Notes that a hit, or null, goes to the caller. */
    private IndexHit returned(IndexHit hit) {
        if (hit != null) {
            hasReturnedHit = true;
            position = hit.position().orElse(position);
        }
        return hit;
    }

    /**
     * Returns a token of the position behind the hit that was returned last: a query with the same conditions and {@link
     * IndexQuery.Builder#after} returns the hits that follow. It is text of the characters {@code A-Z a-z 0-9 - _}, as long
     * as the key of the hit and a third more, and about 120 characters. It remains valid when the scanner is closed, when
     * clients and servers are started again or upgraded, and when regions move, split or merge, until the index is dropped,
     * rebuilt or changed. It contains the names of the table and the index and the key at which the hit was found, with its values,
     * which may be former ones of the row, and protects none of them: show it only to those who may read the index.
     *
     * <p>The pages of a query are scans of their own: a row whose entry does not change from the first page to the last, and is
     * delivered, is on exactly one of them. A row whose present entry is not delivered until the last page is read is on the
     * page of its old entry, if the query requests rows or the scheme is sync-insert; on several if the index holds several
     * old ones. A row that moves, or whose entry is delivered, in between may be on two pages, or on none.
     *
     * @throws IllegalStateException if no hit was returned yet
     */
    public String token() {
        if (!hasReturnedHit) {
            throw new IllegalStateException("There is a token after each hit, and no hit was returned yet; call next()"
                    + " first. A query without hits has no further page");
        }
        return tokens.apply(position).encode();
    }

    /**
     * Fetches the next page. A reader that knows an index as it was before its columns were changed is refused when that is
     * dropped; if it has found nothing yet, it reads the index as it is now, from the beginning.
     */
    private void fetchOrGoOver() throws IOException {
        try {
            fetch();
        } catch (NoSuchIndexException e) {
            Optional<Opened> now = hasFoundNothing ? reopened(e) : Optional.empty();
            if (now.isEmpty()) {
                throw e;
            }
            goOver(now.get());
        }
    }

    private Optional<Opened> reopened(NoSuchIndexException refusal) throws IOException {
        try {
            return reopening.reopen(generation);
        } catch (NoSuchIndexException e) {
            refusal.addSuppressed(e);
            return Optional.empty();
        }
    }

    private void goOver(Opened now) throws IOException {
        EntrySource before = source;
        Closeable opened = resources;
        generation = now.generation();
        source = now.source();
        filter = now.filter();
        tokens = now.tokens();
        resources = now.resources();
        entries.clear();
        exhausted = false;
        everyEntryWasHit = true;
        try (opened) {
            before.close();
        }
    }

    /**
     * Fetches the next page. As long as every entry was a hit, the page is no larger than what is left of the limit.
     * After an error the next call tries the same entries again.
     */
    private void fetch() throws IOException {
        long size = everyEntryWasHit ? Math.min(caching, left) : caching;
        while (entries.size() < size && !exhausted) {
            FoundEntry found = source.next();
            if (found == null) {
                exhausted = true;
            } else {
                entries.add(found);
            }
        }
        List<IndexHit> hits = filter.filter(entries, exhausted);
        everyEntryWasHit &= hits.size() == entries.size();
        page.addAll(hits);
        entries.clear();
        hasFoundNothing &= hits.isEmpty();
        done = exhausted;
        if (done) {
            source.close(); // not before: the filter asks the source what it has hidden
        }
    }

    /**
     * Returns an iterator over the remaining hits. It can be used once; it throws an {@link IOException} as an {@link
     * UncheckedIOException}.
     */
    @Override
    public Iterator<IndexHit> iterator() {
        return new Iterator<>() {
            private IndexHit ahead;

            @Override
            public boolean hasNext() {
                try {
                    if (ahead == null) {
                        ahead = poll();
                    }
                    return ahead != null;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public IndexHit next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("The scanner is at its end");
                }
                IndexHit hit = ahead;
                ahead = null;
                return returned(hit);
            }
        };
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        page.clear();
        Closeable opened = resources;
        try (opened) {
            source.close();
        }
    }
}
