package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.util.Iterator;

/**
 * The hits of one query, in the order of the index's keys; to be closed, like HBase's ResultScanner. Used by one thread
 * at a time.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class IndexScanner implements Closeable, Iterable<IndexHit> {
    IndexScanner() {}

    /** The next hit; null at the end. */
    public IndexHit next() throws IOException {
        throw new UnsupportedOperationException();
    }

    /** The hits that are left; an IOException comes as an {@link java.io.UncheckedIOException}. */
    @Override
    public Iterator<IndexHit> iterator() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() throws IOException {}
}
