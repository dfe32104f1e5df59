package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The writes of one row that can still affect a read. A write is hidden from a read if it is followed by another that every
 * reader had to see before the read started; a write that is not hidden may be seen. Of two events in the same tick of the
 * clock either may have been first. Thread-safe.
 */
final class RowHistory {
    private final String row;
    private final List<RowWrite> writes = new ArrayList<>();
    private final Set<String> everWritten = new HashSet<>();
    private long begun;

    RowHistory(String row) {
        this.row = row;
        writes.add(RowWrite.untouched());
    }

    String row() {
        return row;
    }

    /**
     * How many writes have started. While this does not change, neither does what the row shows once all writes are
     * settled.
     */
    synchronized long begun() {
        return begun;
    }

    /** Records the start of a write; called before it is sent. */
    synchronized void begin(RowWrite write) {
        begun++;
        writes.add(write);
        write.state().value().ifPresent(everWritten::add);
    }

    /** Records the outcome of a write, as its client knows it. */
    synchronized void end(RowWrite write, Outcome outcome) {
        write.end(outcome);
        notifyAll();
    }

    /**
     * The writes by which a read that started at that time may find the row, if each of them gave it a value in the range,
     * so that the row was in the range throughout the read. Empty if one did not, or if one is not known to be in the
     * indexes. Waits for the outcome of writes in flight.
     *
     * @param before the result of {@link #visibleAt} when the read started
     */
    synchronized List<RowWrite> within(ValueRange range, List<RowWrite> before, long readBegin, long deadlineNanos)
            throws InterruptedException {
        Set<RowWrite> all = new LinkedHashSet<>(before);
        writes.stream().filter(write -> write.begin() >= readBegin).forEach(all::add);
        if (!all.stream()
                .allMatch(write -> write.state().value().filter(range::contains).isPresent())) {
            return List.of();
        }
        while (all.stream().anyMatch(write -> write.outcome().isEmpty())) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
            if (left <= 0) {
                return List.of();
            }
            wait(left);
        }
        return all.stream().allMatch(write -> write.outcome().equals(Optional.of(Outcome.OK)))
                ? List.copyOf(all)
                : List.of();
    }

    /** The writes that a read starting at that time may see. */
    synchronized List<RowWrite> visibleAt(long readBegin) {
        return visible(readBegin);
    }

    /** Records that the base row is durable, and whether every reader must see the write from now on. */
    synchronized void acknowledge(RowWrite write, long now, boolean settled) {
        write.acknowledge(now);
        if (settled) {
            write.settle(now);
        }
    }

    /** Records that the indexes were drained: every reader must see from now on what was durable before that time. */
    synchronized void settle(long durableBefore, long now) {
        for (RowWrite write : writes) {
            if (write.end() < durableBefore) {
                write.settle(now);
            }
        }
    }

    /** Forgets the writes that are hidden from every read that started at that time or later. */
    synchronized void forgetHidden(long oldestRead) {
        long hiddenBefore = newestSettled(oldestRead);
        writes.removeIf(write -> write.end() < hiddenBefore);
    }

    /** The state that every read starting at that time must find, unless a write starts before the read ends. */
    synchronized Optional<RowState> certain(long readBegin) {
        List<RowWrite> visible = visible(readBegin); // includes the newest that every reader had to see
        return visible.size() == 1 ? Optional.of(visible.get(0).state()) : Optional.empty();
    }

    /**
     * The state that a read in a session must find: the session's own last write of the row, if no write of another client
     * may follow it.
     */
    synchronized Optional<RowState> certain(long readBegin, long session) {
        RowWrite last = writes.get(writes.size() - 1);
        boolean own = last.session() == session
                && last.end() < readBegin
                && writes.stream().allMatch(write -> write == last || last.follows(write));
        return own ? Optional.of(last.state()) : certain(readBegin);
    }

    /** Whether a read with these start and end times may return that hit, ignoring the base row that came with it. */
    synchronized boolean mayShow(Hit hit, long readBegin, long readEnd, long session) {
        long hiddenBefore = newestSettled(readBegin);
        long hiddenInSession = newestOfSession(session, readBegin);
        return writes.stream()
                .filter(write -> hit.isOf(write.state()) && write.begin() <= readEnd)
                .filter(write -> write.end() >= hiddenBefore)
                .anyMatch(write -> write.end() >= hiddenInSession);
    }

    /** Whether a read with these start and end times that looks up the base row may find it in that state. */
    synchronized boolean mayBe(RowState state, long readBegin, long readEnd) {
        long hiddenBefore = newestBegin(write -> write.end() < readBegin);
        return writes.stream()
                .filter(write -> write.state().equals(state) && write.begin() <= readEnd)
                .anyMatch(write -> write.end() >= hiddenBefore);
    }

    /** Whether a write of that value to the row was ever started. */
    synchronized boolean wasWritten(String value) {
        return everWritten.contains(value);
    }

    /** Whether a write of that value is remembered. */
    synchronized boolean mentions(String value) {
        return writes.stream().anyMatch(write -> write.state().has(value));
    }

    /** The states that the base row may show when no write is in flight. */
    synchronized List<RowState> possibleInBase() {
        long hiddenBefore = newestBegin(write -> write.end() != RowWrite.NEVER);
        return writes.stream()
                .filter(write -> write.end() >= hiddenBefore)
                .map(RowWrite::state)
                .toList();
    }

    /** The state after the write that started last. */
    synchronized RowState newest() {
        return writes.get(writes.size() - 1).state();
    }

    /** How many writes are remembered. */
    synchronized int size() {
        return writes.size();
    }

    private List<RowWrite> visible(long readBegin) {
        long hiddenBefore = newestSettled(readBegin);
        return writes.stream().filter(write -> write.end() >= hiddenBefore).toList();
    }

    /**
     * The start of the newest write that every reader had to see before that time; what ended before this start is hidden.
     */
    private long newestSettled(long readBegin) {
        return newestBegin(write -> write.settled() < readBegin);
    }

    /** The same for a session, which sees its own writes at once: each hides all writes that ended before it started. */
    private long newestOfSession(long session, long readBegin) {
        return newestBegin(
                write -> session != RowWrite.NO_SESSION && write.session() == session && write.end() < readBegin);
    }

    private long newestBegin(Predicate<RowWrite> which) {
        return writes.stream().filter(which).mapToLong(RowWrite::begin).max().orElse(Long.MIN_VALUE);
    }

    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder(row).append(':');
        int from = Math.max(0, writes.size() - 12);
        writes.subList(from, writes.size())
                .forEach(write -> text.append("\n    ").append(write));
        return text.toString();
    }
}
