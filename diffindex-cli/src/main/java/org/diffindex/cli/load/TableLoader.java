package org.diffindex.cli.load;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.cli.console.Failures;
import org.diffindex.model.IndexUpdateDelayedException;

/**
 * Writes puts in batches, by a few threads. All puts of one row go through the same thread, in the order in which they
 * were added. Used by one thread.
 */
final class TableLoader implements Closeable {
    /** The batches that may wait for each thread: enough to keep it busy, few enough to keep in memory. */
    private static final int WAITING = 2;

    /** The batch that ends a thread. */
    private static final List<Put> END = List.of();

    private final Connection connection;
    private final TableName table;
    private final int batchSize;
    private final List<Lane> lanes = new ArrayList<>();
    private final AtomicLong written = new AtomicLong();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private long added;

    TableLoader(Connection connection, TableName table, int batchSize, int threads) {
        this.connection = connection;
        this.table = table;
        this.batchSize = batchSize;
        for (int i = 0; i < threads; i++) {
            Lane lane = new Lane();
            lane.thread.setName("load-" + i);
            lane.thread.setDaemon(true);
            lane.thread.start();
            lanes.add(lane);
        }
    }

    /** The puts of some of the rows, and the thread that writes them. */
    private final class Lane {
        private final BlockingQueue<List<Put>> batches = new ArrayBlockingQueue<>(WAITING);
        private final Thread thread = new Thread(this::run);
        private List<Put> batch = new ArrayList<>(batchSize);

        private void run() {
            try (Table target = connection.getTable(table)) {
                for (List<Put> next = batches.take(); next != END; next = batches.take()) {
                    // After a failure the remaining batches are dropped, so that the caller does not block.
                    if (failure.get() == null) {
                        write(target, next);
                    }
                }
            } catch (IOException | InterruptedException e) {
                failure.compareAndSet(null, e);
            }
        }

        private void write(Table target, List<Put> puts) {
            int rows = puts.size();
            try {
                target.put(puts);
                written.addAndGet(rows);
            } catch (IOException | RuntimeException e) {
                if (IndexUpdateDelayedException.isReportedBy(e)) {
                    written.addAndGet(rows);
                }
                failure.compareAndSet(null, e);
            }
        }

        private void send(List<Put> puts) throws InterruptedIOException {
            try {
                boolean sent = false;
                while (!sent && thread.isAlive()) {
                    sent = batches.offer(puts, 1, TimeUnit.SECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while loading " + table);
            }
        }
    }

    /** Returns how many rows are known to be written: those of the batches that have succeeded. */
    long written() {
        return written.get();
    }

    /**
     * Adds a row; blocks while too many rows are waiting.
     *
     * @throws IOException if a row added earlier could not be written; some of its batch may be written
     */
    void add(Put put) throws IOException {
        added++;
        Lane lane = lanes.get(Math.floorMod(Arrays.hashCode(put.getRow()), lanes.size()));
        lane.batch.add(put);
        if (lane.batch.size() >= batchSize) {
            lane.send(lane.batch);
            lane.batch = new ArrayList<>(batchSize);
        }
        throwFailure();
    }

    /**
     * Writes the remaining rows, and waits until every row that was added is written.
     *
     * @throws IOException if one could not be written
     */
    void finish() throws IOException {
        for (Lane lane : lanes) {
            if (!lane.batch.isEmpty()) {
                lane.send(lane.batch);
                lane.batch = new ArrayList<>();
            }
        }
        close();
        throwFailure();
        if (written.get() != added) {
            throw new IOException("A thread that writes to table " + table + " ended prematurely");
        }
    }

    private void throwFailure() throws IOException {
        Exception first = failure.get();
        if (first != null) {
            throw new IOException(
                    "Rows could not be written to table " + table + ": "
                            + cause(first).map(Failures::message).orElseGet(first::toString),
                    first);
        }
    }

    /**
     * Returns the error of the first row that was not written, or else of the first whose index will follow; a batch's own
     * message only counts them.
     */
    static Optional<Exception> cause(Exception failed) {
        if (failed instanceof RetriesExhaustedWithDetailsException batch && batch.getNumExceptions() > 0) {
            Throwable first = batch.getCauses().stream()
                    .filter(each -> !IndexUpdateDelayedException.isReportedBy(each))
                    .findFirst()
                    .orElse(batch.getCause(0));
            return first instanceof Exception cause ? Optional.of(cause) : Optional.empty();
        }
        return Optional.of(failed);
    }

    /** Ends the threads after they have written the batches sent to them. */
    @Override
    public void close() throws IOException {
        for (Lane lane : lanes) {
            lane.send(END);
        }
        try {
            for (Lane lane : lanes) {
                lane.thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while loading " + table);
        }
    }
}
