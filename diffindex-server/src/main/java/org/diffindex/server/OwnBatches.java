package org.diffindex.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The batches that each thread currently writes to one region. Usually one or none; more if a coprocessor writes to the
 * region in a hook of a batch, because HBase then calls the hooks of another batch within those of the first. Each
 * thread sees only its own.
 *
 * <p>HBase signals the begin and end of each call of {@code Region.batchMutate}, even if the call fails between other
 * hooks. That distinguishes a batch that a failed call left behind from one with which an enclosing call continues.
 */
final class OwnBatches {
    private final PerThread<Calls> current = new PerThread<>();

    private static final class Calls {
        /** The nesting depth of calls. */
        private int open;

        /** The batch of each call that has one, by nesting depth. */
        private final Map<Integer, MiniBatch> batches = new HashMap<>(1);
    }

    private Calls calls() {
        Calls calls = current.get();
        return calls == null ? new Calls() : calls;
    }

    private void set(Calls calls) {
        current.set(calls.open == 0 && calls.batches.isEmpty() ? null : calls);
    }

    /** Begins a call, possibly nested in another. */
    void callBegins() {
        Calls calls = calls();
        calls.open++;
        set(calls);
    }

    /** Ends the innermost call and removes its batch. */
    void callEnds() {
        Calls calls = calls();
        calls.batches.remove(calls.open);
        calls.open = Math.max(0, calls.open - 1);
        set(calls);
    }

    /** Returns the batch of the innermost call; null if it has none. */
    MiniBatch get() {
        Calls calls = current.get();
        return calls == null ? null : calls.batches.get(calls.open);
    }

    /** Returns all batches of this thread. */
    List<MiniBatch> all() {
        Calls calls = current.get();
        return calls == null ? List.of() : List.copyOf(calls.batches.values());
    }

    /** Sets the batch of the innermost call. */
    void begin(MiniBatch batch) {
        Calls calls = calls();
        calls.batches.put(calls.open, batch);
        set(calls);
    }

    /** Removes a batch that is completed or abandoned. */
    void end(MiniBatch batch) {
        Calls calls = calls();
        calls.batches.values().remove(batch);
        set(calls);
    }
}
