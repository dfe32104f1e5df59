package org.diffindex.cli.chaos;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.diffindex.cli.chaos.Violation.Kind;

/**
 * The check of one read by index: the rows that it must find are among its hits, and its hits are among what it may find.
 * Opened before the read begins, asked when it has ended. For one thread.
 */
final class ReadCheck implements AutoCloseable {
    private final SchemeHistory history;
    private final ValueRange range;
    private final long session;
    private final Object pin;
    private final long begin;
    private final Map<RowHistory, Certain> must = new LinkedHashMap<>();
    private int mustCount;

    /** What a row must show as long as no other write of it begins. */
    private record Certain(String value, long begun) {}

    private ReadCheck(SchemeHistory history, ValueRange range, long session) {
        this.history = history;
        this.range = range;
        this.session = session;
        this.pin = history.reads().pin();
        this.begin = history.clock().getAsLong();
        for (RowHistory row : history.candidates(range)) {
            long begun = row.begun();
            Optional<RowState> state =
                    session == RowWrite.NO_SESSION ? row.certain(begin) : row.certain(begin, session);
            state.flatMap(RowState::value)
                    .filter(range::contains)
                    .ifPresent(value -> must.put(row, new Certain(value, begun)));
        }
    }

    /** A read of those values that begins now, outside of all sessions. */
    static ReadCheck begin(SchemeHistory history, ValueRange range) {
        return new ReadCheck(history, range, RowWrite.NO_SESSION);
    }

    /** A read of those values that begins now, in a session. */
    static ReadCheck begin(SchemeHistory history, ValueRange range, long session) {
        return new ReadCheck(history, range, session);
    }

    /** What is wrong with the hits of the read, which has just ended. */
    List<Violation> end(Iterable<Hit> hits) {
        long end = history.clock().getAsLong();
        List<Violation> violations = new ArrayList<>();
        Set<Hit> found = new HashSet<>();
        for (Hit hit : hits) {
            if (found.add(hit)) {
                unexpected(hit, end).ifPresent(kind -> violations.add(violation(kind, hit.row(), hit.value(), end)));
            }
        }
        must.forEach((row, certain) -> {
            if (row.begun() == certain.begun()) {
                mustCount++;
                if (!found.contains(new Hit(row.row(), certain.value()))) {
                    violations.add(violation(Kind.LOST, row.row(), certain.value(), end));
                }
            }
        });
        return violations;
    }

    /** How many rows the read had to find; known at its end. */
    int mustCount() {
        return mustCount;
    }

    private Optional<Kind> unexpected(Hit hit, long end) {
        Optional<RowHistory> row = history.known(hit.row());
        if (!range.contains(hit.value()) || row.isEmpty()) {
            return Optional.of(Kind.INVENTED);
        }
        if (row.get().mayShow(hit.value(), begin, end, session)) {
            return Optional.empty();
        }
        if (!row.get().wasWritten(hit.value())) {
            return Optional.of(Kind.INVENTED);
        }
        return Optional.of(row.get().newest().value().isPresent() ? Kind.STALE : Kind.RESURRECTED);
    }

    private Violation violation(Kind kind, String row, String value, long end) {
        String detail = "read of %s [%s..%s]%s; remembered of %s"
                .formatted(
                        range,
                        RunTime.text(begin),
                        RunTime.text(end),
                        session == RowWrite.NO_SESSION ? "" : " in session " + session,
                        history.known(row).map(RowHistory::toString).orElse(row + ": nothing"));
        return new Violation(kind, history.scheme(), row, value, end, detail);
    }

    /** Lets go of the history that the read needed. */
    @Override
    public void close() {
        history.reads().unpin(pin);
    }
}
