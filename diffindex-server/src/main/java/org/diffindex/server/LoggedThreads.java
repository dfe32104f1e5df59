package org.diffindex.server;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for scheduled tasks, which report what a task throws. A ScheduledThreadPoolExecutor alone keeps it in the
 * task's future, which nobody asks. Thread-safe.
 */
final class LoggedThreads extends ScheduledThreadPoolExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedThreads.class);

    private final Consumer<Throwable> report;

    /** Creates threads that log what a task throws. */
    LoggedThreads(int count, ThreadFactory factory) {
        this(
                count,
                factory,
                thrown -> LOG.error("Diff-Index failed unexpectedly in the background; please report it", thrown));
    }

    /**
     * Creates threads.
     *
     * @param report receives what a task throws, on its thread
     */
    LoggedThreads(int count, ThreadFactory factory, Consumer<Throwable> report) {
        super(count, factory);
        this.report = report;
    }

    @Override
    protected void afterExecute(Runnable task, Throwable thrown) {
        super.afterExecute(task, thrown);
        if (task instanceof Future<?> future && future.isDone() && !future.isCancelled()) {
            try {
                future.get();
            } catch (ExecutionException e) {
                report.accept(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // not thrown, since the future is done
            }
        }
    }
}
