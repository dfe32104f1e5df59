package org.diffindex.ycsb;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The state of the items that this process wrote, as far as it knows. An item's version is certain if no write of it is
 * in flight and its last write succeeded and did not overlap another one: of two overlapping writes the process does
 * not know which came last. Safe for use by many threads.
 */
final class ItemStates {
    private final ConcurrentMap<Long, State> states = new ConcurrentHashMap<>();

    /**
     * The state of an item.
     *
     * @param version the last version that was assigned
     * @param writing the number of writes in flight
     * @param alone whether no other write of the item was in flight when the last one began
     * @param certain whether the row is known to have that version, or to be deleted
     * @param deleted whether the last write to end deleted the row
     * @param writes the number of writes that began, which makes changes detectable
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

    /** Returns the item's state; null if this process has neither written nor learnt it. */
    State of(long item) {
        return states.get(item);
    }

    /** Records that a write begins; returns its version. */
    int begin(long item) {
        return states.compute(item, (key, state) -> (state == null ? State.LOADED : state).begun())
                .version();
    }

    /** Records that a write has ended. */
    void end(long item, boolean deleted, boolean succeeded) {
        states.computeIfPresent(item, (key, state) -> state.ended(deleted, succeeded));
    }

    /** Records the version found in a row, unless the item's state is known. */
    void learn(long item, int version) {
        states.putIfAbsent(item, new State(version, 0, true, true, false, 0));
    }
}
