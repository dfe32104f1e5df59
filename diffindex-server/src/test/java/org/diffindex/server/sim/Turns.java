package org.diffindex.server.sim;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.diffindex.server.local.TurnExecutor;

/** An executor of a simulated server. Each task is an actor, which runs some time later. */
class Turns extends TurnExecutor {
    private final Scheduler scheduler;
    private final String name;
    private final Object home;

    Turns(Scheduler scheduler, String name, Object home) {
        this.scheduler = scheduler;
        this.name = name;
        this.home = home;
    }

    @Override
    protected ScheduledFuture<?> enter(Runnable task, long delay, TimeUnit unit) {
        if (scheduler.isKilled()) {
            throw new RejectedExecutionException(name + " is killed");
        }
        scheduler.spawn(name, home, () -> {
            if (delay > 0) {
                scheduler.await("after " + unit.toMillis(delay) + " ms", this::isShutdown, unit.toNanos(delay));
            }
            if (!isShutdown() || runsAllTaken()) {
                task.run();
            }
        });
        return null;
    }

    /** Returns whether tasks that were accepted before the shutdown are run nevertheless. */
    protected boolean runsAllTaken() {
        return false;
    }

    /** Returns no tasks: each one checks for the shutdown when its turn comes. */
    @Override
    protected List<Runnable> forget() {
        return List.of();
    }

    @Override
    public String toString() {
        return name;
    }

    /**
     * Threads whose tasks are waited for, which happens at the scheduler. Like a pool that has a thread for each task,
     * and so no queue, it runs every task that it has accepted.
     */
    static final class Awaited extends Turns {
        private final Scheduler scheduler;

        Awaited(Scheduler scheduler, String name, Object home) {
            super(scheduler, name, home);
            this.scheduler = scheduler;
        }

        @Override
        protected boolean runsAllTaken() {
            return true;
        }

        @Override
        protected <T> RunnableFuture<T> newTaskFor(Runnable task, T value) {
            return newTaskFor(Executors.callable(task, value));
        }

        @Override
        protected <T> RunnableFuture<T> newTaskFor(Callable<T> task) {
            return new FutureTask<>(task) {
                @Override
                public T get() throws InterruptedException, ExecutionException {
                    scheduler.await("an index table's answer", this::isDone);
                    return super.get();
                }

                @Override
                public T get(long timeout, TimeUnit unit)
                        throws InterruptedException, ExecutionException, TimeoutException {
                    if (!scheduler.await("an index table's answer", this::isDone, unit.toNanos(timeout))) {
                        throw new TimeoutException();
                    }
                    return super.get();
                }
            };
        }
    }
}
