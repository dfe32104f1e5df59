package org.diffindex.cli.chaos;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The writes of one row that may still matter to a read. A write is hidden for a read when another one follows it that
 * every reader had to see before the read began; what is not hidden may be seen. Safe for use by many threads.
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

    /** How many writes have begun; as long as this stays the same, so does what the row shows, once all are settled. */
    synchronized long begun() {
        return begun;
    }

    /** Records a write; to be called before it is sent. */
    synchronized void begin(RowWrite write) {
        begun++;
        writes.add(write);
        write.state().value().ifPresent(everWritten::add);
    }

    /** Records that the base row is durable, and whether every reader must see the write from now on. */
    synchronized void acknowledge(RowWrite write, long now, boolean settled) {
        write.acknowledge(now);
        if (settled) {
            write.settle(now);
        }
    }

    /** Every durable write is seen by every reader from now on: the indexes were drained after it. */
    synchronized void settle(long now) {
        for (RowWrite write : writes) {
            if (write.end() != RowWrite.NEVER) {
                write.settle(now);
            }
        }
    }

    /** Forgets the writes that are hidden for every read that began at that time or later. */
    synchronized void forgetHidden(long oldestRead) {
        long hiddenBefore = newestSettled(oldestRead);
        writes.removeIf(write -> write.end() < hiddenBefore);
    }

    /** What every read that begins at that time must find the row to show, unless a write begins before the read ends. */
    synchronized Optional<RowState> certain(long readBegin) {
        List<RowWrite> visible = visible(readBegin);
        return visible.size() == 1 && visible.get(0).settled() < readBegin
                ? Optional.of(visible.get(0).state())
                : Optional.empty();
    }

    /**
     * What a read within a session must find: the session's own last write of the row, if no other writer has one that may
     * come after it.
     */
    synchronized Optional<RowState> certain(long readBegin, long session) {
        RowWrite last = writes.get(writes.size() - 1);
        boolean own = last.session() == session
                && last.end() < readBegin
                && writes.stream().allMatch(write -> write == last || last.follows(write));
        return own ? Optional.of(last.state()) : certain(readBegin);
    }

    /** Whether a read that began and ended at those times may find the row under that value. */
    synchronized boolean mayShow(String value, long readBegin, long readEnd, long session) {
        long hiddenBefore = newestSettled(readBegin);
        long hiddenInSession = newestOfSession(session, readBegin);
        return writes.stream()
                .filter(write -> write.state().has(value) && write.begin() < readEnd)
                .filter(write -> write.end() >= hiddenBefore)
                .anyMatch(write -> write.session() != session || write.end() >= hiddenInSession);
    }

    /** Whether the row was ever written with that value, or was begun to be. */
    synchronized boolean wasWritten(String value) {
        return everWritten.contains(value);
    }

    /** Whether a write of that value is remembered. */
    synchronized boolean mentions(String value) {
        return writes.stream().anyMatch(write -> write.state().has(value));
    }

    /** What the base row may show when no write is on its way any more. */
    synchronized List<RowState> possibleInBase() {
        long hiddenBefore = newestBegin(write -> write.end() != RowWrite.NEVER);
        return writes.stream()
                .filter(write -> write.end() >= hiddenBefore)
                .map(RowWrite::state)
                .toList();
    }

    /** The newest write that has begun. */
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

    /** The begin of the newest write that every reader had to see before that; what ended before it is hidden. */
    private long newestSettled(long readBegin) {
        return newestBegin(write -> write.settled() < readBegin);
    }

    /** A session sees its own writes at once, so that each hides those of the same session before it. */
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
