package org.diffindex.lab.steps;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs steps concurrently. */
public final class Parallel {
    private Parallel() {}

    /**
     * Runs the steps on a pool of threads and returns their results in the order of the steps. If a step fails, steps
     * that have not started are skipped and running ones are interrupted.
     *
     * @throws IOException the failure of the first step, in the order of the steps, that failed; any other exception is
     *     wrapped
     */
    public static <T> List<T> run(int threads, List<Callable<T>> steps) throws IOException {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<T>> futures = new ArrayList<>();
            steps.forEach(step -> futures.add(executor.submit(step)));
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } catch (InterruptedException e) {
            throw Interruption.of(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }
}
