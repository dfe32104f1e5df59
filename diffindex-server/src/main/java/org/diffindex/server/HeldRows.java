package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
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
    /** The remaining work of a write. */
    interface Rest {
        /** Does the work; may wait, and may report an error to the client by an exception. */
        void finish() throws IOException;

        /** Abandons the work, since no client waits for it. */
        void abandon();
    }

    /** An operation of HBase, during which it may hold rows for this thread. */
    private static final class Operation {
        /** Matches the batch for which HBase holds rows. */
        private Predicate<MiniBatchOperationInProgress<Mutation>> isFor = batch -> false;

        /** Null until work is deferred. */
        private Rest rest;
    }

    /**
     * The operations of the current thread on this region, innermost first: a coprocessor may begin another one in a
     * hook. Never empty.
     */
    private final PerThread<Deque<Operation>> current = new PerThread<>();

    /**
     * Records that HBase begins an operation of the kind of checkAndMutate, or is about to call {@code
     * MultiRowMutationEndpoint}, with conditions or without. Abandons what operations left behind whose end HBase did not
     * report, as that of a call whose conditions ended in a RuntimeException.
     */
    void operationBegins() {
        Deque<Operation> operations = current.get();
        if (operations == null) {
            operations = new ArrayDeque<>(2);
            current.set(operations);
        } else if (!HookStack.isInAnotherHook()) {
            abandonAll(operations); // another coprocessor failed before our hook came
        }
        operations.push(new Operation());
    }

    private static void abandonAll(Deque<Operation> operations) {
        operations.stream()
                .map(operation -> operation.rest)
                .filter(Objects::nonNull)
                .forEach(Rest::abandon);
        operations.clear();
    }

    /** Records that HBase holds the row of a checkAndMutate; applies only to the batch of its action. */
    void heldFor(Row action) {
        List<Mutation> writes = action instanceof RowMutations mutations
                ? mutations.getMutations()
                : action instanceof Mutation mutation ? List.of(mutation) : List.of();
        hold(batch -> {
            Mutation first = batch.getOperation(0);
            return writes.stream().anyMatch(write -> write == first);
        });
    }

    /**
     * Records that {@code MultiRowMutationEndpoint} is about to be called and will hold rows; applies only to the batch
     * within it.
     */
    void heldByEndpoint() {
        hold(batch -> HookStack.isIn(MultiRowMutationEndpoint.class));
    }

    private void hold(Predicate<MiniBatchOperationInProgress<Mutation>> isFor) {
        Operation innermost = innermost();
        if (innermost != null) {
            innermost.isFor = isFor;
        }
    }

    private Operation innermost() {
        Deque<Operation> operations = current.get();
        return operations == null ? null : operations.peek();
    }

    /** Defers the rest of a batch if HBase still holds its rows; returns whether it does. */
    boolean defer(MiniBatchOperationInProgress<Mutation> batch, Rest rest) {
        Operation innermost = innermost();
        boolean isHeld = innermost != null && innermost.rest == null && innermost.isFor.test(batch);
        if (isHeld) {
            innermost.rest = rest;
        }
        return isHeld;
    }

    /** Runs the work that the innermost operation deferred, if any, now that HBase has released its rows. */
    void operationEnds() throws IOException {
        Deque<Operation> operations = current.get();
        if (operations == null) {
            return;
        }
        Operation ended = operations.pop();
        if (operations.isEmpty()) {
            current.set(null);
        }
        if (ended.rest != null) {
            ended.rest.finish();
        }
    }
}
