package org.diffindex.server;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.ipc.RpcServer;

/**
 * The calls that each thread has begun on one region and not ended, outermost first. A coprocessor may begin a call in a
 * hook of another one, and HBase itself some within others: a batch within a checkAndMutate.
 *
 * <p>HBase signals the begin and end of a call, but not its end if another coprocessor refuses its begin, or fails when it
 * is told of the end. What such a call leaves behind is recognized by its nesting: in how many {@linkplain HookStack
 * hooks} of other calls it was made. When a thread is back in fewer hooks, the call has ended. That holds for hooks of all
 * regions, with an index or without.
 *
 * <p>To look at the stack takes microseconds. Therefore a call that a client waits for counts as one outside of hooks if
 * its thread has no batch in any region. That is wrong only for a call that a coprocessor makes on the object of a region,
 * without HBase's client, within a hook of a write that concerns no index.
 *
 * <p>Each thread sees only its own calls.
 *
 * @param <C> what is recorded of a call
 */
final class NestedCalls<C> {
    private record Call<C>(int nesting, C content) {}

    /** The calls of one thread, in the order of their nesting. Never empty. */
    private static final class Calls<C> {
        private final List<Call<C>> all = new ArrayList<>(2);

        Call<C> last() {
            return all.get(all.size() - 1);
        }

        Call<C> removeLast() {
            return all.remove(all.size() - 1);
        }
    }

    private final PerThread<Calls<C>> current = new PerThread<>();
    private final Predicate<C> containsNoOther;

    /**
     * Creates an instance without calls.
     *
     * @param containsNoOther returns whether no call begins within a call any more, except in hooks
     */
    NestedCalls(Predicate<C> containsNoOther) {
        this.containsNoOther = containsNoOther;
    }

    /** Returns what is recorded of this thread's calls in all instances, if it is of the given type. */
    static <C> List<C> ofThisThread(Class<C> type) {
        List<C> found = List.of();
        for (Object value : PerThread.ofThisThread()) {
            if (value instanceof Calls<?> calls && type.isInstance(calls.last().content())) {
                found = found.isEmpty() ? new ArrayList<>() : found;
                for (Call<?> call : calls.all) {
                    found.add(type.cast(call.content()));
                }
            }
        }
        return found;
    }

    /** Abandons each of the calls that were left behind, the others too if one fails. */
    static <C> void abandonEach(List<C> leftBehind, Consumer<C> abandon) {
        if (!leftBehind.isEmpty()) {
            try {
                abandon.accept(leftBehind.get(0));
            } finally {
                abandonEach(leftBehind.subList(1, leftBehind.size()), abandon);
            }
        }
    }

    /** Returns whether no call of this thread is recorded. */
    boolean isEmpty() {
        return current.get() == null;
    }

    /** Returns what is recorded of this thread's calls on the region, with those left behind, outermost first. */
    List<C> all() {
        Calls<C> calls = current.get();
        return calls == null ? List.of() : calls.all.stream().map(Call::content).toList();
    }

    /** Returns the innermost call of this thread that has not ended; null if none is recorded. */
    C innermost() {
        Calls<C> calls = current.get();
        if (calls == null) {
            return null;
        }
        int last = calls.all.size() - 1;
        if (last > 0 || calls.last().nesting() > 0) {
            int nesting = HookStack.nesting();
            while (last >= 0 && calls.all.get(last).nesting() > nesting) {
                last--;
            }
        }
        return last < 0 ? null : calls.all.get(last).content();
    }

    /** Removes and returns the calls that have ended, now that another one begins; innermost first. */
    List<C> removeEnded() {
        Calls<C> calls = current.get();
        if (calls == null) {
            return List.of();
        }
        int nesting = HookStack.nesting();
        return removeWhile(calls, earlier -> hasEnded(earlier, nesting));
    }

    /** Returns whether an earlier call has ended, now that one begins in the given number of hooks. */
    private boolean hasEnded(Call<C> earlier, int nesting) {
        return nesting == 0
                || earlier.nesting() > nesting
                || (earlier.nesting() == nesting && containsNoOther.test(earlier.content()));
    }

    /** Begins a call; those that have ended must have been removed. */
    void begin(C call) {
        Calls<C> calls = current.get();
        boolean isAlone = calls == null && ofThisThread(OwnBatches.Call.class).isEmpty();
        int nesting = isAlone && isAnsweredToAClient() ? 0 : HookStack.nesting();
        if (calls == null) {
            calls = new Calls<>();
            current.set(calls);
        }
        calls.all.add(new Call<>(nesting, call));
    }

    /** Returns false if HBase's client has made the present call within this server, or it came from no client at all. */
    private static boolean isAnsweredToAClient() {
        return RpcServer.getCurrentCall().isPresent();
    }

    /**
     * Ends the innermost call. Returns it after those within it that were left behind, innermost first; an empty list if
     * none has ended, since HBase signals the end of a scan, whose begin is none here.
     */
    List<C> end() {
        Calls<C> calls = current.get();
        if (calls == null) {
            return List.of();
        }
        boolean isAlone = calls.all.size() == 1 && calls.last().nesting() == 0;
        int nesting = isAlone && isAnsweredToAClient() ? 0 : HookStack.nesting();
        List<C> ended = removeWhile(calls, call -> call.nesting() > nesting);
        if (!calls.all.isEmpty() && calls.last().nesting() == nesting) {
            ended.add(calls.removeLast().content());
            forgetIfEmpty(calls);
        }
        return ended;
    }

    /** Removes calls from the innermost on, as long as they satisfy a condition; returns them. */
    private List<C> removeWhile(Calls<C> calls, Predicate<Call<C>> condition) {
        List<C> removed = new ArrayList<>(1);
        while (!calls.all.isEmpty() && condition.test(calls.last())) {
            removed.add(calls.removeLast().content());
        }
        forgetIfEmpty(calls);
        return removed;
    }

    /** Removes a call if no other is recorded. */
    void removeIfAlone() {
        Calls<C> calls = current.get();
        if (calls != null && calls.all.size() == 1) {
            calls.removeLast();
            forgetIfEmpty(calls);
        }
    }

    private void forgetIfEmpty(Calls<C> calls) {
        if (calls.all.isEmpty()) {
            current.set(null);
        }
    }
}
