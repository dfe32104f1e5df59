package org.diffindex.lab.bench;

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
import org.diffindex.server.queue.UpdateProcessor;

/**
 * Mutations of entries that wait for company as those in an AUQ do, and are written in one batch beside whatever else goes
 * on. Safe for use by many threads.
 */
final class LaterEntries implements Closeable {
    private final Table entries;
    private final Queue<Row> waiting = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new ThreadFactoryBuilder()
                    .setNameFormat("bench-later")
                    .setDaemon(true)
                    .build());

    /** Set once, by the thread. */
    private volatile IOException failure;

    /** Nothing waits yet. The table is used by no other, and closed in the end. */
    LaterEntries(Table entries) {
        this.entries = entries;
        var unused = thread.scheduleWithFixedDelay(
                this::send,
                UpdateProcessor.DEFAULT_LINGER_MS,
                UpdateProcessor.DEFAULT_LINGER_MS,
                TimeUnit.MILLISECONDS);
    }

    /**
     * Leaves a mutation to be written a little later.
     *
     * @throws IOException if an earlier one could not be written
     */
    void add(Row mutation) throws IOException {
        requireNoFailure();
        waiting.add(mutation);
    }

    private void requireNoFailure() throws IOException {
        if (failure != null) {
            throw new IOException("Entries could not be written to " + entries.getName(), failure);
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
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = new IOException("The run was interrupted", e);
        }
    }

    /** Writes what waits. */
    @Override
    public void close() throws IOException {
        try (entries) {
            thread.submit(this::send).get();
            requireNoFailure();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("The run was interrupted", e);
        } finally {
            thread.shutdownNow();
        }
    }
}
