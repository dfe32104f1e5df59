package org.diffindex.lab.chaos;

import java.util.Optional;

/**
 * One write of one row, as its client saw it. Times are nanoseconds of the run's clock. Guarded by the {@link RowHistory}
 * that it belongs to.
 */
final class RowWrite {
    /** Later than every read. */
    static final long NEVER = Long.MAX_VALUE;

    /** The session of a write outside of all sessions. */
    static final long NO_SESSION = 0;

    private final RowState state;
    private final String kind;
    private final long session;
    private final long begin;
    private long end = NEVER;
    private long settled = NEVER;
    private Optional<Outcome> outcome = Optional.empty();

    /**
     * A write that begins.
     *
     * @param state what the row shows when it has taken effect
     * @param kind what it is called in the history
     * @param session the session that makes it, or {@link #NO_SESSION}
     * @param begin when its client began it
     */
    RowWrite(RowState state, String kind, long session, long begin) {
        this.state = state;
        this.kind = kind;
        this.session = session;
        this.begin = begin;
    }

    /** The state of a row that nobody has written. */
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

    /** When its client knew that the base row is durable; {@link #NEVER} until then. */
    long end() {
        return end;
    }

    /** When every reader had to see it, unless a later write hid it; {@link #NEVER} until then. */
    long settled() {
        return settled;
    }

    /** How it ended; empty as long as its client waits for it. */
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

    /** Whether it began after the other one was durable, and so comes after it in the row's order. */
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
