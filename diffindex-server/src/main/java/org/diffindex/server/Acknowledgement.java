package org.diffindex.server;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.diffindex.model.IndexSet;
import org.diffindex.model.SessionChange;
import org.diffindex.server.maintain.RegionMaintainers;

/**
 * Completes a batch between its becoming visible and the answer to the client:
 *
 * <ol>
 *   <li>the batch is handed over: its changes enter the AUQ for the asynchronous indexes, and the locks of its rows are
 *       released. That precedes the hooks of other coprocessors, which may wait for other writes;
 *   <li>the answers for sessions are computed;
 *   <li>the updates of the synchronous indexes are written and awaited, once HBase has released the rows;
 *   <li>the batch's resources are released.
 * </ol>
 *
 * <p>If step 2 or 3 fails, the AUQ takes over the changes for the synchronous indexes too, and the client is told that
 * they are delayed. That includes a step that ends in an {@link Error}, such as a class that is missing, after which the
 * server may go on. Therefore every change of a visible batch is in the index, in the AUQ, or in flight on the calling
 * thread.
 *
 * <p>Thread-safe; all calls for one batch come from one thread, its handler.
 */
final class Acknowledgement {
    private final TableName table;
    private final RegionMaintainers maintainers;
    private final RegionMaintainers.ReadableIndexes readable;
    private final AsynchronousUpdates asynchronous;
    private final SynchronousUpdates synchronous;
    private final HeldRows heldRows;
    private final Platform platform;

    /**
     * Creates the acknowledgement of a region's batches.
     *
     * @param table the region's table
     * @param readable matches the indexes that the caller of the current write may read
     */
    Acknowledgement(
            TableName table,
            RegionMaintainers maintainers,
            RegionMaintainers.ReadableIndexes readable,
            AsynchronousUpdates asynchronous,
            SynchronousUpdates synchronous,
            HeldRows heldRows,
            Platform platform) {
        this.table = table;
        this.maintainers = maintainers;
        this.readable = readable;
        this.asynchronous = asynchronous;
        this.synchronous = synchronous;
        this.heldRows = heldRows;
        this.platform = platform;
    }

    /**
     * Completes a visible batch. Returns when the synchronous indexes have it, when that is deferred until HBase
     * releases the rows, or when the statuses of its writes say that the indexes are delayed.
     *
     * @throws IOException if HBase carries out the batch as a whole and a synchronous index lacks it; the base is
     *     durable
     */
    void complete(MiniBatchOperationInProgress<Mutation> operations, MiniBatch batch) throws IOException {
        answerTo(operations, batch).giveOrDefer();
    }

    /** Hands a visible batch over and returns its answer; abandons the batch if that fails. */
    private Answer answerTo(MiniBatchOperationInProgress<Mutation> operations, MiniBatch batch) {
        try {
            handOver(batch);
            return new Answer(operations, batch);
        } catch (RuntimeException | Error e) {
            abandon(batch);
            throw e;
        }
    }

    /**
     * Hands a visible batch over: to the AUQ for the asynchronous indexes, and for the others to the writes of its rows
     * that follow. Releases the locks of its rows. Has no effect on a batch that has been handed over. If it fails, the
     * batch keeps its locks until it is completed or abandoned.
     */
    void handOver(MiniBatch batch) {
        if (!batch.isHandedOver()) {
            Map<ImmutableBytesWritable, CompletedRow> rows =
                    synchronous.begin(batch.pending().changes());
            asynchronous.add(batch.pending());
            batch.handedOver(rows);
            batch.unlock();
        }
    }

    /**
     * Hands over to the AUQ the changes of a batch that HBase failed or never completed, for every index that may lack
     * them.
     */
    void abandon(MiniBatch batch) {
        try {
            if (batch.isHandedOver()) {
                leaveToQueue(batch);
            } else {
                synchronous.forget(batch.rows());
                asynchronous.addLacking(batch.pending(), IndexSet.all());
            }
        } finally {
            release(batch);
        }
    }

    /**
     * Leaves the locks of a failed batch's rows to the batch within whose hook it failed, and with which it becomes
     * visible. A reader that looked at the locks before may remember until then what the rows showed before.
     *
     * @param awaitVisible waits until both are visible
     */
    void leaveLocksTo(MiniBatch outer, MiniBatch failed, Runnable awaitVisible) {
        failed.leaveLocksTo(outer, () -> {
            awaitVisible.run();
            synchronous.forget(failed.rows());
        });
    }

    /**
     * Releases a batch's resources: the locks of its rows, its place among the changes in flight, and its reference to
     * the pending batch.
     */
    void release(MiniBatch batch) {
        batch.unlock();
        synchronous.end(batch.pending().changes());
        batch.pending().release();
    }

    /**
     * Hands the changes of a batch over to the AUQ for the synchronous indexes. For the others they are there already,
     * perhaps merged with a later change, and must not be sent separately.
     */
    private void leaveToQueue(MiniBatch batch) {
        asynchronous.addLacking(batch.pending(), IndexSet.synchronous());
    }

    /** One or more steps of an answer. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** The answer to the writes of one batch, computed by its thread. */
    private final class Answer implements HeldRows.Rest {
        private final MiniBatchOperationInProgress<Mutation> operations;
        private final Map<ImmutableBytesWritable, CompletedRow> rows;
        private final MiniBatch batch;
        private final BatchOutcome outcome;

        private boolean isDeferred;

        Answer(MiniBatchOperationInProgress<Mutation> operations, MiniBatch batch) {
            this.operations = operations;
            this.rows = batch.completedRows();
            this.batch = batch;
            this.outcome = new BatchOutcome(operations, platform);
        }

        /**
         * Adds to the answers what sessions need, and writes the updates; defers the latter if HBase holds the rows.
         */
        void giveOrDefer() throws IOException {
            try {
                orDelay(() -> {
                    tellSessions();
                    isDeferred = heldRows.defer(operations, this);
                    if (isDeferred) {
                        outcome.judge();
                    } else {
                        write();
                    }
                });
            } finally {
                if (!isDeferred) {
                    release(batch);
                }
            }
        }

        @Override
        public void finish() throws IOException {
            try {
                orDelay(this::write);
            } finally {
                release(batch);
            }
        }

        private void write() throws IOException {
            synchronous.write(rows.values(), batch);
        }

        @Override
        public void abandon() {
            try {
                leaveToQueue(batch);
            } finally {
                release(batch);
            }
        }

        /** Runs some steps; if one fails, hands the batch over to the AUQ and reports the delay, or throws the error. */
        private void orDelay(Step steps) throws IOException {
            try {
                steps.run();
            } catch (IOException | RuntimeException e) {
                leaveToQueue(batch);
                reportDelay(e);
            } catch (Error e) {
                leaveToQueue(batch);
                throw e;
            }
        }

        private void reportDelay(Exception cause) throws IOException {
            Set<ImmutableBytesWritable> delayed = new HashSet<>(rows.keySet());
            batch.repeated().forEach(row -> delayed.add(new ImmutableBytesWritable(row)));
            outcome.delay(delayed, table, cause);
        }

        /** Adds to the answer to a session's write its changes of async-session indexes that the session may read. */
        private void tellSessions() throws IOException {
            for (int i = 0; i < operations.size(); i++) {
                Mutation mutation = operations.getOperation(i);
                boolean isDone =
                        operations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.SUCCESS;
                if (isDone && mutation.getAttribute(SessionChange.ATTRIBUTE) != null) {
                    CompletedRow row = rows.get(new ImmutableBytesWritable(mutation.getRow()));
                    if (row != null) {
                        List<SessionChange> changes = maintainers.sessionChanges(row.change(), row.images(), readable);
                        operations.setOperationStatus(
                                i, new OperationStatus(OperationStatusCode.SUCCESS, SessionChange.toResult(changes)));
                    }
                }
            }
        }
    }
}
