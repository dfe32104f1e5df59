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
 * The writes of one row that can still affect a read. A write is hidden from a read if a later write followed it that
 * every reader had to see before the read started; a read may see any write that is not hidden. If two events have the
 * same time, either may have been first. Thread-safe.
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
     * Returns how many writes have started. As long as this number is the same, the row shows the same state once all
     * writes are settled.
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
     * Returns the writes by which a read that started at {@code readBegin} may find the row, if each of them gave the
     * row a value in the range, so that the row was in the range throughout the read. Returns an empty list if one of
     * them did not, or if one is not known to be in the indexes. Waits until the deadline for the outcome of writes in
     * flight.
     *
     * @param before the result of {@link #visibleAt} when the read started
     * @param deadlineNanos the deadline, as a time of {@link System#nanoTime}
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

    /** Returns the writes that a read starting at that time may see. */
    synchronized List<RowWrite> visibleAt(long readBegin) {
        return visible(readBegin);
    }

    /**
     * Records that the base row is durable, and, if the write is settled, that every reader must see it from now on.
     */
    synchronized void acknowledge(RowWrite write, long now, boolean settled) {
        write.acknowledge(now);
        if (settled) {
            write.settle(now);
        }
    }

    /**
     * Records that the indexes were drained: from now on, every reader must see the writes durable before that time.
     */
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

    /**
     * Returns the state that every read starting at that time must find, unless a write starts before the read ends.
     */
    synchronized Optional<RowState> certain(long readBegin) {
        List<RowWrite> visible = visible(readBegin); // includes the newest that every reader had to see
        return visible.size() == 1 ? Optional.of(visible.get(0).state()) : Optional.empty();
    }

    /**
     * Returns the state that a read in a session must find: that of the session's own last write of the row, if no
     * write of another client may follow it; otherwise the state that every read must find.
     */
    synchronized Optional<RowState> certain(long readBegin, long session) {
        RowWrite last = writes.get(writes.size() - 1);
        boolean own = last.session() == session
                && last.end() < readBegin
                && writes.stream().allMatch(write -> write == last || last.follows(write));
        return own ? Optional.of(last.state()) : certain(readBegin);
    }

    /**
     * Returns whether a read with these start and end times may return that hit, ignoring the base row that came with
     * it.
     */
    synchronized boolean mayShow(Hit hit, long readBegin, long readEnd, long session) {
        long hiddenBefore = newestSettled(readBegin);
        long hiddenInSession = newestOfSession(session, readBegin);
        return writes.stream()
                .filter(write -> hit.isOf(write.state()) && write.begin() <= readEnd)
                .filter(write -> write.end() >= hiddenBefore)
                .anyMatch(write -> write.end() >= hiddenInSession);
    }

    /** Returns whether a read with these start and end times that looks up the base row may find it in that state. */
    synchronized boolean mayBe(RowState state, long readBegin, long readEnd) {
        long hiddenBefore = newestBegin(write -> write.end() < readBegin);
        return writes.stream()
                .filter(write -> write.state().equals(state) && write.begin() <= readEnd)
                .anyMatch(write -> write.end() >= hiddenBefore);
    }

    /** Returns whether a write of that value to the row was ever started. */
    synchronized boolean wasWritten(String value) {
        return everWritten.contains(value);
    }

    /** Returns whether a write of that value is remembered. */
    synchronized boolean mentions(String value) {
        return writes.stream().anyMatch(write -> write.state().has(value));
    }

    /** Returns the states that the base row may show when no write is in flight. */
    synchronized List<RowState> possibleInBase() {
        long hiddenBefore = newestBegin(write -> write.end() != RowWrite.NEVER);
        return writes.stream()
                .filter(write -> write.end() >= hiddenBefore)
                .map(RowWrite::state)
                .toList();
    }

    /**
     * Returns whether all remembered writes have ended and none can take effect again: of each the attempt is known
     * that took effect.
     */
    synchronized boolean wasWrittenOnceEach() {
        return writes.stream().allMatch(write -> write.outcome().equals(Optional.of(Outcome.OK)));
    }

    /** Returns the state after the write that started last. */
    synchronized RowState newest() {
        return writes.get(writes.size() - 1).state();
    }

    /** Returns how many writes are remembered. */
    synchronized int size() {
        return writes.size();
    }

    private List<RowWrite> visible(long readBegin) {
        long hiddenBefore = newestSettled(readBegin);
        return writes.stream().filter(write -> write.end() >= hiddenBefore).toList();
    }

    /**
     * Returns the start of the newest write that every reader had to see before that time; a write that ended before
     * this start is hidden.
     */
    private long newestSettled(long readBegin) {
        return newestBegin(write -> write.settled() < readBegin);
    }

    /**
     * Returns the same for a session, which sees its own writes at once: each hides all writes that ended before it
     * started.
     */
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
