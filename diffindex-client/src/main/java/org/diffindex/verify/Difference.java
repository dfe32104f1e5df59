package org.diffindex.verify;

import java.util.Locale;
import org.diffindex.model.IndexScheme;

/**
 * The ways in which an index may differ from its base table. A row of the base has at most the difference {@link
 * #MISSING}, a row of the index table at most one of the others: the first that applies in the order {@link
 * #UNDECODABLE}, {@link #DUPLICATE}, {@link #DANGLING} or {@link #STALE}, {@link #AHEAD} or {@link #WRONG_TIMESTAMP},
 * {@link #FUTURE_STAMP}; but {@link #FUTURE_STAMP} comes before differences that the scheme allows.
 */
public enum Difference {
    /** A base row should have an entry, and the index has none at that key. */
    MISSING,

    /** An entry of a base row that does not exist, or that has no indexed value any more, or not the values that the index asks for. */
    DANGLING,

    /** An entry of a base row that now yields another entry. So all but one of several entries of one row are stale. */
    STALE,

    /**
     * Under a scheme that may put the entry before the row: an entry that is correct except that its base timestamp
     * is later than the row's; the write it belongs to is in flight, or was lost in a crash. Readers take the timestamp
     * and the included values from the row. Read repair does not delete the entry, because the row yields it.
     */
    AHEAD,

    /** An entry that is correct except for its base timestamp or the values that it includes. */
    WRONG_TIMESTAMP,

    /**
     * An entry that is correct, or that the scheme leaves behind, except that its stamp is later than that of any write
     * of its region: the delete that is to end the entry would not cover it.
     */
    FUTURE_STAMP,

    /** A row of the index table that has other cells besides the one of its entry. */
    DUPLICATE,

    /**
     * A row of the index table that is not an entry: its key cannot be decoded or names no base row, or the cell of the
     * entry is missing, or that cell's value is neither empty nor 8 bytes long or, where entries include values, not these.
     */
    UNDECODABLE;

    /** Returns the name in reports and files, such as {@code wrong_timestamp}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns whether a scheme leaves such entries behind in normal operation. If it leaves old entries to readers, no
     * reader returns a stale or dangling entry, and read repair deletes it some seconds after a reader has met it. If
     * it may put an entry before its row, an entry that is ahead stays until its row changes.
     */
    public boolean isAllowedBy(IndexScheme scheme) {
        return switch (this) {
            case STALE, DANGLING -> scheme.leavesStaleEntries();
            case AHEAD -> scheme.mayInsertBeforeRow();
            case MISSING, WRONG_TIMESTAMP, FUTURE_STAMP, DUPLICATE, UNDECODABLE -> false;
        };
    }
}
