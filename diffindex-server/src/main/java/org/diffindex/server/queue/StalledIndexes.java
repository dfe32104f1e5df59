package org.diffindex.server.queue;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;

/**
 * The index tables to which this server's regions cannot deliver in time, and the number of threads that deliver to
 * each in lanes. While an index table is stalled, a lane starts a delivery only if no other thread delivers to it,
 * however many regions have changes for it; deliveries that started earlier keep their threads. Thread-safe.
 */
public final class StalledIndexes {
    private final int mostThreads;

    /** The tables that are stalled or have threads. Guarded by this. */
    private final Map<TableName, State> states = new HashMap<>();

    private static final class State {
        private boolean stalled;
        private int threads;
    }

    /**
     * Creates an instance without stalled tables.
     *
     * @param mostThreads limit of threads for each index table that is not stalled
     */
    public StalledIndexes(int mostThreads) {
        this.mostThreads = mostThreads;
    }

    /** Returns whether the last delivery to an index table failed or was slow. */
    synchronized boolean contains(TableName index) {
        State state = states.get(index);
        return state != null && state.stalled;
    }

    /**
     * Acquires a thread for an index table, unless all that it may have are in use; returns whether it did. {@link
     * #release} it afterwards.
     */
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

    /** Marks an index table as stalled: a delivery failed or is slow. */
    synchronized void add(TableName index) {
        states.computeIfAbsent(index, any -> new State()).stalled = true;
    }

    /**
     * Marks an index table as stalled and counts the thread of a slow delivery, regardless of the limit; {@link
     * #release} it when the delivery ends.
     */
    synchronized void addWithThread(TableName index) {
        add(index);
        states.get(index).threads++;
    }

    /** Marks an index table as not stalled: a delivery succeeded in time. */
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
