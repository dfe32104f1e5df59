package org.diffindex.server.local;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A scheduled executor without threads of its own: a test decides which task runs, and when. It accepts what production
 * code schedules, which is single runs, and rejects tasks after its shutdown. For use by one thread at a time.
 */
public abstract class TurnExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private boolean stopped;

    /** Keeps a task until its turn comes. */
    protected abstract ScheduledFuture<?> enter(Runnable task, long delay, TimeUnit unit);

    /** Discards the tasks whose turn has not come, and returns them. */
    protected abstract List<Runnable> forget();

    @Override
    public final ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        if (stopped) {
            throw new RejectedExecutionException(this + " is stopped");
        }
        return enter(task, delay, unit);
    }

    @Override
    public void execute(Runnable task) {
        var unused = schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public final void shutdown() {
        stopped = true;
    }

    @Override
    public final List<Runnable> shutdownNow() {
        stopped = true;
        return forget();
    }

    @Override
    public final boolean isShutdown() {
        return stopped;
    }

    @Override
    public final boolean isTerminated() {
        return stopped;
    }

    @Override
    public final boolean awaitTermination(long timeout, TimeUnit unit) {
        return stopped;
    }

    @Override
    public final <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public final ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long delay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public final ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long delay, long pause, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }
}
