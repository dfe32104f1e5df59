package org.diffindex.ycsb;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What this process knows of the items that it wrote. An item's version is certain while no write of it is under way
 * and its last write was alone and succeeded: of two writes at the same time nobody here knows which came last. Safe for
 * use by many threads.
 */
final class ItemStates {
    private final ConcurrentMap<Long, State> states = new ConcurrentHashMap<>();

    /**
     * An item's state.
     *
     * @param version the last version that was given out
     * @param writing how many writes are under way
     * @param alone whether the last write to begin had the item for itself
     * @param certain whether the row is known to hold that version, or to be deleted
     * @param deleted whether the last write to end deleted the row
     * @param writes how many writes began, by which a change can be noticed
     */
    record State(int version, int writing, boolean alone, boolean certain, boolean deleted, long writes) {
        private static final State LOADED = new State(0, 0, true, false, false, 0);

        private State begun() {
            return new State(version + 1, writing + 1, writing == 0, false, deleted, writes + 1);
        }

        private State ended(boolean isDeleted, boolean succeeded) {
            return new State(version, writing - 1, alone, alone && succeeded, isDeleted, writes);
        }

        boolean isKnownToExist() {
            return certain && !deleted;
        }

        boolean isKnownToBeDeleted() {
            return certain && deleted;
        }
    }

    /** The item's state; null if this process never wrote or learnt it. */
    State of(long item) {
        return states.get(item);
    }

    /** Notes that a write begins, and gives it its version. */
    int begin(long item) {
        return states.compute(item, (key, state) -> (state == null ? State.LOADED : state).begun())
                .version();
    }

    /** Notes that a write has ended. */
    void end(long item, boolean deleted, boolean succeeded) {
        states.computeIfPresent(item, (key, state) -> state.ended(deleted, succeeded));
    }

    /** Notes the version that a row was found at, unless a write knows better. */
    void learn(long item, int version) {
        states.putIfAbsent(item, new State(version, 0, true, true, false, 0));
    }
}
