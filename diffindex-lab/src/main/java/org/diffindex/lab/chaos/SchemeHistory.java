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

/** The writes to the table of one scheme on which reads in flight or future reads depend. Thread-safe. */
final class SchemeHistory {
    private final IndexScheme scheme;
    private final LongSupplier clock;
    private final ReadPins reads;
    private final Map<String, RowHistory> rows = new ConcurrentHashMap<>();
    private final Map<String, ConcurrentMap<String, RowHistory>> rowsByValue = new ConcurrentHashMap<>();

    /** The time until which an index of the table may have been synchronous; {@link Long#MIN_VALUE} if none ever was. */
    private volatile long synchronousUntil;

    /** Creates the history of an empty table. */
    SchemeHistory(IndexScheme scheme, LongSupplier clock) {
        this.scheme = scheme;
        this.clock = clock;
        this.reads = new ReadPins(clock);
        this.synchronousUntil = scheme.isAsynchronous() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    IndexScheme scheme() {
        return scheme;
    }

    /** Returns the run's clock: nanoseconds since its start. */
    LongSupplier clock() {
        return clock;
    }

    /** Records that one more index of the table may be synchronous from now on. */
    void mayBeSynchronous() {
        synchronousUntil = Long.MAX_VALUE;
    }

    /** Records that there is no such index any more: all indexes of the table have schemes like its own. */
    void isAsItsScheme() {
        if (scheme.isAsynchronous() && synchronousUntil == Long.MAX_VALUE) {
            synchronousUntil = clock.getAsLong();
        }
    }

    /** Returns whether all indexes of the table have been asynchronous since a time. */
    boolean isAsynchronousSince(long time) {
        return synchronousUntil < time;
    }

    ReadPins reads() {
        return reads;
    }

    /** Returns the history of a row; creates it if the row is unknown. */
    RowHistory row(String row) {
        return rows.computeIfAbsent(row, RowHistory::new);
    }

    /** Returns the history of a row that a client has used; empty for an unknown row. */
    Optional<RowHistory> known(String row) {
        return Optional.ofNullable(rows.get(row));
    }

    /** Returns the histories of all rows that clients have used. */
    Collection<RowHistory> rows() {
        return rows.values();
    }

    /** Records that a write starts now; called before the write is sent. */
    RowWrite begin(RowHistory row, RowState state, String kind, long session) {
        RowWrite write = new RowWrite(state, kind, session, clock.getAsLong());
        row.begin(write);
        state.value().ifPresent(value -> rowsByValue
                .computeIfAbsent(value, any -> new ConcurrentHashMap<>())
                .put(row.row(), row));
        return write;
    }

    /** Records the outcome of a write that ends now. */
    void end(RowHistory row, RowWrite write, Outcome outcome) {
        if (outcome.isDurable()) {
            boolean settled = outcome == Outcome.OK && scheme.readsAcknowledgedWrites();
            row.acknowledge(write, clock.getAsLong(), settled);
        }
        row.end(write, outcome);
        row.forgetHidden(reads.oldest());
    }

    /** Records that the indexes hold every durable write: a drain that started without writes in flight has ended. */
    void drained() {
        drained(clock.getAsLong());
    }

    /**
     * Records that the indexes hold every write that was durable before {@code begin}, when a drain started that has
     * ended.
     */
    void drained(long begin) {
        long now = clock.getAsLong();
        rows.values().forEach(row -> {
            row.settle(begin, now);
            row.forgetHidden(reads.oldest());
        });
    }

    /** Returns the histories of the rows that may have one of the values. */
    List<RowHistory> candidates(ValueRange range) {
        List<RowHistory> candidates = new ArrayList<>();
        for (String value : range.values()) {
            ConcurrentMap<String, RowHistory> some = rowsByValue.getOrDefault(value, new ConcurrentHashMap<>());
            for (String row : some.keySet()) {
                // Atomic with the put in begin(), which follows the registration of the value with the row.
                RowHistory history = some.computeIfPresent(row, (any, known) -> known.mentions(value) ? known : null);
                if (history != null) {
                    candidates.add(history);
                }
            }
        }
        return candidates;
    }
}
