package org.diffindex.server;

import java.lang.StackWalker.StackFrame;
import java.lang.invoke.MethodType;
import java.util.Iterator;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.RSRpcServices;
import org.apache.hadoop.hbase.trace.TraceUtil;

/**
 * Determines whether HBase carries out a batch of writes as a whole or each write separately. HBase's hooks are not
 * told which, but it decides how the client hears of a failure. Of an atomic batch, {@code HRegion.mutateRow},
 * {@code HRegion.mutateRowsWithLocks} and {@code RSRpcServices.doAtomicBatchOp} ignore the status of each write, so
 * that only an exception is reported. Of any other batch, {@code RSRpcServices.doNonAtomicBatchOp} reports an exception
 * for every write, regardless of its status.
 *
 * <p>This class therefore inspects the stack of the current thread for the caller of {@code HRegion.batchMutate} (HBase
 * 2.5 and 2.6). A batch is not atomic if {@code doNonAtomicBatchOp} carries it out, or if a coprocessor passes it to
 * {@code Region.batchMutate(Mutation[])}, which returns the status of each write; increments and appends excepted. Any
 * other batch counts as atomic, and so does a single write outside of a batch. Takes some microseconds; called only
 * when a write is refused or delayed.
 */
final class Atomicity {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final String BATCH_MUTATE = "batchMutate";

    /** The descriptor of {@code Region.batchMutate}, which returns the status of each write to a coprocessor. */
    private static final String OF_EACH_WRITE =
            MethodType.methodType(OperationStatus[].class, Mutation[].class).toMethodDescriptorString();

    private Atomicity() {}

    /**
     * Returns whether a batch is atomic. Must be called in a hook of the batch, on the thread that carries it out; of
     * nested batches it judges the innermost.
     */
    static boolean of(MiniBatchOperationInProgress<Mutation> batch) {
        for (int i = 0; i < batch.size(); i++) {
            if (RowWrites.isDelta(batch.getOperation(i))) {
                return true; // HBase allows increments and appends in no other batch
            }
        }
        return STACK.walk(Atomicity::isAtomic);
    }

    private static boolean isAtomic(Stream<StackFrame> stack) {
        Iterator<StackFrame> frames =
                stack.dropWhile(frame -> !isBatchMutate(frame)).iterator();
        StackFrame entered = null;
        while (frames.hasNext()) {
            StackFrame frame = frames.next();
            if (isBatchMutate(frame)) {
                entered = frame;
            } else if (frame.getDeclaringClass() == HRegion.class) {
                return true; // a single write outside of a batch, mutateRow, or mutateRowsWithLocks
            } else if (frame.getDeclaringClass() == RSRpcServices.class) {
                return !frames.hasNext() || !frames.next().getMethodName().equals("doNonAtomicBatchOp");
            } else if (frame.getDeclaringClass() != TraceUtil.class) {
                return !entered.getDescriptor().equals(OF_EACH_WRITE);
            }
        }
        return true;
    }

    /** Returns whether a frame is in batchMutate, or in the lambda expression that it passes to HBase's tracing. */
    private static boolean isBatchMutate(StackFrame frame) {
        return frame.getDeclaringClass() == HRegion.class
                && frame.getMethodName().contains(BATCH_MUTATE);
    }
}
