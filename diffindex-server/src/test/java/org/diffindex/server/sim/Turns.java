package org.diffindex.server.sim;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** An executor of a simulated server: each task is an actor, some time later. */
class Turns extends AbstractExecutorService implements ScheduledExecutorService {
    private final Scheduler scheduler;
    private final String name;
    private final Object home;
    private boolean stopped;

    Turns(Scheduler scheduler, String name, Object home) {
        this.scheduler = scheduler;
        this.name = name;
        this.home = home;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        if (stopped || scheduler.isKilled()) {
            throw new RejectedExecutionException(name + " is stopped");
        }
        scheduler.spawn(name, home, () -> {
            if (delay > 0) {
                scheduler.await("after " + unit.toMillis(delay) + " ms", () -> stopped, unit.toNanos(delay));
            }
            if (!stopped) {
                task.run();
            }
        });
        return null;
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
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return stopped;
    }

    @Override
    public boolean isTerminated() {
        return stopped;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return stopped;
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

    /** Runs each task at once, on the caller's turn. */
    static final class AtOnce extends Turns {
        AtOnce(Scheduler scheduler) {
            super(scheduler, "at once", null);
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    }
}
