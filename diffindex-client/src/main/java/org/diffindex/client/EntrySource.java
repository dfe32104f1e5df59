package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;

/** Entries of one index, in key order. Used by one thread at a time. */
interface EntrySource extends Closeable {
    /** A source without entries. */
    EntrySource EMPTY = new EntrySource() {
        @Override
        public FoundEntry next() {
            return null;
        }

        @Override
        public void close() {}
    };

    /** Returns the next entry; null at the end. */
    FoundEntry next() throws IOException;

    /** Returns whether this source leaves out that entry of the index table when it meets it. */
    default boolean hides(FoundEntry met) {
        return false;
    }
}
