package org.diffindex.model;

import java.util.Optional;

/**
 * What a change of one base row means for one index: the entry to put and the entry to delete, either of which may be
 * absent. Derived from the row's entry before and after the change; an entry that is unchanged is omitted.
 *
 * @param insert the entry the row has after the change and did not have before, or had with another timestamp
 * @param delete the entry the row had before the change and no longer has
 */
public record IndexDelta(Optional<IndexEntry> insert, Optional<IndexEntry> delete) {
    private static final IndexDelta NONE = new IndexDelta(Optional.empty(), Optional.empty());

    /** Returns the delta from the row's entry before a change to its entry after it. */
    public static IndexDelta between(Optional<IndexEntry> before, Optional<IndexEntry> after) {
        if (before.equals(after)) {
            return NONE;
        }
        boolean sameKey =
                before.isPresent() && after.isPresent() && before.get().sameKey(after.get());
        return new IndexDelta(after, sameKey ? Optional.empty() : before);
    }

    /** Returns the delta of a scheme that leaves old entries behind: the new entry only, even if it is unchanged. */
    public static IndexDelta insertOnly(Optional<IndexEntry> after) {
        return new IndexDelta(after, Optional.empty());
    }

    public boolean isEmpty() {
        return insert.isEmpty() && delete.isEmpty();
    }
}
