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
 * Determines whether HBase carries out a batch of writes as a whole or each write separately. HBase does not tell its
 * hooks, but handles the status of a single write accordingly: {@code HRegion.mutateRow} and {@code
 * mutateRowsWithLocks} ignore it, so that only an exception reaches their client, while {@code RSRpcServices} reports
 * an exception of a batch that is not atomic for all its writes, regardless of their status.
 *
 * <p>This class therefore inspects the caller of {@code HRegion.batchMutate} (HBase 2.5 and 2.6). An unknown caller
 * counts as atomic. Takes some microseconds; call it only when a write fails.
 */
final class Atomicity {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final String BATCH_MUTATE = "batchMutate";

    /** The method type of {@code Region.batchMutate}, which returns the status of each write to a coprocessor. */
    private static final String OF_EACH_WRITE =
            MethodType.methodType(OperationStatus[].class, Mutation[].class).toMethodDescriptorString();

    private Atomicity() {}

    /** Returns whether the batch that this thread carries out is atomic. */
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
                return true; // a single write, mutateRow, or mutateRowsWithLocks
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
