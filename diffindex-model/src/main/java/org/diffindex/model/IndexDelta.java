package org.diffindex.model;

import java.util.Optional;

/**
 * What a change of one base row means for one index: the entry to put and the entry to delete, either of which may be
 * absent. Made from the row's entry before and after; what both have in common is dropped.
 *
 * @param insert the entry that the row has now and did not have, or had with another timestamp
 * @param delete the entry that the row had and has no more
 */
public record IndexDelta(Optional<IndexEntry> insert, Optional<IndexEntry> delete) {
    private static final IndexDelta NONE = new IndexDelta(Optional.empty(), Optional.empty());

    /** The step from the row's entry before a change to its entry after it. */
    public static IndexDelta between(Optional<IndexEntry> before, Optional<IndexEntry> after) {
        if (before.equals(after)) {
            return NONE;
        }
        boolean sameKey =
                before.isPresent() && after.isPresent() && before.get().sameKey(after.get());
        return new IndexDelta(after, sameKey ? Optional.empty() : before);
    }

    /** The step of a scheme that leaves old entries behind: only the new entry. */
    public static IndexDelta insertOnly(Optional<IndexEntry> after) {
        return new IndexDelta(after, Optional.empty());
    }

    public boolean isEmpty() {
        return insert.isEmpty() && delete.isEmpty();
    }
}
