package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.diffindex.lab.chaos.Violation.Kind;

/**
 * Checks one read by index: the rows that it must return are among its hits, once and in order, and it may return each
 * of its hits. If the scheme promises it, a row that moves within the range during the read must be returned too.
 * Created before the read starts; {@link #end} is called after the read ends. For one thread.
 */
final class ReadCheck implements AutoCloseable {
    /** The longest read during which no old entry that it may need is deleted: half of diffindex.stale.delay.ms. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Bound on the wait for the outcome of concurrent writes; a row whose write takes longer is not checked as a moving
     * row.
     */
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

    /** The state that a read must find, unless another write of the row starts before the read ends. */
    private record Certain(RowHistory row, RowState state, long begun) {
        boolean holds() {
            return row.begun() == begun;
        }

        boolean isShownBy(Hit hit) {
            return hit.row().equals(row.row()) && hit.isOf(state);
        }

        /** Returns the expected hit, in an index with or without numbers. */
        Hit expected(boolean withNumbers) {
            OptionalLong number = withNumbers ? state.number() : OptionalLong.empty();
            return new Hit(row.row(), state.value().orElseThrow(), number, Optional.empty());
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
            state.filter(certain -> certain.value().filter(range::contains).isPresent())
                    .ifPresent(certain -> must.put(row.row(), new Certain(row, certain, begun)));
        }
    }

    /** Returns the check of a read of these values that starts now, outside of a session. */
    static ReadCheck begin(SchemeHistory history, ValueRange range) {
        return begin(history, range, RowWrite.NO_SESSION, OptionalInt.empty());
    }

    /**
     * Returns the check of a read of these values that starts now.
     *
     * @param session the session of the read, or {@link RowWrite#NO_SESSION}
     * @param limit the maximum number of hits, if any
     */
    static ReadCheck begin(SchemeHistory history, ValueRange range, long session, OptionalInt limit) {
        return new ReadCheck(history, range, session, limit);
    }

    /** Returns the violations in the hits of a read that has just ended. */
    List<Violation> end(List<Hit> hits) throws InterruptedException {
        end = history.clock().getAsLong();
        hits.forEach(hit -> unexpected(hit).ifPresent(kind -> add(kind, hit.row(), hit.value())));
        if (limit.isPresent() && hits.size() > limit.getAsInt()) {
            add(Kind.TOO_MANY, "-", hits.size() + " hits");
        }
        List<Hit> still = hits.stream().filter(this::isStill).toList();
        checkStill(still);
        boolean isCutOff = limit.isPresent() && hits.size() >= limit.getAsInt();
        checkMust(hits, isCutOff, still);
        if (!isCutOff) {
            checkMoving(hits);
        }
        return violations;
    }

    /** Returns whether the hit is the entry of a row that was not written during the read. */
    private boolean isStill(Hit hit) {
        Certain certain = must.get(hit.row());
        return certain != null && certain.isShownBy(hit) && certain.holds();
    }

    /**
     * Checks that all rows that must be found are found. If the limit cut the read off, checks only the rows up to its
     * last hit of a row that was not written during the read.
     */
    private void checkMust(List<Hit> hits, boolean isCutOff, List<Hit> still) {
        Set<String> found = new HashSet<>();
        still.forEach(hit -> found.add(hit.row()));
        Optional<Hit> last = still.stream().max(Hit.ORDER);
        boolean withNumbers = hits.stream().anyMatch(hit -> hit.number().isPresent());
        for (Certain certain : must.values()) {
            Hit expected = certain.expected(withNumbers);
            boolean isReached = !isCutOff
                    || last.filter(hit -> Hit.ORDER.compare(expected, hit) <= 0).isPresent();
            if (isReached && certain.holds()) {
                mustCount++;
                if (!found.contains(certain.row().row())) {
                    add(Kind.LOST, expected.row(), expected.value());
                }
            }
        }
    }

    /**
     * Checks that rows not written during the read occur once, in the order of the index, and with their cells'
     * timestamp.
     */
    private void checkStill(List<Hit> still) {
        Set<String> met = new HashSet<>();
        Hit last = null;
        for (Hit hit : still) {
            if (!met.add(hit.row())) {
                add(Kind.REPEATED, hit.row(), hit.value());
            } else if (last != null && Hit.ORDER.compare(hit, last) < 0) {
                add(Kind.MISPLACED, hit.row(), hit.value());
            }
            if (isMisdated(hit)) {
                add(Kind.MISDATED, hit.row(), hit.value());
            }
            last = hit;
        }
    }

    /**
     * Returns whether the hit of a row that was not written during the read has another timestamp than the row. Not if
     * the row was read after the hit, and a server may make a write of it again meanwhile.
     */
    private boolean isMisdated(Hit hit) {
        return hit.base()
                .map(base -> !base.hasTimeOfHit())
                .orElseGet(() -> hit.hasOtherTime() && must.get(hit.row()).row().wasWrittenOnceEach());
    }

    /**
     * Checks that a row that was in the range throughout the read, though under several values, is found under one at
     * least.
     */
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

    /** Returns how many rows the read had to find; known after its end. */
    int mustCount() {
        return mustCount;
    }

    /**
     * Returns how many rows the read had to find although they moved between regions of the index; known after its end.
     */
    int movedCount() {
        return movedCount;
    }

    private Optional<Kind> unexpected(Hit hit) {
        Optional<RowHistory> row = history.known(hit.row());
        if (!range.contains(hit.value()) || row.isEmpty()) {
            return Optional.of(Kind.INVENTED);
        }
        if (row.get().mayShow(hit, begin, end, session)) {
            return hit.base()
                    .filter(base -> !hit.isOf(base.state()) || !row.get().mayBe(base.state(), begin, end))
                    .map(base -> Kind.TORN);
        }
        if (!row.get().wasWritten(hit.value())) {
            return Optional.of(Kind.INVENTED);
        }
        return Optional.of(row.get().newest().value().isPresent() ? Kind.STALE : Kind.RESURRECTED);
    }

    private void add(Kind kind, String row, String value) {
        String detail = "read of %s%s [%s..%s]%s; history of %s"
                .formatted(
                        range,
                        limit.isPresent() ? ", limit " + limit.getAsInt() : "",
                        RunTime.text(begin),
                        RunTime.text(end),
                        session == RowWrite.NO_SESSION ? "" : " in session " + session,
                        history.known(row).map(RowHistory::toString).orElse(row + ": nothing"));
        violations.add(new Violation(kind, history.scheme(), row, value, end, detail));
    }

    /** Releases the history that the read needed. */
    @Override
    public void close() {
        history.reads().unpin(pin);
    }
}
