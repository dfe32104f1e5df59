package org.diffindex.cli.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.diffindex.cli.chaos.Violation.Kind;

/**
 * The check of one read by index: the rows that it must find are among its hits, once and in order, and its hits are among
 * what it may find. A row that moves within the range during the read must be found too, if the scheme promises that. Opened
 * before the read begins, asked when it has ended. For one thread.
 */
final class ReadCheck implements AutoCloseable {
    /** Of a read that takes longer an old entry may be gone before it comes by: half of diffindex.stale.delay.ms. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Longer than a client's call takes. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final SchemeHistory history;
    private final ValueRange range;
    private final long session;
    private final OptionalInt limit;
    private final Object pin;
    private final long begin;
    private final Map<String, Certain> must = new LinkedHashMap<>();
    private final Map<RowHistory, List<RowWrite>> visible = new LinkedHashMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private int mustCount;
    private int movedCount;
    private long end;

    /** What a row must show as long as no other write of it begins. */
    private record Certain(RowHistory row, String value, long begun) {
        boolean holds() {
            return row.begun() == begun;
        }
    }

    private ReadCheck(SchemeHistory history, ValueRange range, long session, OptionalInt limit) {
        this.history = history;
        this.range = range;
        this.session = session;
        this.limit = limit;
        this.pin = history.reads().pin();
        this.begin = history.clock().getAsLong();
        for (RowHistory row : history.candidates(range)) {
            long begun = row.begun();
            visible.put(row, row.visibleAt(begin));
            Optional<RowState> state =
                    session == RowWrite.NO_SESSION ? row.certain(begin) : row.certain(begin, session);
            state.flatMap(RowState::value)
                    .filter(range::contains)
                    .ifPresent(value -> must.put(row.row(), new Certain(row, value, begun)));
        }
    }

    /** A read of those values that begins now, outside of all sessions. */
    static ReadCheck begin(SchemeHistory history, ValueRange range) {
        return begin(history, range, RowWrite.NO_SESSION, OptionalInt.empty());
    }

    /**
     * A read of those values that begins now.
     *
     * @param session the session in which it is made, or {@link RowWrite#NO_SESSION}
     * @param limit how many hits it asks for, at the most
     */
    static ReadCheck begin(SchemeHistory history, ValueRange range, long session, OptionalInt limit) {
        return new ReadCheck(history, range, session, limit);
    }

    /** What is wrong with the hits of the read, which has just ended. */
    List<Violation> end(List<Hit> hits) throws InterruptedException {
        end = history.clock().getAsLong();
        Set<Hit> found = new HashSet<>(hits);
        found.forEach(hit -> unexpected(hit).ifPresent(kind -> add(kind, hit.row(), hit.value())));
        if (limit.isPresent() && hits.size() > limit.getAsInt()) {
            add(Kind.TOO_MANY, "-", hits.size() + " hits");
        }
        checkOrder(hits);
        String readTo = limit.isPresent() && hits.size() >= limit.getAsInt() ? reachedBy(hits) : null;
        for (Certain certain : must.values()) {
            if (certain.holds() && (readTo == null || certain.value().compareTo(readTo) < 0)) {
                mustCount++;
                if (!found.contains(new Hit(certain.row().row(), certain.value()))) {
                    add(Kind.LOST, certain.row().row(), certain.value());
                }
            }
        }
        if (readTo == null) {
            checkMoving(hits);
        }
        return violations;
    }

    /** How far a read has come for sure: a row that moved may be found before its place. */
    private String reachedBy(List<Hit> hits) {
        String reached = "";
        for (Hit hit : hits) {
            Certain certain = must.get(hit.row());
            if (certain != null && certain.value().equals(hit.value()) && certain.holds()) {
                reached = hit.value();
            }
        }
        return reached;
    }

    /** Rows that nobody wrote meanwhile come once, and in the order of their values. */
    private void checkOrder(List<Hit> hits) {
        Map<String, Integer> times = new HashMap<>();
        String last = "";
        for (Hit hit : hits) {
            Certain certain = must.get(hit.row());
            if (certain != null && certain.value().equals(hit.value()) && certain.holds()) {
                if (times.merge(hit.row(), 1, Integer::sum) == 2) {
                    add(Kind.REPEATED, hit.row(), hit.value());
                }
                if (hit.value().compareTo(last) < 0) {
                    add(Kind.MISPLACED, hit.row(), hit.value());
                }
                last = hit.value();
            }
        }
    }

    /** Rows that were in the range all the time, though not under one value, are found under one at least. */
    private void checkMoving(List<Hit> hits) throws InterruptedException {
        boolean mayOldEntriesBeGone = history.scheme().leavesStaleEntries() && end - begin > LONGEST_NANOS;
        if (session != RowWrite.NO_SESSION || !history.scheme().readsAcknowledgedWrites() || mayOldEntriesBeGone) {
            return;
        }
        Set<String> found = new HashSet<>();
        hits.forEach(hit -> found.add(hit.row()));
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (Map.Entry<RowHistory, List<RowWrite>> row : visible.entrySet()) {
            Certain certain = must.get(row.getKey().row());
            if (certain == null || !certain.holds()) {
                boolean isFound = found.contains(row.getKey().row());
                List<RowWrite> writes =
                        row.getKey().within(range, row.getValue(), begin, isFound ? System.nanoTime() : deadline);
                boolean isPromised = writes.size() == 2
                        || (writes.size() > 2 && history.scheme().leavesStaleEntries());
                if (isPromised && isAcrossRegions(writes)) {
                    movedCount++;
                }
                if (isPromised && !isFound) {
                    add(Kind.LOST, row.getKey().row(), "moving: " + writes);
                }
            }
        }
    }

    private static boolean isAcrossRegions(List<RowWrite> writes) {
        return writes.stream()
                        .flatMap(write -> write.state().value().stream())
                        .mapToInt(ChaosTable::region)
                        .distinct()
                        .count()
                > 1;
    }

    /** How many rows the read had to find; known at its end. */
    int mustCount() {
        return mustCount;
    }

    /** How many rows that moved to another region of the index meanwhile the read had to find; known at its end. */
    int movedCount() {
        return movedCount;
    }

    private Optional<Kind> unexpected(Hit hit) {
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

    private void add(Kind kind, String row, String value) {
        String detail = "read of %s%s [%s..%s]%s; remembered of %s"
                .formatted(
                        range,
                        limit.isPresent() ? ", limit " + limit.getAsInt() : "",
                        RunTime.text(begin),
                        RunTime.text(end),
                        session == RowWrite.NO_SESSION ? "" : " in session " + session,
                        history.known(row).map(RowHistory::toString).orElse(row + ": nothing"));
        violations.add(new Violation(kind, history.scheme(), row, value, end, detail));
    }

    /** Lets go of the history that the read needed. */
    @Override
    public void close() {
        history.reads().unpin(pin);
    }
}
