package org.diffindex.tasks;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** Runs tasks, a few at a time, on threads that end with them; the first error ends all. */
public final class TaskPool {
    /** The seconds that running tasks get to end after another one failed. */
    private static final int STOP_SECONDS = 10;

    private final String name;
    private final int threads;

    /** A task. */
    @FunctionalInterface
    public interface Task {
        void run() throws IOException;
    }

    /**
     * Creates a pool, without a thread yet.
     *
     * @param name the name of its threads
     * @param threads the most tasks that run at a time
     */
    public TaskPool(String name, int threads) {
        this.name = name;
        this.threads = threads;
    }

    /**
     * Runs tasks; returns when all are done.
     *
     * @param done receives, on the caller's thread, the number of completed tasks: 0 at first, then after each
     * @throws IOException the first error of a task. Running tasks have been interrupted, and the others are not
     *     started
     * @throws InterruptedIOException if the caller was interrupted; the tasks are ended in the same way
     */
    public void run(List<? extends Task> tasks, IntConsumer done) throws IOException {
        ExecutorService pool = Executors.newFixedThreadPool(Math.max(1, Math.min(threads, tasks.size())), this::daemon);
        try {
            CompletionService<Void> running = new ExecutorCompletionService<>(pool);
            for (Task task : tasks) {
                running.submit(() -> {
                    task.run();
                    return null;
                });
            }
            done.accept(0);
            for (int count = 1; count <= tasks.size(); count++) {
                await(running);
                done.accept(count);
            }
        } finally {
            stop(pool);
        }
    }

    private Thread daemon(Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private static void await(CompletionService<Void> running) throws IOException {
        try {
            running.take().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("Interrupted").initCause(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException(e.getCause());
        }
    }

    private static void stop(ExecutorService pool) {
        pool.shutdownNow();
        try {
            boolean unused = pool.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
