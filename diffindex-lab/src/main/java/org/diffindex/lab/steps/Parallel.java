package org.diffindex.lab.steps;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs steps side by side. */
public final class Parallel {
    private Parallel() {}

    /**
     * Runs all steps and returns what they gave, in their order. If one fails, those that have not begun are left out and
     * the others are interrupted.
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
            Thread.currentThread().interrupt();
            throw new IOException("The run was interrupted", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }
}
