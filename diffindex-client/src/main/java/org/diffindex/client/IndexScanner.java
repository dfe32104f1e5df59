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

/**
 * The hits of one query, in the order of the index's keys; to be closed, like HBase's
 * {@link org.apache.hadoop.hbase.client.ResultScanner}. Holds one page of hits at a time, however many there are. Like
 * an HBase scan it is no snapshot: what is written while it runs may be seen or not. A row whose looked-up values are
 * newer than what the index holds yet stands at the place of its values before.
 *
 * <p>A session's scanner keeps, until it is closed or has come to its end, what the session remembered when it was opened;
 * that counts towards {@link SessionOptions#maxBytes}.
 *
 * <p>Used by one thread at a time.
 */
public final class IndexScanner implements Closeable, Iterable<IndexHit> {
    /** What happens before each step of a scanner, such as a session's check that it has not expired. */
    @FunctionalInterface
    interface Use {
        void use() throws IOException;
    }

    private final EntrySource source;
    private final StaleEntryFilter filter;
    private final Closeable resources;
    private final Use use;
    private final int caching;
    private final List<FoundEntry> entries = new ArrayList<>();
    private final Deque<IndexHit> page = new ArrayDeque<>();
    private long left;
    private boolean everyEntryWasHit = true;
    private boolean exhausted;
    private boolean done;
    private boolean closed;

    /**
     * A scanner over a source, which it closes, and then the resources.
     *
     * @param query gives the limit and the size of pages
     */
    IndexScanner(EntrySource source, StaleEntryFilter filter, IndexQuery query, Closeable resources, Use use) {
        this.source = source;
        this.filter = filter;
        this.resources = resources;
        this.use = use;
        this.left = query.limit();
        this.caching = query.caching();
    }

    /**
     * The next hit; null at the end.
     *
     * @throws NoSuchIndexException if the index was dropped meanwhile
     * @throws SessionExpiredException if the scanner is a session's, and that has expired
     * @throws IllegalStateException if the scanner is closed
     */
    public IndexHit next() throws IOException {
        if (closed) {
            throw new IllegalStateException("The scanner is closed; open another one with getByIndex");
        }
        use.use();
        if (left == 0) {
            source.close(); // what it holds for the rest is needed no more
            return null;
        }
        while (page.isEmpty() && !done) {
            fetch();
        }
        IndexHit hit = page.poll();
        if (hit != null) {
            left--;
        }
        return hit;
    }

    /**
     * Fetches the next page, which is no larger than what is left of the limit as long as no entry was stale. After an error
     * the same entries are tried again.
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
        done = exhausted;
    }

    /** The hits that are left, once; an IOException comes as an {@link UncheckedIOException}. */
    @Override
    public Iterator<IndexHit> iterator() {
        return new Iterator<>() {
            private IndexHit ahead;

            @Override
            public boolean hasNext() {
                try {
                    if (ahead == null) {
                        ahead = IndexScanner.this.next();
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
                return hit;
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
        try (resources) {
            source.close();
        }
    }
}
