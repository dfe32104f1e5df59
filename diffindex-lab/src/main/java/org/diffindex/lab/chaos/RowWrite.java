package org.diffindex.lab.chaos;

import java.util.Optional;

/**
 * One write of one row, as its client saw it. Times are in nanoseconds of the run's clock. Guarded by its {@link
 * RowHistory}.
 */
final class RowWrite {
    /** Later than every read. */
    static final long NEVER = Long.MAX_VALUE;

    /** The session of a write outside of a session. */
    static final long NO_SESSION = 0;

    private final RowState state;
    private final String kind;
    private final long session;
    private final long begin;
    private long end = NEVER;
    private long settled = NEVER;
    private Optional<Outcome> outcome = Optional.empty();

    /**
     * Creates a write that starts.
     *
     * @param state the state of the row once the write takes effect
     * @param kind the name of the operation in the history
     * @param session the session of the write, or {@link #NO_SESSION}
     * @param begin when its client started it
     */
    RowWrite(RowState state, String kind, long session, long begin) {
        this.state = state;
        this.kind = kind;
        this.session = session;
        this.begin = begin;
    }

    /** Returns the write that stands for the initial state: the row was never written. */
    static RowWrite untouched() {
        RowWrite none = new RowWrite(RowState.NONE, "untouched", NO_SESSION, -1);
        none.end(Outcome.OK);
        none.acknowledge(-1);
        none.settle(-1);
        return none;
    }

    RowState state() {
        return state;
    }

    String kind() {
        return kind;
    }

    long session() {
        return session;
    }

    long begin() {
        return begin;
    }

    /** Returns when the client learned that the base row is durable; {@link #NEVER} until then. */
    long end() {
        return end;
    }

    /** Returns since when every reader must see the write, unless a later write hides it; {@link #NEVER} until then. */
    long settled() {
        return settled;
    }

    /** Returns the outcome; empty while the write is in flight. */
    Optional<Outcome> outcome() {
        return outcome;
    }

    void end(Outcome how) {
        outcome = Optional.of(how);
    }

    void acknowledge(long time) {
        end = time;
    }

    void settle(long time) {
        settled = Math.min(settled, time);
    }

    /** Returns whether this write started after the other was durable, and so follows it in the order of the row. */
    boolean follows(RowWrite other) {
        return begin > other.end;
    }

    @Override
    public String toString() {
        return "%s %s [%s..%s]%s"
                .formatted(
                        kind,
                        state,
                        RunTime.text(begin),
                        end == NEVER ? "?" : RunTime.text(end),
                        settled == NEVER ? " unsettled" : "");
    }
}
