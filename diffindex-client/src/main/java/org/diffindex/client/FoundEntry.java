package org.diffindex.client;

import org.diffindex.model.IndexEntry;

/**
 * An entry found by a scan or remembered by a session, before it is checked and becomes a hit.
 *
 * @param entry the entry
 * @param stamp the stamp with which it was put, see {@link org.diffindex.model.EntryFormat}
 * @param own whether it is known from a session's own write; false if it was read from the index table
 */
record FoundEntry(IndexEntry entry, long stamp, boolean own) {
    byte[] key() {
        return entry.key();
    }
}
