package org.diffindex.server.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.TableName;

/**
 * The index tables to which this server's regions cannot deliver in time, and the threads that deliver to each in lanes.
 * While an index table is stalled, a lane starts a delivery only if no other thread delivers to it, however many regions
 * have changes for it; deliveries that started earlier keep their threads. Lanes that find no thread free get one in the
 * order in which they asked.
 *
 * <p>A delivery that succeeds in time ends the mark of its table. So does a minute without a delivery, after which
 * nothing is known of the table: its last updates may have arrived late, it may have been dropped, or its regions may
 * have moved away. Thread-safe.
 */
public final class StalledIndexes {
    /** How long a mark says anything after the last delivery has ended; longer than a lane waits between two. */
    private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final int mostThreads;
    private final LongSupplier nanoTime;

    /** The tables that are stalled or have threads; only those that have threads have lanes that wait. Guarded by this. */
    private final Map<TableName, State> states = new HashMap<>();

    private static final class State {
        private boolean isMarked;

        /** When the table was marked, or a thread released, last. */
        private long nanos;

        private int threads;
        private final Queue<Runnable> waiting = new ArrayDeque<>(0);
    }

    /**
     * Creates an instance without stalled tables.
     *
     * @param mostThreads limit of threads for each index table that is not stalled
     * @param nanoTime elapsed time in nanoseconds
     */
    public StalledIndexes(int mostThreads, LongSupplier nanoTime) {
        this.mostThreads = mostThreads;
        this.nanoTime = nanoTime;
    }

    /** Returns whether the last delivery to an index table failed or was slow. */
    synchronized boolean contains(TableName index) {
        State state = states.get(index);
        return state != null && isStalled(state);
    }

    /** Returns the state of an index table, without a mark that says nothing any more. */
    private State stateOf(TableName index) {
        State state = states.computeIfAbsent(index, any -> new State());
        state.isMarked = isStalled(state);
        return state;
    }

    private boolean isStalled(State state) {
        return state.isMarked && (state.threads > 0 || nanoTime.getAsLong() - state.nanos < VALID_NANOS);
    }

    /** Returns whether a lane waits for a thread of an index table. */
    synchronized boolean isAwaited(TableName index) {
        State state = states.get(index);
        return state != null && !state.waiting.isEmpty();
    }

    /**
     * Acquires a thread for an index table, now or when those who asked before have had theirs. {@link #release} it
     * afterwards.
     *
     * @param later called once the thread is acquired, if that is not now, on the thread of whoever releases it; must
     *     neither wait nor throw
     * @return whether the thread is acquired now
     */
    synchronized boolean acquire(TableName index, Runnable later) {
        State state = stateOf(index);
        boolean isFree = state.threads < limitOf(state);
        if (isFree) {
            state.threads++;
        } else {
            state.waiting.add(later);
        }
        return isFree;
    }

    /** Returns how many threads an index table may have. Nobody waits while it has fewer. */
    private int limitOf(State state) {
        return isStalled(state) ? 1 : mostThreads;
    }

    /** Releases a thread, perhaps to a lane that waits for one. */
    void release(TableName index) {
        change(index, state -> {
            state.nanos = nanoTime.getAsLong();
            state.threads--;
        });
    }

    /** Marks an index table as stalled: a delivery failed or is slow. */
    void add(TableName index) {
        change(index, this::mark);
    }

    /**
     * Marks an index table as stalled and counts the thread of a slow delivery, regardless of the limit; {@link
     * #release} it when the delivery ends.
     */
    void addWithThread(TableName index) {
        change(index, state -> {
            mark(state);
            state.threads++;
        });
    }

    private void mark(State state) {
        state.isMarked = true;
        state.nanos = nanoTime.getAsLong();
    }

    /** Marks an index table as not stalled: a delivery succeeded in time. */
    void remove(TableName index) {
        change(index, state -> state.isMarked = false);
    }

    /**
     * Changes the state of an index table, starts those whose turn it is then, and forgets tables that are not stalled.
     */
    private void change(TableName index, Consumer<State> change) {
        List<Runnable> starting = new ArrayList<>(1);
        synchronized (this) {
            State state = stateOf(index);
            change.accept(state);
            while (state.threads < limitOf(state) && !state.waiting.isEmpty()) {
                state.threads++;
                starting.add(state.waiting.remove());
            }
            states.values().removeIf(each -> each.threads == 0 && !isStalled(each));
        }
        starting.forEach(Runnable::run);
    }
}
