package org.diffindex.verify;

import java.util.Locale;
import org.diffindex.model.IndexScheme;

/**
 * In what way an index may differ from its base table. A row of the base has at most the difference {@link #MISSING}, a
 * row of the index table at most one of the others: the first in the order {@link #UNDECODABLE}, {@link #DUPLICATE},
 * {@link #DANGLING} or {@link #STALE}, {@link #AHEAD} or {@link #WRONG_TIMESTAMP}, {@link #FUTURE_STAMP}, but that one before those which the
 * scheme allows.
 */
public enum Difference {
    /** A base row should have an entry, and the index holds none at that key. */
    MISSING,

    /** An entry of a base row that is gone, or that has no indexed value any more. */
    DANGLING,

    /**
     * An entry of a base row that has another value by now; so of several entries of one row all but one are stale.
     */
    STALE,

    /**
     * Under a scheme that may put the entry before the row: an entry that is right but for a later base timestamp than the
     * row's, that of a write that is on its way, or was lost in a crash. Readers take the time from the row; no clean-up takes
     * such an entry away, since it is the row's.
     */
    AHEAD,

    /** An entry that is right but for its base timestamp. */
    WRONG_TIMESTAMP,

    /**
     * An entry that is right, or left behind as the scheme does, but for its stamp, which is later than any that a write of its
     * region has had: the delete that is to end it would miss it.
     */
    FUTURE_STAMP,

    /** A row of the index table that holds more cells than the one of its entry. */
    DUPLICATE,

    /**
     * A row of the index table that is no entry: its key cannot be taken apart or names no base row, the entry's cell is
     * not there, or its value is neither empty nor a timestamp.
     */
    UNDECODABLE;

    /** The name in reports and files, such as {@code wrong_timestamp}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether a scheme leaves such entries behind in its ordinary work. If it leaves old entries to readers, a stale or dangling
     * one is given to no reader, and is deleted some seconds after a reader has come by; if it may insert before the row, one that
     * is ahead stays until its row changes.
     */
    public boolean isAllowedBy(IndexScheme scheme) {
        return switch (this) {
            case STALE, DANGLING -> scheme.leavesStaleEntries();
            case AHEAD -> scheme.mayInsertBeforeRow();
            case MISSING, WRONG_TIMESTAMP, FUTURE_STAMP, DUPLICATE, UNDECODABLE -> false;
        };
    }
}
