package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The origins that a row has had, and the outcomes that its writers have seen. Moments are increasing numbers. */
final class RowHistory {
    private static final long NEVER = -1;

    /** The origin that the base has shown since a moment; empty for none. */
    private record State(long since, String origin) {}

    private final List<State> states = new ArrayList<>(List.of(new State(0, "")));
    private int writing;
    private int begun;

    /**
     * When a write last ended without an acknowledgement, or reappeared in a replay; NEVER if a later one was
     * acknowledged.
     */
    private long unsettledAt = NEVER;

    private long uncertainSince;

    /** Records that a write begins. */
    void begins(long moment) {
        leavesCertainty(moment);
        writing++;
        begun++;
    }

    /** Records the end of a write that began at the moment {@code from}. */
    void ends(long from, long moment, boolean acknowledged) {
        writing--;
        if (!acknowledged) {
            unsettledAt = moment;
        } else if (unsettledAt < from) {
            unsettledAt = NEVER;
        }
    }

    /** Records the origin that the base shows now. */
    void shows(String origin, long moment) {
        if (!last().origin.equals(origin)) {
            if (writing == 0) {
                leavesCertainty(moment - 1); // the row had the previous origin until then
                unsettledAt = moment;
            }
            states.add(new State(moment, origin));
        }
    }

    private void leavesCertainty(long moment) {
        if (isCertain()) {
            uncertainSince = moment;
        }
    }

    private State last() {
        return states.get(states.size() - 1);
    }

    String origin() {
        return last().origin;
    }

    /** Returns whether all writes have ended, the last with an acknowledgement that covers those before it. */
    boolean isCertain() {
        return writing == 0 && unsettledAt == NEVER;
    }

    boolean isWritten() {
        return writing > 0;
    }

    /** Returns how many writes have begun. */
    int begun() {
        return begun;
    }

    /**
     * Returns the last moment, at most {@code now}, at which synchronous indexes certainly held what the base shows.
     */
    long certainUntil(long now) {
        return isCertain() ? now : uncertainSince;
    }

    /** Returns the origins that the row has had since a moment, one for each change. */
    List<String> since(long moment) {
        List<String> origins = new ArrayList<>();
        for (int i = 0; i < states.size(); i++) {
            boolean isLast = i + 1 == states.size();
            if (isLast || states.get(i + 1).since > moment) {
                origins.add(states.get(i).origin);
            }
        }
        return origins;
    }

    Set<String> distinctSince(long moment) {
        return new TreeSet<>(since(moment));
    }
}
