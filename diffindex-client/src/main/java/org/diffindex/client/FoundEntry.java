package org.diffindex.client;

import org.diffindex.model.IndexEntry;

/**
 * An entry on its way from an index to a hit.
 *
 * @param entry the entry
 * @param stamp the stamp at which it was put, see {@link org.diffindex.model.EntryFormat}
 * @param own whether it is known from a session's own write and not, or not yet as new, from the index table
 */
record FoundEntry(IndexEntry entry, long stamp, boolean own) {
    byte[] key() {
        return entry.key();
    }
}
