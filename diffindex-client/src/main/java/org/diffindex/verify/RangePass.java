package org.diffindex.verify;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.diffindex.verify.ScrubProgress.Stage;

/** Goes through the regions of both tables, a few at a time, and tells a listener how far that is. */
final class RangePass {
    private static final int STOP_SECONDS = 10;

    /** Goes through one range. */
    @FunctionalInterface
    interface Task {
        void run(Position position) throws IOException;
    }

    /** Takes where a task is. */
    @FunctionalInterface
    interface Position {
        /** The part of the range that is done, from 0 to 1, and the rows read since the last call. */
        void at(double fraction, long rows);
    }

    private final int threads;
    private final ScrubListener listener;
    /** Rows read in all stages. Guarded by this. */
    private long rows;

    RangePass(int threads, ScrubListener listener) {
        this.threads = threads;
        this.listener = listener;
    }

    /** Runs the tasks; the first error ends it. */
    void run(Stage stage, List<Task> tasks) throws IOException {
        ExecutorService pool = Executors.newFixedThreadPool(Math.max(1, Math.min(threads, tasks.size())), task -> {
            Thread thread = new Thread(task, "diffindex-scrub");
            thread.setDaemon(true);
            return thread;
        });
        try {
            double[] fractions = new double[tasks.size()];
            CompletionService<Void> running = new ExecutorCompletionService<>(pool);
            for (int i = 0; i < tasks.size(); i++) {
                int task = i;
                running.submit(() -> {
                    tasks.get(task).run((fraction, read) -> tell(stage, fractions, task, fraction, read));
                    tell(stage, fractions, task, 1, 0);
                    return null;
                });
            }
            for (int i = 0; i < tasks.size(); i++) {
                await(running);
            }
        } finally {
            stop(pool);
        }
    }

    private synchronized void tell(Stage stage, double[] fractions, int task, double fraction, long read) {
        rows += read;
        fractions[task] = fraction;
        double done = 0;
        for (double each : fractions) {
            done += each;
        }
        listener.at(new ScrubProgress(stage, done / fractions.length, rows));
    }

    private static void await(CompletionService<Void> running) throws IOException {
        try {
            running.take().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while scrubbing").initCause(e);
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
