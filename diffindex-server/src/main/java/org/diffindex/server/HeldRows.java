package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;

/**
 * Defers work of writes for which HBase holds row locks beyond the batch, because it read under them what the write
 * depends on: checkAndMutate, and writes of {@code MultiRowMutationEndpoint} with conditions. The last hooks of other
 * batches run after their row locks are released; those of these writes do not. Their waits are deferred until HBase
 * has released the rows, since otherwise all other writers of these rows would wait for the index too.
 *
 * <p>Thread-safe; deferred work runs on the thread that deferred it.
 */
final class HeldRows {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** The remaining work of a write. */
    interface Rest {
        /** Does the work; may wait, and may report an error to the client by an exception. */
        void finish() throws IOException;

        /** Abandons the work, since no client waits for it. */
        void abandon();
    }

    /** Rows that HBase holds for this thread. */
    private static final class Hold {
        private final Predicate<MiniBatchOperationInProgress<Mutation>> isFor;

        /** Null until work is deferred. */
        private Rest rest;

        Hold(Predicate<MiniBatchOperationInProgress<Mutation>> isFor) {
            this.isFor = isFor;
        }
    }

    /** The hold of the current thread on this region. */
    private final PerThread<Hold> current = new PerThread<>();

    /** Records that HBase holds the row of a checkAndMutate; applies only to the batch of its action. */
    void heldFor(Row action) {
        List<Mutation> writes = action instanceof RowMutations mutations
                ? mutations.getMutations()
                : action instanceof Mutation mutation ? List.of(mutation) : List.of();
        hold(new Hold(batch -> {
            Mutation first = batch.getOperation(0);
            return writes.stream().anyMatch(write -> write == first);
        }));
    }

    /**
     * Records that {@code MultiRowMutationEndpoint} is about to be called and will hold rows; applies only to the batch
     * within it.
     */
    void heldByEndpoint() {
        hold(new Hold(batch -> STACK.walk(
                frames -> frames.anyMatch(frame -> frame.getDeclaringClass() == MultiRowMutationEndpoint.class))));
    }

    private void hold(Hold hold) {
        Hold before = current.get();
        current.set(hold);
        if (before != null && before.rest != null) {
            before.rest.abandon(); // another coprocessor failed before our hook came
        }
    }

    /** Defers the rest of a batch if HBase still holds its rows; returns whether it does. */
    boolean defer(MiniBatchOperationInProgress<Mutation> batch, Rest rest) {
        Hold hold = current.get();
        boolean isHeld = hold != null && hold.rest == null && hold.isFor.test(batch);
        if (isHeld) {
            hold.rest = rest;
        }
        return isHeld;
    }

    /** Runs the deferred work, if any, now that HBase has released the rows. */
    void released() throws IOException {
        Hold hold = current.get();
        if (hold != null) {
            current.set(null);
            if (hold.rest != null) {
                hold.rest.finish();
            }
        }
    }
}
