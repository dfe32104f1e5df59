package org.diffindex.server.local;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * What befalls the calls to the index tables in a test: they pass, fail before or after a part is applied, or all or those
 * of the APS are held up. Safe for use by many threads.
 */
public final class DeliveryFaults {
    private static final String PROCESSOR_THREADS = "diffindex-aps";

    /** A call on its way. */
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

    /** Guarded by this, as all fields are. */
    private final List<Held> held = new ArrayList<>();

    private final List<Held> late = new ArrayList<>();

    private boolean outage;
    private boolean holding;
    private boolean holdingAll;
    private boolean holdingNext;
    private int failing;
    private boolean failHalfway;

    /** From now on every call fails. */
    public synchronized void outage() {
        outage = true;
    }

    /** The next calls fail, whoever makes them. */
    public synchronized void failNext(int calls, boolean halfway) {
        failing = calls;
        failHalfway = halfway;
    }

    /** From now on the calls of the APS wait. */
    public synchronized void hold() {
        holding = true;
    }

    /** An action of a test during which new calls of the APS are not held up. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    /** Runs an action that waits for its writes. With two writers a write can become part of a call of the APS, so none is held up. */
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

    /** From now on all calls wait. */
    public synchronized void holdAll() {
        holding = true;
        holdingAll = true;
    }

    /** The next call waits, whoever makes it. */
    public synchronized void holdNext() {
        holdingNext = true;
    }

    /** How many calls wait. */
    public synchronized int waiting() {
        return held.size();
    }

    /** Whether calls fail or wait at the moment. */
    public synchronized boolean any() {
        return outage || holding || failing > 0;
    }

    /** From now on all calls pass; those that wait do so first. */
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

    /** Nobody waits for the calls on their way any more; they arrive late, or never. */
    public synchronized void serverDied(boolean callsArrive) {
        if (callsArrive) {
            late.addAll(held);
        }
        held.clear();
    }

    /** The calls that wait fail: whoever made them has closed the connection. */
    public synchronized void connectionClosed() {
        held.forEach(call -> call.cutOff = true);
        held.clear();
        notifyAll();
    }

    /** The late calls of dead servers arrive. */
    public synchronized void arriveLate() {
        late.forEach(Held::arrive);
        late.clear();
    }

    /** A call to an index table. */
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
        try {
            while (held.contains(call)) {
                wait();
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
