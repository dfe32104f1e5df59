package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.diffindex.model.IndexScheme;

/**
 * What the clients did to the table of one scheme, as far as reads that are under way or will come can depend on it.
 * Safe for use by many threads.
 */
final class SchemeHistory {
    private final IndexScheme scheme;
    private final LongSupplier clock;
    private final ReadPins reads;
    private final Map<String, RowHistory> rows = new ConcurrentHashMap<>();
    private final Map<String, ConcurrentMap<String, RowHistory>> rowsByValue = new ConcurrentHashMap<>();

    /** The history of an empty table. */
    SchemeHistory(IndexScheme scheme, LongSupplier clock) {
        this.scheme = scheme;
        this.clock = clock;
        this.reads = new ReadPins(clock);
    }

    IndexScheme scheme() {
        return scheme;
    }

    /** The run's clock: nanoseconds since its start. */
    LongSupplier clock() {
        return clock;
    }

    ReadPins reads() {
        return reads;
    }

    /** The history of a row, new if nothing is known of it. */
    RowHistory row(String row) {
        return rows.computeIfAbsent(row, RowHistory::new);
    }

    /** The history of a row that somebody has written or begun to write. */
    Optional<RowHistory> known(String row) {
        return Optional.ofNullable(rows.get(row));
    }

    /** All rows ever written. */
    Collection<RowHistory> rows() {
        return rows.values();
    }

    /** Records that a write begins now; to be called before it is sent. */
    RowWrite begin(RowHistory row, RowState state, String kind, long session) {
        RowWrite write = new RowWrite(state, kind, session, clock.getAsLong());
        row.begin(write);
        state.value().ifPresent(value -> rowsByValue
                .computeIfAbsent(value, any -> new ConcurrentHashMap<>())
                .put(row.row(), row));
        return write;
    }

    /** Records that a write has ended now, and how. */
    void end(RowHistory row, RowWrite write, Outcome outcome) {
        if (outcome.isDurable()) {
            boolean settled = outcome == Outcome.OK && scheme.readsAcknowledgedWrites();
            row.acknowledge(write, clock.getAsLong(), settled);
        }
        row.end(write, outcome);
        row.forgetHidden(reads.oldest());
    }

    /** Records that the indexes hold every durable write now: a drain has ended that began when no write was under way. */
    void drained() {
        drained(clock.getAsLong());
    }

    /** Records that the indexes hold every write that was durable before that time, at which a drain began that has ended. */
    void drained(long begin) {
        long now = clock.getAsLong();
        rows.values().forEach(row -> {
            row.settle(begin, now);
            row.forgetHidden(reads.oldest());
        });
    }

    /** The rows that may have one of the values. */
    List<RowHistory> candidates(ValueRange range) {
        List<RowHistory> candidates = new ArrayList<>();
        for (String value : range.values()) {
            ConcurrentMap<String, RowHistory> some = rowsByValue.getOrDefault(value, new ConcurrentHashMap<>());
            for (String row : some.keySet()) {
                // Atomic with the put in begin(), which comes after the row knows the value.
                RowHistory history = some.computeIfPresent(row, (any, known) -> known.mentions(value) ? known : null);
                if (history != null) {
                    candidates.add(history);
                }
            }
        }
        return candidates;
    }
}
