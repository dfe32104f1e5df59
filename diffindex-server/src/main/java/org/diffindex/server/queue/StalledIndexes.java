package org.diffindex.server.queue;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;

/**
 * The index tables to which the regions of one server cannot deliver in time, and how many threads deliver to each apart from
 * the other indexes: one while it is stalled, so that an index table that does not answer holds one thread of a server,
 * however many regions have changes for it. Safe for use by many threads.
 */
public final class StalledIndexes {
    private final int mostThreads;

    /** Those that are stalled or have threads. Guarded by this. */
    private final Map<TableName, State> states = new HashMap<>();

    private static final class State {
        private boolean stalled;
        private int threads;
    }

    /** None is stalled. At most so many threads deliver to one index table that is not. */
    public StalledIndexes(int mostThreads) {
        this.mostThreads = mostThreads;
    }

    /** Whether the last delivery to an index table failed, or took long. */
    synchronized boolean contains(TableName index) {
        State state = states.get(index);
        return state != null && state.stalled;
    }

    /** Takes a thread for an index table, if it may have one more; release it after that. */
    synchronized boolean tryAcquire(TableName index) {
        State state = states.computeIfAbsent(index, any -> new State());
        if (state.threads >= (state.stalled ? 1 : mostThreads)) {
            return false;
        }
        state.threads++;
        return true;
    }

    synchronized void release(TableName index) {
        State state = states.get(index);
        state.threads--;
        forgetIfIdle(index, state);
    }

    /** A delivery to an index table failed or takes long. */
    synchronized void add(TableName index) {
        states.computeIfAbsent(index, any -> new State()).stalled = true;
    }

    /** A delivery that takes long goes on, on a thread of its own; release that when it has ended. */
    synchronized void addWithThread(TableName index) {
        add(index);
        states.get(index).threads++;
    }

    /** A delivery to an index table succeeded in time. */
    synchronized void remove(TableName index) {
        State state = states.get(index);
        if (state != null) {
            state.stalled = false;
            forgetIfIdle(index, state);
        }
    }

    private void forgetIfIdle(TableName index, State state) {
        if (!state.stalled && state.threads == 0) {
            states.remove(index);
        }
    }
}
