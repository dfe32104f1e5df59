package org.diffindex.server.local;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * The faults of calls to the index tables in a test: calls pass, fail before or after a part is applied, or are held,
 * either all calls or those of the APS. A held call fails after 30 seconds, since the thread that would end the fault
 * may itself be waiting for a write that was combined into the call. Thread-safe.
 */
public final class DeliveryFaults {
    private static final String PROCESSOR_THREADS = "diffindex-aps";

    /** The time limit of a held call, in milliseconds; the default of {@code diffindex.delivery.timeout.ms}. */
    private static final long TIMEOUT_MS = 30_000;

    /** A call in flight. */
    private static final class Held {
        private final List<Mutation> mutations;
        private final Consumer<Mutation> table;
        private boolean cutOff;

        Held(List<Mutation> mutations, Consumer<Mutation> table) {
            this.mutations = mutations;
            this.table = table;
        }

        void arrive() {
            mutations.forEach(table);
        }
    }

    /** Guarded by {@code this}, like all fields. */
    private final List<Held> held = new ArrayList<>();

    private final List<Held> late = new ArrayList<>();

    private boolean outage;
    private boolean holding;
    private boolean holdingAll;
    private boolean holdingNext;
    private int failing;
    private boolean failHalfway;

    private final long timeoutMs;

    /** Creates an instance without faults. */
    public DeliveryFaults() {
        this(TIMEOUT_MS);
    }

    /** Creates an instance with another time-out of calls, in milliseconds. */
    DeliveryFaults(long timeoutMs) {
        this.timeoutMs = timeoutMs;
    }

    /** Makes every call fail from now on. */
    public synchronized void outage() {
        outage = true;
    }

    /** Makes the next calls fail, on whatever thread. */
    public synchronized void failNext(int calls, boolean halfway) {
        failing = calls;
        failHalfway = halfway;
    }

    /** Holds the calls of the APS from now on. */
    public synchronized void hold() {
        holding = true;
    }

    /** An action of a test during which new calls of the APS are not held. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    /**
     * Runs an action that waits for its writes. With two writers, a write can become part of a call of the APS, so none
     * is held.
     */
    public void withoutHold(Action action) throws IOException {
        boolean held = setHolding(false);
        try {
            action.run();
        } finally {
            setHolding(held);
        }
    }

    private synchronized boolean setHolding(boolean now) {
        boolean before = holding;
        holding = now;
        return before;
    }

    /** Holds all calls from now on. */
    public synchronized void holdAll() {
        holding = true;
        holdingAll = true;
    }

    /** Holds the next call, on whatever thread. */
    public synchronized void holdNext() {
        holdingNext = true;
    }

    /** Returns how many calls are held. */
    public synchronized int waiting() {
        return held.size();
    }

    /** Returns whether calls fail or are held at present. */
    public synchronized boolean any() {
        return outage || holding || failing > 0;
    }

    /** Ends all faults. The calls that are held are applied first. */
    public synchronized void end() {
        outage = false;
        failing = 0;
        holding = false;
        holdingAll = false;
        holdingNext = false;
        held.forEach(Held::arrive);
        held.clear();
        notifyAll();
    }

    /** Abandons the calls in flight of a dead server; they arrive late, or never. */
    public synchronized void serverDied(boolean callsArrive) {
        if (callsArrive) {
            late.addAll(held);
        }
        held.clear();
    }

    /** Fails the calls that are held, because their connection was closed. */
    public synchronized void connectionClosed() {
        held.forEach(call -> call.cutOff = true);
        held.clear();
        notifyAll();
    }

    /** Applies the late calls of dead servers. */
    public synchronized void arriveLate() {
        late.forEach(Held::arrive);
        late.clear();
    }

    /** Makes a call to an index table. */
    public synchronized void call(List<Mutation> mutations, Consumer<Mutation> table) throws IOException {
        if (outage) {
            throw new IOException("The index table is not available");
        }
        if (failing > 0) {
            failing--;
            if (failHalfway) {
                mutations.subList(0, (mutations.size() + 1) / 2).forEach(table);
            }
            throw new IOException("The call to the index table failed");
        }
        boolean ofTheProcessor = Thread.currentThread().getName().startsWith(PROCESSOR_THREADS);
        boolean next = holdingNext;
        holdingNext = false;
        if (next || holdingAll || (holding && ofTheProcessor)) {
            awaitArrival(new Held(List.copyOf(mutations), table));
        } else {
            mutations.forEach(table);
        }
    }

    private void awaitArrival(Held call) throws IOException {
        held.add(call);
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            while (held.contains(call)) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
                if (leftMs <= 0) {
                    held.remove(call);
                    throw new IOException("The call was not answered in time");
                }
                wait(leftMs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("The server died").initCause(e);
        }
        if (call.cutOff) {
            throw new IOException("The connection was closed");
        }
    }
}
