package org.diffindex.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The promise of an index, and the time of its maintenance: the four schemes of the Diff-Index paper (EDBT 2014,
 * sections 4 and 5). Each index of a table has its own scheme.
 *
 * <p>A scheme is defined by its properties. Each constant states when a write is acknowledged, what happens to the old
 * entry, whether the new entry may precede its row, and whether there are sessions. Servers, clients and comparisons
 * query a property; they never test for a constant.
 */
public enum IndexScheme {
    /**
     * Before a write is acknowledged, its new entry is put, the old value is read and the old entry is deleted. After
     * the acknowledgement every reader sees exactly the new state.
     */
    SYNC_FULL(Acknowledged.AFTER_INDEX, OldEntry.DELETED_BY_WRITE, NewEntry.AFTER_ROW, Sessions.NONE),

    /**
     * Before a write is acknowledged, its new entry is put; the old entry stays. A read by index checks each hit
     * against the base row, returns only valid hits, and reports stale ones, which are then deleted in the background
     * (read repair).
     */
    SYNC_INSERT(Acknowledged.AFTER_INDEX, OldEntry.LEFT_TO_READERS, NewEntry.MAY_PRECEDE_ROW, Sessions.NONE),

    /**
     * A write is acknowledged as soon as it is durable and queued in the AUQ; the index is updated later. A read may
     * return a past state; the staleness is measured and exported.
     */
    ASYNC_SIMPLE(Acknowledged.AFTER_BASE, OldEntry.DELETED_BY_WRITE, NewEntry.AFTER_ROW, Sessions.NONE),

    /** Like {@link #ASYNC_SIMPLE}; in addition, a client session sees its own writes at once. */
    ASYNC_SESSION(Acknowledged.AFTER_BASE, OldEntry.DELETED_BY_WRITE, NewEntry.AFTER_ROW, Sessions.SEE_OWN_WRITES);

    /**
     * When a write is acknowledged: after the index is updated, or once it is durable in the base table and queued in
     * the AUQ.
     */
    private enum Acknowledged {
        AFTER_INDEX,
        AFTER_BASE
    }

    /** Whether the maintenance of a write deletes the row's old entry or leaves it for readers to find and report. */
    private enum OldEntry {
        DELETED_BY_WRITE,
        LEFT_TO_READERS
    }

    /** Whether the entry of a write is put only after its row is durable and visible, or may be put earlier. */
    private enum NewEntry {
        AFTER_ROW,
        MAY_PRECEDE_ROW
    }

    /** Whether the response to a write tells its session what changed, so that the session merges it into its reads. */
    private enum Sessions {
        NONE,
        SEE_OWN_WRITES
    }

    private final Acknowledged acknowledged;
    private final OldEntry oldEntry;
    private final NewEntry newEntry;
    private final Sessions sessions;

    IndexScheme(Acknowledged acknowledged, OldEntry oldEntry, NewEntry newEntry, Sessions sessions) {
        this.acknowledged = acknowledged;
        this.oldEntry = oldEntry;
        this.newEntry = newEntry;
        this.sessions = sessions;
    }

    /** Returns the scheme's name in definitions, on the command line and in the paper, such as {@code sync-full}. */
    public String schemeName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the scheme of that name.
     *
     * @throws IllegalArgumentException if no scheme has that name; the message lists the valid names
     */
    public static IndexScheme ofName(String name) {
        for (IndexScheme scheme : values()) {
            if (scheme.schemeName().equals(name)) {
                return scheme;
            }
        }
        throw new IllegalArgumentException("No index scheme is called '" + name + "'; the schemes are "
                + Arrays.stream(values()).map(IndexScheme::schemeName).collect(Collectors.joining(", ")));
    }

    /**
     * Returns whether a write is acknowledged once it is durable in the base table and queued in the AUQ, and the index
     * is updated later. Otherwise a write is acknowledged after the index is updated, or the client is told that the
     * index is delayed ({@link IndexUpdateDelayedException}).
     */
    public boolean isAsynchronous() {
        return acknowledged == Acknowledged.AFTER_BASE;
    }

    /**
     * Returns whether a write leaves the entry of the old value in the index. A reader then checks each hit against the
     * base row, returns only valid hits and reports the others; a stale entry is deleted after such a report. The
     * maintenance of a write need not read the row's old value.
     */
    public boolean leavesStaleEntries() {
        return oldEntry == OldEntry.LEFT_TO_READERS;
    }

    /**
     * Returns whether the entry of a write may be in the index before its row is durable and visible, and may stay
     * there if the write fails. Valid only for a scheme that is not {@linkplain #isAsynchronous asynchronous} and whose
     * readers check each hit ({@link #leavesStaleEntries}): the check of a row waits for writes to it that are in
     * flight.
     */
    public boolean mayInsertBeforeRow() {
        return newEntry == NewEntry.MAY_PRECEDE_ROW;
    }

    /**
     * Returns whether a client session sees its own writes at once although the index is updated later: the response to
     * a write contains what changed in the index, and the session merges it into its reads.
     */
    public boolean hasSessions() {
        return sessions == Sessions.SEE_OWN_WRITES;
    }

    /**
     * Returns whether a write deletes the entry of the old value before it is acknowledged, so that readers need not
     * check their hits.
     */
    public boolean deletesBeforeAck() {
        return readsAcknowledgedWrites() && !leavesStaleEntries();
    }

    /**
     * Returns whether a scan outside of a session returns every hit at the position of its entry, so that the hits are in
     * order. Otherwise a row that moves during the scan may be returned at the position of its old entry with its new
     * value, or after all other rows, so that it is not missed.
     */
    public boolean returnsHitsInOrder() {
        return !leavesStaleEntries() && !deletesBeforeAck();
    }

    /** Returns whether every reader sees a write once it is acknowledged. */
    public boolean readsAcknowledgedWrites() {
        return !isAsynchronous();
    }

    /**
     * Returns whether this scheme promises less than another. The promises are ordered: a scheme that promises less is
     * kept by everything that keeps the other one.
     */
    public boolean promisesLessThan(IndexScheme other) {
        return strength() < other.strength();
    }

    /** Returns the one of two schemes that promises less. */
    public static IndexScheme weaker(IndexScheme one, IndexScheme other) {
        return other.promisesLessThan(one) ? other : one;
    }

    private int strength() {
        if (isAsynchronous()) {
            return hasSessions() ? 1 : 0;
        }
        return leavesStaleEntries() ? 2 : 3;
    }

    @Override
    public String toString() {
        return schemeName();
    }
}
