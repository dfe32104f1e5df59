package org.diffindex.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The batches that a thread is taking past one region's indexes. That is one, or none; and more if a coprocessor writes to the
 * region in a hook of a batch: then HBase calls the hooks of another batch within those of the first. Each thread has its own.
 *
 * <p>HBase tells when a call of {@code Region.batchMutate} begins and ends, also if it fails between other hooks; so what a call has
 * left can be told from what a call around it goes on with.
 */
final class OwnBatches {
    private final PerThread<Calls> current = new PerThread<>();

    private static final class Calls {
        /** How many calls go on, one within the other. */
        private int open;

        /** The batch of each call that has one, by the number of calls that it is within. */
        private final Map<Integer, MiniBatch> batches = new HashMap<>(1);
    }

    private Calls calls() {
        Calls calls = current.get();
        return calls == null ? new Calls() : calls;
    }

    private void set(Calls calls) {
        current.set(calls.open == 0 && calls.batches.isEmpty() ? null : calls);
    }

    /** A call begins, perhaps within another. */
    void callBegins() {
        Calls calls = calls();
        calls.open++;
        set(calls);
    }

    /** The innermost call ends. */
    void callEnds() {
        Calls calls = calls();
        calls.batches.remove(calls.open);
        calls.open = Math.max(0, calls.open - 1);
        set(calls);
    }

    /** The batch of the innermost call; null if it has none. */
    MiniBatch get() {
        Calls calls = current.get();
        return calls == null ? null : calls.batches.get(calls.open);
    }

    /** All batches of this thread. */
    List<MiniBatch> all() {
        Calls calls = current.get();
        return calls == null ? List.of() : List.copyOf(calls.batches.values());
    }

    /** The innermost call takes a batch past the indexes from now on. */
    void begin(MiniBatch batch) {
        Calls calls = calls();
        calls.batches.put(calls.open, batch);
        set(calls);
    }

    /** A batch is over, or given up. */
    void end(MiniBatch batch) {
        Calls calls = calls();
        calls.batches.values().remove(batch);
        set(calls);
    }
}
