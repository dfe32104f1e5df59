package org.diffindex.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What an index promises, and when its upkeep is paid: the four schemes of the Diff-Index paper (EDBT 2014, sections 4
 * and 5). Each index of a table picks its own.
 */
public enum IndexScheme {
    /**
     * Before a write is acknowledged its new entry is put, the old value is read and the old entry is deleted. After the
     * acknowledgement every reader sees exactly the new state.
     */
    SYNC_FULL,

    /**
     * Before a write is acknowledged its new entry is put; the old entry stays. A read by index checks each hit against
     * the base row, returns only those that hold, and reports the stale ones, which are then deleted in the background.
     */
    SYNC_INSERT,

    /**
     * A write is acknowledged as soon as it is durable and queued in the AUQ; the index follows. A read may see the past:
     * how far behind is measured and exported.
     */
    ASYNC_SIMPLE,

    /** As {@link #ASYNC_SIMPLE}, and a client session sees its own writes at once. */
    ASYNC_SESSION;

    /** The scheme's name in definitions, on the command line and in the paper: {@code sync-full} and so on. */
    public String schemeName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The scheme of that name.
     *
     * @throws IllegalArgumentException if no scheme is called so; the message lists those that are
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

    /** Whether entries are written after the acknowledgement, through the AUQ. */
    public boolean isAsynchronous() {
        return this == ASYNC_SIMPLE || this == ASYNC_SESSION;
    }

    /** Whether a write leaves the entry of the old value behind, so that each hit needs a look at its base row. */
    public boolean leavesStaleEntries() {
        return this == SYNC_INSERT;
    }

    /** Whether a write deletes the entry of the old value before it is acknowledged, so that none is left to be checked. */
    public boolean deletesBeforeAck() {
        return this == SYNC_FULL;
    }

    /** Whether any reader sees a write once it is acknowledged. */
    public boolean readsAcknowledgedWrites() {
        return !isAsynchronous();
    }

    @Override
    public String toString() {
        return schemeName();
    }
}
