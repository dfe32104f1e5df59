package org.diffindex.server;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.CallAttributes;
import org.diffindex.model.IndexUpdateDelayedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to the client the writes of a mini-batch that were refused or delayed. If HBase carries out the batch as a
 * whole, this throws an exception, which ends the batch before anything is logged, or reaches the client afterwards. If
 * each write succeeds or fails on its own, this sets the status of the affected writes only. Must be used in the hooks of
 * the batch, or {@linkplain #judge judged} there. Confined to the thread that runs the batch.
 */
final class BatchOutcome {
    private static final Logger LOG = LoggerFactory.getLogger(BatchOutcome.class);

    /** The beginning of the message for one write, which says nothing about the others. */
    private static final String OF_ONE_WRITE = "Of one write of a batch: ";

    private final MiniBatchOperationInProgress<Mutation> batch;
    private final Platform platform;

    /** Computed on first use. */
    private Boolean atomic;

    BatchOutcome(MiniBatchOperationInProgress<Mutation> batch, Platform platform) {
        this.batch = batch;
        this.platform = platform;
    }

    /** Determines whether the batch is atomic; for a caller that reports on it outside of its hooks. */
    void judge() {
        isAtomic();
    }

    private boolean isAtomic() {
        if (atomic == null) {
            atomic = platform.isAtomic(batch);
        }
        return atomic;
    }

    /** Returns whether a write is still to be executed. */
    boolean isPending(int i) {
        return is(i, OperationStatusCode.NOT_RUN);
    }

    /** Returns whether a write was executed, in this batch or before it. */
    boolean isDone(int i) {
        return is(i, OperationStatusCode.SUCCESS);
    }

    /** Returns the writes of some rows that are still to be executed, in the order of the batch. */
    List<Mutation> pending(Predicate<byte[]> rows) {
        return IntStream.range(0, batch.size())
                .filter(i -> isPending(i) && rows.test(batch.getOperation(i).getRow()))
                .mapToObj(batch::getOperation)
                .toList();
    }

    private boolean is(int i, OperationStatusCode code) {
        return batch.getOperationStatus(i).getOperationStatusCode() == code;
    }

    /**
     * Refuses, before anything is logged, the writes that ask for something that this build does not know ({@link
     * CallAttributes}), also those that concern no index. Replicated writes have no attributes; a client that names
     * clusters in its writes, as Import does, may give them some.
     *
     * @throws DoNotRetryIOException if that refuses the whole batch
     */
    void refuseUnknown() throws DoNotRetryIOException {
        for (int i = 0; i < batch.size(); i++) {
            Mutation write = batch.getOperation(i);
            Optional<String> unknown = CallAttributes.refusal(write);
            if (unknown.isPresent() && isPending(i)) {
                refuse(i, WriteCheck.refused(unknown.get(), write));
            }
        }
    }

    /**
     * Refuses a write before anything is logged.
     *
     * @throws DoNotRetryIOException if that refuses the whole batch
     */
    void refuse(int i, String why) throws DoNotRetryIOException {
        if (isAtomic()) {
            throw new DoNotRetryIOException(why);
        }
        set(i, OperationStatusCode.SANITY_CHECK_FAILURE, why);
    }

    /**
     * Refuses writes before anything is logged, and leaves their times to the server again.
     *
     * @throws IOException the given reason, if it refuses the whole batch
     */
    void refuse(Collection<Mutation> writes, IOException why) throws IOException {
        if (isAtomic()) {
            leaveTimesToServer();
            throw why;
        }
        writes.forEach(ServerTime::leaveToServer);
        OperationStatusCode code = why instanceof RegionTooBusyException
                ? OperationStatusCode.STORE_TOO_BUSY
                : OperationStatusCode.SANITY_CHECK_FAILURE;
        Set<Mutation> refused = Collections.newSetFromMap(new IdentityHashMap<>());
        refused.addAll(writes);
        for (int i = 0; i < batch.size(); i++) {
            if (refused.contains(batch.getOperation(i)) && isPending(i)) {
                set(i, code, why.getMessage());
            }
        }
    }

    /** Leaves the times of all pending writes to the server again, since the whole batch is refused. */
    void leaveTimesToServer() {
        pending(row -> true).forEach(ServerTime::leaveToServer);
    }

    /**
     * Reports that the writes of some rows are durable and visible but missing in a synchronous index. Not reported for
     * replicated writes: the other cluster would resend all its pending writes, also those for other tables, until the
     * index answers.
     *
     * @throws IndexUpdateDelayedException if HBase carries out the batch as a whole
     */
    void delay(Set<ImmutableBytesWritable> rows, TableName table, Exception cause) throws IndexUpdateDelayedException {
        String message = IndexUpdateDelayedException.DESCRIPTION + " [table=" + table + ", ";
        if (isAtomic() && !WriteCheck.isReplicated(batch.getOperation(0))) {
            String row = Bytes.toStringBinary(batch.getOperation(0).getRow());
            throw new IndexUpdateDelayedException(
                    message + (rows.size() > 1 ? rows.size() + " rows, one of them " : "row=") + row + "]", cause);
        }
        LOG.warn("{}{} rows]", message, rows.size(), cause);
        for (int i = 0; i < batch.size(); i++) {
            Mutation write = batch.getOperation(i);
            byte[] row = write.getRow();
            boolean isToBeTold = isDone(i) && !WriteCheck.isReplicated(write);
            if (isToBeTold && rows.contains(new ImmutableBytesWritable(row))) {
                set(i, OperationStatusCode.FAILURE, message + "row=" + Bytes.toStringBinary(row) + "]");
            }
        }
    }

    private void set(int i, OperationStatusCode code, String message) {
        batch.setOperationStatus(i, new OperationStatus(code, OF_ONE_WRITE + message));
    }
}
