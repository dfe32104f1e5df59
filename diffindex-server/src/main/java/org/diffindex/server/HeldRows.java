package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
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
    /** The remaining work of a write. */
    interface Rest {
        /** Does the work; may wait, and may report an error to the client by an exception. */
        void finish() throws IOException;

        /** Abandons the work, since no client waits for it. */
        void abandon();
    }

    /** An operation of HBase, during which it may hold rows for this thread. */
    private static final class Operation {
        /** The writes of a checkAndMutate for which HBase holds the row. */
        private List<Mutation> checked = List.of();

        /** Whether HBase holds rows for {@code MultiRowMutationEndpoint}. */
        private boolean isOfEndpoint;

        /** Null until work is deferred. */
        private Rest rest;

        boolean isFor(Mutation write) {
            return checked.stream().anyMatch(each -> each == write);
        }

        boolean isFor(MiniBatchOperationInProgress<Mutation> batch) {
            return isFor(batch.getOperation(0))
                    || (isOfEndpoint && HookStack.isCalledBy(MultiRowMutationEndpoint.class));
        }

        boolean hasRest() {
            return rest != null;
        }

        void abandon() {
            if (hasRest()) {
                rest.abandon();
            }
        }
    }

    /** Nested if a coprocessor begins an operation in a hook of another one. */
    private final NestedCalls<Operation> operations = new NestedCalls<>(Operation::hasRest);

    /**
     * Records that HBase begins an operation of the kind of checkAndMutate, or is about to call {@code
     * MultiRowMutationEndpoint}, with conditions or without. HBase does not report the end of an operation whose
     * conditions ended in a RuntimeException, or after which another coprocessor failed before this one's turn; what such
     * an operation deferred is abandoned.
     */
    void operationBegins() {
        List<Operation> leftBehind = operations.removeEnded();
        operations.begin(new Operation());
        NestedCalls.abandonEach(leftBehind, Operation::abandon);
    }

    /** Records that HBase holds the row of a checkAndMutate; applies only to the batch of its action. */
    void heldFor(Row action) {
        List<Mutation> writes = action instanceof RowMutations mutations
                ? mutations.getMutations()
                : action instanceof Mutation mutation ? List.of(mutation) : List.of();
        ofInnermost(operation -> operation.checked = writes);
    }

    /**
     * Records that {@code MultiRowMutationEndpoint} is about to be called and will hold rows; applies only to the batch
     * within it.
     */
    void heldByEndpoint() {
        ofInnermost(operation -> operation.isOfEndpoint = true);
    }

    private void ofInnermost(Consumer<Operation> record) {
        Operation innermost = operations.innermost();
        if (innermost != null) {
            record.accept(innermost);
        }
    }

    /** Returns whether a write is one of a checkAndMutate for which HBase holds the row. */
    boolean areHeldFor(Mutation write) {
        return operations.all().stream().anyMatch(operation -> operation.isFor(write));
    }

    /** Defers the rest of a batch if HBase still holds its rows; returns whether it does. */
    boolean defer(MiniBatchOperationInProgress<Mutation> batch, Rest rest) {
        Operation innermost = operations.innermost();
        boolean isHeld = innermost != null && !innermost.hasRest() && innermost.isFor(batch);
        if (isHeld) {
            innermost.rest = rest;
        }
        return isHeld;
    }

    /** Runs the work that the innermost operation deferred, if any, now that HBase has released its rows. */
    void operationEnds() throws IOException {
        List<Operation> ended = operations.end();
        if (!ended.isEmpty()) {
            int last = ended.size() - 1;
            try {
                NestedCalls.abandonEach(ended.subList(0, last), Operation::abandon);
            } finally {
                if (ended.get(last).hasRest()) {
                    ended.get(last).rest.finish();
                }
            }
        }
    }
}
