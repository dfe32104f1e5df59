package org.diffindex.server.deliver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * Combines concurrent writes to one region into one call, like a group commit: writes that arrive while a call is in
 * flight wait, and go together in the next call. A write never waits if no call is in flight.
 *
 * <p>The first caller makes the call; when it ends, one of the waiting callers makes the next call for up to {@link
 * #MOST} of them. A caller that times out before it is part of a call sends its own, so that a hanging call delays only
 * the writes in it. A caller fails only if one of its own mutations failed, the combined call ended in an unchecked
 * exception, or its thread was interrupted; its exception may also describe the failures of other callers' mutations.
 *
 * <p>Thread-safe.
 */
final class CallCombiner {
    /**
     * How long a write waits for a call in flight before it makes its own, in milliseconds; several times the usual
     * duration of a call.
     */
    private static final long PATIENCE_MS = 50;

    /** The maximum number of writes in one call. */
    static final int MOST = 100;

    /** The region that a call is for, by its encoded name. */
    record TargetRegion(TableName table, String region) {}

    /** Makes a call. */
    @FunctionalInterface
    interface Caller {
        /**
         * Writes mutations.
         *
         * @param results one element per mutation, in order; null or a {@link Throwable} for each mutation that failed
         * @throws IOException if one or more failed
         */
        void call(List<Mutation> mutations, Object[] results) throws IOException;
    }

    private enum Turn {
        /** The write must make the next call. */
        CALL,
        /** Another thread has made the call. */
        DONE
    }

    /** A write and its outcome. */
    private static final class Write {
        final List<Mutation> mutations;
        final CompletableFuture<Turn> turn = new CompletableFuture<>();

        Write(List<Mutation> mutations) {
            this.mutations = mutations;
        }

        /** Returns whether the write must make the next call, without waiting. */
        boolean isToCall() {
            return turn.isDone() && !turn.isCompletedExceptionally() && turn.join() == Turn.CALL;
        }
    }

    /** A mutation in a call, and the write it belongs to. */
    private record Part(Mutation mutation, Write write) {}

    private final long patienceMs;

    /**
     * Present while a call is in flight: the writes that wait for it to end. Accessed only inside the map's atomic
     * operations.
     */
    private final ConcurrentMap<TargetRegion, Deque<Write>> inFlight = new ConcurrentHashMap<>();

    CallCombiner() {
        this(PATIENCE_MS);
    }

    /** Creates a combiner with another time limit for waiting, in milliseconds. */
    CallCombiner(long patienceMs) {
        this.patienceMs = patienceMs;
    }

    /**
     * Writes mutations of one region; returns when they are durable.
     *
     * @throws IOException if one or more of them failed; {@link InterruptedIOException} if the thread was interrupted,
     *     in which case a call in flight may still apply them
     */
    void write(TargetRegion to, List<Mutation> mutations, Caller caller) throws IOException {
        Write own = new Write(mutations);
        enter(to, own);
        try {
            if (own.turn.get(patienceMs, TimeUnit.MILLISECONDS) == Turn.CALL) {
                callForAll(to, own, caller);
            }
        } catch (TimeoutException e) {
            if (leave(to, own)) {
                call(List.of(own), caller);
            } else {
                awaitTaken(to, own, caller);
            }
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (InterruptedException e) {
            throw interrupted(to, own, e);
        }
    }

    /**
     * Handles a write that was taken from the queue just as its wait timed out: either it is its turn to call, or it is
     * part of a call.
     */
    private void awaitTaken(TargetRegion to, Write own, Caller caller) throws IOException {
        try {
            if (own.turn.get() == Turn.CALL) {
                callForAll(to, own, caller);
            }
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (InterruptedException e) {
            throw interrupted(to, own, e);
        }
    }

    private static IOException failure(ExecutionException e) {
        return new IOException(e.getCause());
    }

    private IOException interrupted(TargetRegion to, Write own, InterruptedException e) {
        Thread.currentThread().interrupt();
        if (!leave(to, own) && own.isToCall()) {
            passOn(to);
        }
        return (IOException) new InterruptedIOException("Interrupted while writing to " + to.table()).initCause(e);
    }

    private void enter(TargetRegion to, Write own) {
        inFlight.compute(to, (key, waiting) -> {
            if (waiting == null) {
                own.turn.complete(Turn.CALL);
                return new ArrayDeque<>(1);
            }
            waiting.add(own);
            return waiting;
        });
    }

    /** Returns whether no call is in flight. */
    boolean isIdle() {
        return inFlight.isEmpty();
    }

    /** Returns the number of writes that wait for a call in flight. */
    int waiting(TargetRegion to) {
        int[] count = new int[1];
        inFlight.computeIfPresent(to, (key, waiting) -> {
            count[0] = waiting.size();
            return waiting;
        });
        return count[0];
    }

    /** Removes a write from the queue; returns whether it was still waiting. */
    private boolean leave(TargetRegion to, Write own) {
        boolean[] left = new boolean[1];
        inFlight.computeIfPresent(to, (key, waiting) -> {
            left[0] = waiting.remove(own);
            return waiting;
        });
        return left[0];
    }

    private void callForAll(TargetRegion to, Write own, Caller caller) throws IOException {
        List<Write> together = new ArrayList<>(List.of(own));
        inFlight.computeIfPresent(to, (key, waiting) -> {
            while (!waiting.isEmpty() && together.size() < MOST) {
                together.add(waiting.remove());
            }
            return waiting;
        });
        try {
            call(together, caller);
        } finally {
            passOn(to);
        }
    }

    private void passOn(TargetRegion to) {
        inFlight.computeIfPresent(to, (key, waiting) -> {
            Write next = waiting.poll();
            if (next == null) {
                return null;
            }
            next.turn.complete(Turn.CALL);
            return waiting;
        });
    }

    /** Makes one call for several writes, the first of which is the caller's own. */
    private static void call(List<Write> writes, Caller caller) throws IOException {
        List<Write> others = writes.subList(1, writes.size());
        try {
            callAndTell(writes.get(0), others, partsOf(writes), caller);
        } catch (RuntimeException | Error e) {
            others.forEach(other -> other.turn.completeExceptionally(e));
            throw e;
        }
    }

    private static List<Part> partsOf(List<Write> writes) {
        List<Part> parts = new ArrayList<>();
        writes.forEach(write -> write.mutations.forEach(mutation -> parts.add(new Part(mutation, write))));
        // HBase's AsyncProcess gives each action the highest priority among the puts up to it.
        parts.sort(Comparator.comparing(part -> part.mutation() instanceof Delete));
        return parts;
    }

    private static void callAndTell(Write own, List<Write> others, List<Part> parts, Caller caller)
            throws IOException {
        Object[] results = new Object[parts.size()];
        try {
            caller.call(parts.stream().map(Part::mutation).toList(), results);
            others.forEach(other -> other.turn.complete(Turn.DONE));
        } catch (IOException e) {
            Set<Write> failed = failed(parts, results);
            others.stream().filter(failed::contains).forEach(other -> other.turn.completeExceptionally(e));
            others.forEach(other -> other.turn.complete(Turn.DONE));
            if (failed.contains(own)) {
                throw e;
            }
        }
    }

    private static Set<Write> failed(List<Part> parts, Object[] results) {
        Set<Write> failed = new HashSet<>();
        for (int i = 0; i < results.length; i++) {
            if (results[i] == null || results[i] instanceof Throwable) {
                failed.add(parts.get(i).write());
            }
        }
        return failed;
    }
}
