package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The origins that a row has had, and what its writers have been told. Moments are numbers that grow. */
final class RowHistory {
    private static final long NEVER = -1;

    /** An origin, empty for none, that the base has shown since a moment. */
    private record State(long since, String origin) {}

    private final List<State> states = new ArrayList<>(List.of(new State(0, "")));
    private int writing;
    private int begun;

    /** When a write last ended without an acknowledgement, or came back in a replay; and no later one was acknowledged. */
    private long unsettledAt = NEVER;

    private long uncertainSince;

    /** A write begins. */
    void begins(long moment) {
        leavesCertainty(moment);
        writing++;
        begun++;
    }

    /** A write that began at a moment has ended. */
    void ends(long from, long moment, boolean acknowledged) {
        writing--;
        if (!acknowledged) {
            unsettledAt = moment;
        } else if (unsettledAt < from) {
            unsettledAt = NEVER;
        }
    }

    /** The base shows that origin now. */
    void shows(String origin, long moment) {
        if (!last().origin.equals(origin)) {
            if (writing == 0) {
                leavesCertainty(moment - 1); // when the row had the origin before
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

    /** Whether all writes have ended, and the last of them with an acknowledgement that covers those before. */
    boolean isCertain() {
        return writing == 0 && unsettledAt == NEVER;
    }

    boolean isWritten() {
        return writing > 0;
    }

    /** How many writes were begun. */
    int begun() {
        return begun;
    }

    /** The last moment at which the indexes that are written synchronously surely had what the base shows, up to now. */
    long certainUntil(long now) {
        return isCertain() ? now : uncertainSince;
    }

    /** The origins that the row had since a moment, one for each time that it changed. */
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
