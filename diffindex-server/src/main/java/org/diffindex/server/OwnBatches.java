package org.diffindex.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * a row processor within its hooks, which has none. Calls are counted only within the hooks of a batch. HBase does not
 * signal the end of a call whose begin another coprocessor has refused; the {@link HookStack} shows then that the
 * innermost call is not nested.
 *
 * <p>A batch holds the locks of its rows until it is handed over. Other writes may wait for these locks, so a thread
 * that holds any must not wait for other writes without a bound. The coprocessors of one region may write to another
 * one; hence the static methods, which see the batches of a thread in all regions.
 */
final class OwnBatches {
    private final PerThread<Calls> current = new PerThread<>();
    private final Consumer<MiniBatch> handOverIfVisible;

    /** The calls of one thread to this region that have a batch, or are nested in one that has. */
    private final class Calls {
        /** The nesting depth of the innermost call; 0 for the outermost that has a batch. */
        private int depth;

        /** The batch of each call that has one, by nesting depth. */
        private final Map<Integer, MiniBatch> batches = new HashMap<>(1);

        private void handOverVisible() {
            batches.values().forEach(handOverIfVisible);
        }

        private boolean holdRows() {
            for (MiniBatch batch : batches.values()) {
                if (holdsRows(batch)) {
                    return true;
                }
            }
            return false;
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
        for (Object value : PerThread.ofThisThread()) {
            if (value instanceof Calls calls) {
                calls.handOverVisible();
            }
        }
    }

    /** Returns whether a batch of this thread, in any region, holds the locks of its rows. */
    static boolean threadHoldsRows() {
        for (Object value : PerThread.ofThisThread()) {
            if (value instanceof Calls calls && calls.holdRows()) {
                return true;
            }
        }
        return false;
    }

    private static boolean holdsRows(MiniBatch batch) {
        return !batch.isHandedOver() && !batch.rows().isEmpty();
    }

    /** Returns this thread's calls, as of the innermost that has not ended; null if none has a batch. */
    private Calls calls() {
        Calls calls = current.get();
        if (calls != null && calls.depth > 0 && !HookStack.isInAnotherHook()) {
            calls.depth = 0;
        }
        return calls;
    }

    private void set(Calls calls) {
        current.set(calls.batches.isEmpty() ? null : calls);
    }

    /**
     * Removes and returns the batches that earlier calls left behind, if the present call is nested in none: HBase does
     * not signal the end of a call here if another coprocessor fails at that moment.
     */
    List<MiniBatch> takeLeftBehind() {
        Calls calls = current.get();
        if (calls == null || HookStack.isInAnotherHook()) {
            return List.of();
        }
        current.set(null);
        return List.copyOf(calls.batches.values());
    }

    /** Begins a call, possibly nested in another. */
    void callBegins() {
        Calls calls = calls();
        if (calls != null) {
            calls.depth++;
        }
    }

    /** Ends the innermost call and removes its batch. */
    void callEnds() {
        Calls calls = calls();
        if (calls != null) {
            calls.batches.remove(calls.depth);
            calls.depth = Math.max(0, calls.depth - 1);
            set(calls);
        }
    }

    /** Returns the batch of the innermost call; null if it has none. */
    MiniBatch get() {
        Calls calls = calls();
        return calls == null ? null : calls.batches.get(calls.depth);
    }

    /** Returns whether a batch of this thread in this region holds the locks of its rows. */
    boolean holdRows() {
        Calls calls = current.get();
        return calls != null && calls.holdRows();
    }

    /**
     * Requires that this thread holds no row of a batch that it begins. The batch would be in the memstore before the
     * outer one, whose stamp is the earlier.
     *
     * @throws DoNotRetryIOException if an enclosing call holds one; the batch must be refused
     */
    void requireNoRowOf(MiniBatch nested) throws DoNotRetryIOException {
        Calls calls = current.get();
        if (calls == null) {
            return;
        }
        for (MiniBatch outer : calls.batches.values()) {
            for (ImmutableBytesWritable row : nested.rows()) {
                if (holdsRows(outer) && outer.rows().contains(row)) {
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
        Calls calls = calls();
        if (calls == null) {
            calls = new Calls();
        }
        calls.batches.put(calls.depth, batch);
        set(calls);
    }

    /** Removes a batch that is completed or abandoned. */
    void end(MiniBatch batch) {
        Calls calls = calls();
        if (calls != null) {
            calls.batches.values().remove(batch);
            set(calls);
        }
    }
}
