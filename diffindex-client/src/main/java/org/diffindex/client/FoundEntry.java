package org.diffindex.client;

import org.diffindex.model.IndexEntry;

/**
 * An entry found by a scan or remembered by a session, before it is checked and becomes a hit.
 *
 * @param entry the entry
 * @param stamp the stamp with which it was put, see {@link org.diffindex.model.EntryFormat}
 * @param own whether it is known from a session's own write; false if it was read from the index table
 * @param late whether the scan had passed its key when it was put, so that it is found by {@link SecondLook}
 */
record FoundEntry(IndexEntry entry, long stamp, boolean own, boolean late) {
    /** Creates an entry that is not late. */
    FoundEntry(IndexEntry entry, long stamp, boolean own) {
        this(entry, stamp, own, false);
    }

    /** Returns the same entry, late. */
    FoundEntry asLate() {
        return new FoundEntry(entry, stamp, own, true);
    }

    byte[] key() {
        return entry.key();
    }
}
