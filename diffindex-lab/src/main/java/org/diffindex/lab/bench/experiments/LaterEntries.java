package org.diffindex.lab.bench.experiments;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.diffindex.lab.steps.Interruption;
import org.diffindex.server.queue.UpdateProcessor;

/**
 * Collects mutations of entries and writes them in batches on a background thread, as the AUQ does, with the AUQ's
 * default linger between batches. Thread-safe.
 */
final class LaterEntries implements Closeable {
    private final Table entries;
    private final Queue<Row> waiting = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new ThreadFactoryBuilder()
                    .setNameFormat("bench-later")
                    .setDaemon(true)
                    .build());

    /** The first failure; set once, by the background thread. */
    private volatile Exception failure;

    /** Starts a background thread that writes to a table; {@link #close} closes the table. */
    LaterEntries(Table entries) {
        this.entries = entries;
        var unused = thread.scheduleWithFixedDelay(
                this::send,
                UpdateProcessor.DEFAULT_LINGER_MS,
                UpdateProcessor.DEFAULT_LINGER_MS,
                TimeUnit.MILLISECONDS);
    }

    /**
     * Enqueues a mutation.
     *
     * @throws IOException if writing an earlier mutation failed
     */
    void add(Row mutation) throws IOException {
        requireNoFailure();
        waiting.add(mutation);
    }

    private void requireNoFailure() throws IOException {
        if (failure != null) {
            throw new IOException("Writing entries to " + entries.getName() + " failed", failure);
        }
    }

    private void send() {
        List<Row> batch = new ArrayList<>();
        for (Row mutation = waiting.poll(); mutation != null; mutation = waiting.poll()) {
            batch.add(mutation);
        }
        try {
            if (!batch.isEmpty() && failure == null) {
                entries.batch(batch, new Object[batch.size()]);
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
        } catch (InterruptedException e) {
            failure = Interruption.of(e);
        }
    }

    /**
     * Writes the remaining mutations and closes the table; throws an exception if any mutation could not be written.
     */
    @Override
    public void close() throws IOException {
        try (entries) {
            thread.submit(this::send).get();
            requireNoFailure();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw Interruption.of(e);
        } finally {
            thread.shutdownNow();
        }
    }
}
