package org.diffindex.server;

/**
 * An entry that is reported as stale.
 *
 * @param row the key of its row
 * @param key the key of the entry
 * @param stamp the stamp with which it was put, or a later one with which none of its row's present entries was put
 * @param isReplaced whether a write of the row is known to have put another entry in its place, which was durable before
 *     this report, or to have left the row without one. Otherwise a reader reports that it has seen the row so
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record StaleEntry(byte[] row, byte[] key, long stamp, boolean isReplaced) {
    /** Returns whether this report says all that another one of the same entry says. */
    boolean covers(StaleEntry other) {
        return stamp >= other.stamp && (isReplaced || !other.isReplaced);
    }
}
