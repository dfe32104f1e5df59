package org.diffindex.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.queue.DeliveryStats;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries that are sent while the write of their base rows is being logged, under a scheme that may insert before the
 * row: both take about equally long, and the paper's sync-insert does not define an order. A reader may find an entry
 * before its row has the value; its lookup of the row then waits for the write. If the write fails, the entry is stale,
 * like one that a later write replaces.
 *
 * <p>Confined to the thread that runs the batch.
 */
final class EarlyInserts {
    /** The indexes whose entries may be sent early. */
    static final IndexSet INDEXES = IndexSet.whose(IndexScheme::mayInsertBeforeRow);

    private static final Logger LOG = LoggerFactory.getLogger(EarlyInserts.class);

    private final List<IndexUpdate> inserts;
    private final Future<?> write;
    private final DeliveryStats stats;

    private EarlyInserts(List<IndexUpdate> inserts, Future<?> write, DeliveryStats stats) {
        this.inserts = inserts;
        this.write = write;
        this.stats = stats;
    }

    /**
     * Sends the early inserts of a region. Thread-safe.
     *
     * @param sink writes the inserts
     * @param threads runs the calls
     * @param places bounds the calls of the server that are in flight; one for each handler that writes. A write that
     *     fails, or is delayed by another index, leaves its call in flight when its handler is free again
     * @param stats counts the inserts that a batch has awaited
     */
    record Sender(IndexSink sink, ExecutorService threads, Semaphore places, DeliveryStats stats) {
        /**
         * Sends inserts on another thread and returns at once; returns empty, and sends none, if there is no place or no
         * thread.
         */
        Optional<EarlyInserts> send(List<IndexUpdate> inserts) {
            if (!places.tryAcquire()) {
                return Optional.empty();
            }
            try {
                Future<?> write = threads.submit(() -> {
                    try {
                        sink.write(inserts);
                    } finally {
                        places.release(); // before the handler goes on, which may send the next inserts at once
                    }
                    return null;
                });
                return Optional.of(new EarlyInserts(inserts, write, stats));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                places.release();
                LOG.warn("No thread for the entries of a write; they are sent when the row is logged", e);
                return Optional.empty();
            }
        }
    }

    /**
     * Waits until the inserts are durable, then counts them.
     *
     * @throws IOException if at least one could not be written, or the thread is interrupted
     */
    void await() throws IOException {
        try {
            write.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while writing index entries").initCause(e);
        }
        stats.countWritten(inserts);
    }
}
