package org.diffindex.server.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A scheduled executor without threads and without waiting: each task runs when the test says so, on the test's thread,
 * and the time is then the one for which it was scheduled. For use by one thread.
 */
final class TurnByTurn extends AbstractExecutorService implements ScheduledExecutorService {
    private final PriorityQueue<Turn> turns = new PriorityQueue<>(
            Comparator.comparingLong((Turn turn) -> turn.atNanos).thenComparingLong(turn -> turn.number));
    private final List<Long> delaysMs = new ArrayList<>();
    private long nowNanos;
    private long count;
    private boolean stopped;

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

    /** Runs the next task, at its time; whether there was one. */
    boolean next() {
        Turn turn = turns.poll();
        if (turn == null) {
            return false;
        }
        nowNanos = Math.max(nowNanos, turn.atNanos);
        turn.run();
        return true;
    }

    /** The delays for which tasks were scheduled, in milliseconds. */
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
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        if (stopped) {
            throw new RejectedExecutionException("stopped");
        }
        delaysMs.add(unit.toMillis(delay));
        Turn turn = new Turn(task, nowNanos + unit.toNanos(delay));
        turns.add(turn);
        return turn;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long delay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long delay, long pause, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable task) {
        var unused = schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public void shutdown() {
        stopped = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        stopped = true;
        List<Runnable> left = new ArrayList<>(turns);
        turns.clear();
        return left;
    }

    @Override
    public boolean isShutdown() {
        return stopped;
    }

    @Override
    public boolean isTerminated() {
        return stopped && turns.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }
}
