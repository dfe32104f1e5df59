package org.diffindex.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.queue.DeliveryStats;

/**
 * The entries that are sent while the write of their base rows is being logged, under a scheme that may insert before the row:
 * the two take about as long, and the paper's sync-insert does not define which comes first. A reader may find an entry before its
 * row has the value; its lookup of the row then waits for the write. If the write fails, the entry is stale, like one that a later
 * write replaces.
 *
 * <p>Used by the one thread that runs the batch.
 */
final class EarlyInserts {
    /** The indexes whose entries may be sent so. */
    static final IndexSet INDEXES = IndexSet.whose(IndexScheme::mayInsertBeforeRow);

    private final List<IndexUpdate> inserts;
    private final Future<?> write;
    private final DeliveryStats stats;

    private EarlyInserts(List<IndexUpdate> inserts, Future<?> write, DeliveryStats stats) {
        this.inserts = inserts;
        this.write = write;
        this.stats = stats;
    }

    /**
     * Sends the early inserts of a region. Safe for use by many threads.
     *
     * @param sink receives the inserts
     * @param threads run the calls
     * @param stats counts the inserts that a batch has waited for
     */
    record Sender(IndexSink sink, ExecutorService threads, DeliveryStats stats) {
        /** Sends inserts on another thread; returns at once. */
        EarlyInserts send(List<IndexUpdate> inserts) {
            Future<?> write = threads.submit(() -> {
                sink.write(inserts);
                return null;
            });
            return new EarlyInserts(inserts, write, stats);
        }
    }

    /**
     * Waits until the inserts are durable, and counts them.
     *
     * @throws IOException if one or more could not be written
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
