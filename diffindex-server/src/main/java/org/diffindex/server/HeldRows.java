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
 * The writes for which HBase holds row locks beyond the batch, since it has read under them what the write depends on:
 * checkAndMutate, and writes of {@code MultiRowMutationEndpoint} with conditions. The other hooks of a batch come when its row
 * locks are released; of these writes they do not. Whatever they have to wait for is put off until HBase has let go of the
 * rows, or all other writers of these would wait for the index too.
 *
 * <p>Safe for use by many threads; what one thread puts off is done by the same thread.
 */
final class HeldRows {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** The remaining work of a write. */
    interface Rest {
        /** Does it; may wait, and may tell the client by an exception. */
        void finish() throws IOException;

        /** Gives it up: nobody waits for it any more. */
        void leaveBehind();
    }

    /** Rows that HBase holds for this thread. */
    private static final class Hold {
        private final Predicate<MiniBatchOperationInProgress<Mutation>> isFor;

        /** Null while there is none. */
        private Rest rest;

        Hold(Predicate<MiniBatchOperationInProgress<Mutation>> isFor) {
            this.isFor = isFor;
        }
    }

    /** Each region has its own. */
    private final PerThread<Hold> current = new PerThread<>();

    /** HBase holds the row of a checkAndMutate; only the batch of its action is meant. */
    void heldFor(Row action) {
        List<Mutation> writes = action instanceof RowMutations mutations
                ? mutations.getMutations()
                : action instanceof Mutation mutation ? List.of(mutation) : List.of();
        hold(new Hold(batch -> {
            Mutation first = batch.getOperation(0);
            return writes.stream().anyMatch(write -> write == first);
        }));
    }

    /** {@code MultiRowMutationEndpoint} is about to be called, and will hold rows; only the batch within it is meant. */
    void heldByEndpoint() {
        hold(new Hold(batch -> STACK.walk(
                frames -> frames.anyMatch(frame -> frame.getDeclaringClass() == MultiRowMutationEndpoint.class))));
    }

    private void hold(Hold hold) {
        Hold before = current.get();
        current.set(hold);
        if (before != null && before.rest != null) {
            before.rest.leaveBehind(); // another coprocessor failed before our hook came
        }
    }

    /** Puts off the rest of a batch if HBase still holds its rows; whether it does. */
    boolean putOff(MiniBatchOperationInProgress<Mutation> batch, Rest rest) {
        Hold hold = current.get();
        boolean isHeld = hold != null && hold.rest == null && hold.isFor.test(batch);
        if (isHeld) {
            hold.rest = rest;
        }
        return isHeld;
    }

    /** HBase has let go of the rows, if it held any for this thread: does what was put off. */
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
