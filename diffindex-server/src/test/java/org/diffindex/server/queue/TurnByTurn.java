package org.diffindex.server.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.diffindex.server.local.TurnExecutor;

/**
 * An executor that does not wait: each task runs when the test decides, on the test's thread, and the time is then the
 * one for which it was scheduled. For use by one thread.
 */
final class TurnByTurn extends TurnExecutor {
    private final PriorityQueue<Turn> turns = new PriorityQueue<>(
            Comparator.comparingLong((Turn turn) -> turn.atNanos).thenComparingLong(turn -> turn.number));
    private final List<Long> delaysMs = new ArrayList<>();
    private long nowNanos;
    private long count;

    private final class Turn extends FutureTask<Object> implements ScheduledFuture<Object> {
        private final long atNanos;
        private final long number = count++;

        Turn(Runnable task, long atNanos) {
            super(task, null);
            this.atNanos = atNanos;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(atNanos - nowNanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    /** Runs the next task, at its time. Returns whether there was one. */
    boolean next() {
        Turn turn = turns.poll();
        if (turn == null) {
            return false;
        }
        nowNanos = Math.max(nowNanos, turn.atNanos);
        turn.run();
        return true;
    }

    /** Lets time pass during a task. */
    void pass(long ms) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Returns the delays for which tasks were scheduled, in milliseconds. */
    List<Long> delaysMs() {
        return delaysMs;
    }

    long nowNanos() {
        return nowNanos;
    }

    int waiting() {
        return turns.size();
    }

    @Override
    protected ScheduledFuture<?> enter(Runnable task, long delay, TimeUnit unit) {
        delaysMs.add(unit.toMillis(delay));
        Turn turn = new Turn(task, nowNanos + unit.toNanos(delay));
        turns.add(turn);
        return turn;
    }

    @Override
    protected List<Runnable> forget() {
        List<Runnable> left = new ArrayList<>(turns);
        turns.clear();
        return left;
    }
}
