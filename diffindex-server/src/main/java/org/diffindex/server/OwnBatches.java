package org.diffindex.server;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The batches that each thread currently writes to one region. Usually one or none; more if a coprocessor writes to the
 * region in a hook of a batch, because HBase then calls the hooks of another batch within those of the first. Each
 * thread sees only its own.
 *
 * <p>HBase signals the begin and end of each call that may write, even if the call fails between other hooks. That
 * distinguishes a batch that a failed call left behind from one with which an enclosing call continues, and a batch from
 * a row processor within its hooks, which has none. Calls are recorded only within the hooks of a batch; {@link
 * NestedCalls} tells which of them have ended without a signal.
 *
 * <p>A batch holds the locks of its rows until it is handed over. Other writes may wait for these locks, so a thread
 * that holds any must not wait for other writes without a bound. The coprocessors of one region may write to another
 * one; hence the static methods, which see the batches of a thread in all regions.
 */
final class OwnBatches {
    private final NestedCalls<Call> calls = new NestedCalls<>(Call::hasBatch);
    private final Consumer<MiniBatch> handOverIfVisible;

    /** A call to this region that has a batch, or is nested in one that has. */
    final class Call {
        /** Null if the call has no batch, or none yet. */
        private MiniBatch batch;

        private Call(MiniBatch batch) {
            this.batch = batch;
        }

        private boolean hasBatch() {
            return batch != null;
        }

        private boolean holdsRows() {
            return batch != null && !batch.isHandedOver() && !batch.rows().isEmpty();
        }

        private boolean isInMemstore() {
            return batch != null && batch.isLogged() && !batch.isHandedOver();
        }

        private void handOverIfVisible() {
            if (batch != null) {
                handOverIfVisible.accept(batch);
            }
        }
    }

    /**
     * Creates an instance without batches.
     *
     * @param handOverIfVisible hands a batch of the region over, unless it is not visible or has been handed over
     */
    OwnBatches(Consumer<MiniBatch> handOverIfVisible) {
        this.handOverIfVisible = handOverIfVisible;
    }

    /** Hands over this thread's visible batches in all regions, since the thread may wait for other writes now. */
    static void handOverVisible() {
        NestedCalls.ofThisThread(Call.class).forEach(Call::handOverIfVisible);
    }

    /** Returns whether a batch of this thread, in any region, holds the locks of its rows. */
    static boolean threadHoldsRows() {
        return NestedCalls.ofThisThread(Call.class).stream().anyMatch(Call::holdsRows);
    }

    /** Removes and returns the batches that earlier calls left behind, now that a call or batch begins. */
    List<MiniBatch> takeLeftBehind() {
        return batchesOf(calls.removeEnded());
    }

    /** Begins a call, possibly nested in another. */
    void callBegins() {
        if (!calls.isEmpty()) {
            calls.begin(new Call(null));
        }
    }

    /**
     * Ends the innermost call.
     *
     * @return its batch, if that is not completed, after those that calls within it left behind
     */
    List<MiniBatch> callEnds() {
        return batchesOf(calls.end());
    }

    private static List<MiniBatch> batchesOf(List<Call> calls) {
        return calls.stream().map(call -> call.batch).filter(Objects::nonNull).toList();
    }

    /** Returns the batch of the innermost call; null if it has none. */
    MiniBatch get() {
        Call innermost = calls.innermost();
        return innermost == null ? null : innermost.batch;
    }

    /**
     * Returns the innermost batch of this thread in this region that is in the WAL, or in the memstore, and not handed
     * over. The thread cannot wait until a batch within its hooks is visible, which it is not before the outer one.
     */
    Optional<MiniBatch> inMemstore() {
        return calls.all().stream()
                .filter(Call::isInMemstore)
                .reduce((outer, inner) -> inner)
                .map(call -> call.batch);
    }

    /**
     * Requires that this thread holds no row of a batch that it begins. The batch would be in the memstore before the
     * outer one, whose stamp is the earlier.
     *
     * @throws DoNotRetryIOException if an enclosing call holds one; the batch must be refused
     */
    void requireNoRowOf(MiniBatch nested) throws DoNotRetryIOException {
        for (Call outer : calls.all()) {
            for (ImmutableBytesWritable row : nested.rows()) {
                if (outer.holdsRows() && outer.batch.rows().contains(row)) {
                    throw new DoNotRetryIOException("Write refused, nothing was written: a coprocessor writes a row"
                            + " within a hook of another write of the row that is not visible yet, such as"
                            + " preBatchMutate or preWALAppend. Let it write the row in postPut or postDelete, or add"
                            + " to the other write in prePut or preDelete [row="
                            + Bytes.toStringBinary(row.copyBytes()) + "]");
                }
            }
        }
    }

    /** Sets the batch of the innermost call. */
    void begin(MiniBatch batch) {
        Call innermost = calls.innermost();
        if (innermost == null) {
            calls.begin(new Call(batch));
        } else {
            innermost.batch = batch;
        }
    }

    /** Removes the batch of the innermost call, which is completed or abandoned. */
    void end() {
        Call innermost = calls.innermost();
        if (innermost != null) {
            innermost.batch = null;
            calls.removeIfAlone();
        }
    }
}
