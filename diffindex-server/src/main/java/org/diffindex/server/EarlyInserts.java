package org.diffindex.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * The entries of sync-insert indexes on their way while the write of their base rows is being logged: the two take about as
 * long, and the paper's scheme does not say which comes first. A reader may find an entry before its row has the value, and
 * then the lookup of the row waits for the write; of a write that fails an entry is left as stale as any that a later write
 * makes stale.
 *
 * <p>For the one thread that runs the batch.
 */
final class EarlyInserts {
    private final List<IndexUpdate> inserts;
    private final Future<?> write;

    private EarlyInserts(List<IndexUpdate> inserts, Future<?> write) {
        this.inserts = inserts;
        this.write = write;
    }

    /** Sends the inserts on another thread. */
    static EarlyInserts send(List<IndexUpdate> inserts, IndexSink sink, ExecutorService threads) {
        return new EarlyInserts(inserts, threads.submit(() -> {
            sink.write(inserts);
            return null;
        }));
    }

    /** Whether all entries that the batch puts into an index are among these. */
    static boolean areFor(IndexDefinition index) {
        return index.scheme().leavesStaleEntries();
    }

    /**
     * Waits until they are durable; returns them.
     *
     * @throws IOException if one or more could not be written
     */
    List<IndexUpdate> await() throws IOException {
        try {
            write.get();
            return inserts;
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while writing index entries").initCause(e);
        }
    }
}
