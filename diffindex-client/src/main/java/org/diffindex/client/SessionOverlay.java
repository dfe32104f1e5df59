package org.diffindex.client;

import java.io.Closeable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.SessionChange;

/**
 * The changes that a session remembers: for each index and base row, the result of the newest of the session's own
 * writes of the row ("private table", paper, section 5.2). Pure; safe for use by many threads; each call is atomic.
 *
 * <p>The entry that a row got is forgotten when the server shows it with the same or a higher stamp, or when the row
 * turns out to yield another entry by another client's write. The stamp since which the row has it is remembered until
 * the AUQ was drained, because until then older entries may be in the index, or in flight to it.
 *
 * <p>A change that is forgotten or replaced while views are open is kept, and counted, for as long as one of them sees
 * it.
 */
final class SessionOverlay {
    /**
     * The memory, in bytes, that a change occupies besides its row and key: its objects and its places in two maps and
     * in a view's list. An estimate.
     */
    static final int CHANGE_OVERHEAD = 320;

    /** The memory, in bytes, of the smallest change: a row of one byte without an entry. */
    static final long SMALLEST_CHANGE = weight(1, 0);

    /** The identity of an index: its name alone may later belong to another index. */
    private record Index(String name, String id) {
        static Index of(SessionChange change) {
            return new Index(change.index(), change.indexId());
        }

        static Index of(IndexDefinition definition) {
            return new Index(definition.name(), definition.id());
        }
    }

    private final Map<Index, RememberedChanges> indexes = new HashMap<>();

    /** The message of a session that has ended; null while it is open. */
    private String end;

    /**
     * The changes of an index that a session remembered when it began to read; later changes do not show. Must be
     * closed; a closed view shows nothing. Used by one thread.
     */
    final class View implements Closeable {
        private final RememberedChanges changes;
        private final ScanDirection direction;

        /** The ranges, in the order of reading. */
        private final List<KeyRange> ranges;

        private final boolean isEmpty;
        private final long moment;

        /** The position of the range that is read. */
        private int range;

        /** The last key that was returned within it; null if there is none. */
        private byte[] last;

        private boolean isOpen;

        private View(RememberedChanges changes, QueryBounds bounds) {
            this.changes = changes;
            this.direction = bounds.direction();
            this.ranges = bounds.ranges();
            this.isEmpty = changes.isEmpty() || bounds.isEmpty();
            this.isOpen = !isEmpty;
            this.moment = isOpen ? changes.openView() : Long.MIN_VALUE;
        }

        /** Returns whether it shows nothing from the beginning. */
        boolean isEmpty() {
            return isEmpty;
        }

        /**
         * Returns the next entry, in the order of the query and within its bounds, that is not known to be in the index;
         * null at the end.
         *
         * @throws IllegalStateException if the session has ended
         */
        SessionChange next() {
            synchronized (SessionOverlay.this) {
                if (!isOpen || range == ranges.size()) {
                    return null;
                }
                requireNotEnded();
                for (; range < ranges.size(); range++) { // the view does not see later changes
                    SessionChange next = nextOf(ranges.get(range));
                    if (next != null) {
                        last = next.entry().orElseThrow().key();
                        return next;
                    }
                    last = null;
                }
                return null;
            }
        }

        /** Returns the next entry in a range; null if there is none. */
        private SessionChange nextOf(KeyRange keys) {
            SessionChange next = direction == ScanDirection.REVERSE
                    ? changes.lastEntryBefore(last == null ? keys.stop() : last, moment)
                    : changes.firstEntry(last == null ? keys.start() : last, last == null, moment);
            return next != null && keys.contains(next.entry().orElseThrow().key()) ? next : null;
        }

        /** Returns the order of the entries. */
        ScanDirection direction() {
            return direction;
        }

        /**
         * Returns whether an entry of a row with that stamp is older than the session's own write of the row.
         *
         * @throws IllegalStateException if the session has ended
         */
        boolean isPast(byte[] row, long stamp) {
            synchronized (SessionOverlay.this) {
                if (!isOpen) {
                    return false;
                }
                requireNotEnded();
                SessionChange change = changes.ofRow(row, moment);
                return change != null && stamp < change.since();
            }
        }

        @Override
        public void close() {
            synchronized (SessionOverlay.this) {
                if (isOpen) {
                    isOpen = false;
                    changes.closeView(moment);
                }
            }
        }
    }

    /** Returns the memory, in bytes, of a change whose row and key have these lengths. */
    static long weight(int rowLength, int keyLength) {
        return (long) CHANGE_OVERHEAD + rowLength + keyLength;
    }

    /** Returns the memory, in bytes, of a change. */
    static long weight(SessionChange change) {
        return weight(
                change.row().length,
                change.entry().map(entry -> entry.key().length).orElse(0));
    }

    /** Remembers changes, in any order; of two changes of one row the later one is kept. */
    synchronized void absorb(List<SessionChange> changes) {
        for (SessionChange change : changes) {
            indexes.computeIfAbsent(Index.of(change), index -> new RememberedChanges())
                    .add(change);
        }
    }

    /**
     * Returns the present changes of an index; their entries are limited to the bounds.
     *
     * @throws IllegalStateException if the session has ended
     */
    synchronized View within(IndexDefinition index, QueryBounds bounds) {
        requireNotEnded();
        return new View(indexes.getOrDefault(Index.of(index), new RememberedChanges()), bounds);
    }

    /** Forgets the entry of a change, which the index has; a newer change of the row is kept. */
    synchronized void forgetEntry(SessionChange change) {
        change.entry().ifPresent(entry -> forgetEntry(Index.of(change), entry.key(), change.stamp()));
    }

    /** Forgets own entries that their rows do not yield any more; ignores entries read from the index table. */
    synchronized void forgetOwn(IndexDefinition index, List<FoundEntry> entries) {
        for (FoundEntry found : entries) {
            if (found.own()) {
                forgetEntry(Index.of(index), found.key(), found.stamp());
            }
        }
    }

    private void forgetEntry(Index index, byte[] key, long stamp) {
        RememberedChanges changes = indexes.get(index);
        if (changes != null) {
            changes.forgetEntry(key, stamp);
        }
    }

    /** Forgets all changes except those that open views see. */
    synchronized void clear() {
        indexes.values().forEach(RememberedChanges::forgetAll);
        indexes.values().removeIf(RememberedChanges::isEmpty);
    }

    /** Forgets all changes; from now on views fail with this message. */
    synchronized void end(String why) {
        indexes.clear();
        end = why;
    }

    private void requireNotEnded() {
        if (end != null) {
            throw new IllegalStateException(end);
        }
    }

    /** Returns the names of the indexes of which changes are remembered. */
    synchronized Set<String> indexes() {
        return indexes.keySet().stream().map(Index::name).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the memory, in bytes, that the changes occupy, including those that only open views see. */
    synchronized long bytes() {
        return indexes.values().stream().mapToLong(RememberedChanges::bytes).sum();
    }

    /** Returns the memory, in bytes, that the changes occupy that only open views see. */
    synchronized long pastBytes() {
        return indexes.values().stream().mapToLong(RememberedChanges::pastBytes).sum();
    }
}
