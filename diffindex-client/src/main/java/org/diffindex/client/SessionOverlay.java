package org.diffindex.client;

import java.io.Closeable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.SessionChange;

/**
 * What a session remembers: for each index and base row what the newest of the session's own writes of the row came to
 * ("private table", paper, section 5.2). Pure; safe for use by many threads, each call being one step.
 *
 * <p>The entry that a row got is forgotten when the server shows it with its stamp or a higher one, or when the row turns
 * out to yield another entry by someone else's write. Since when the row has it is remembered until the AUQ was drained:
 * so long entries from before may be in the index, or on their way to it.
 *
 * <p>What is forgotten or replaced while views are open is kept as long as one of them sees it, and counts as long.
 */
final class SessionOverlay {
    /**
     * The memory that a change takes besides its row and key, in bytes: its objects, its places in two maps and in the lists
     * of a view; an estimate.
     */
    static final int CHANGE_OVERHEAD = 320;

    /** The memory of the smallest change, in bytes: that of a row of one byte without an entry. */
    static final long SMALLEST_CHANGE = weight(1, 0);

    /** An index of that name may be dropped, and another one created. */
    private record Index(String name, String id) {
        static Index of(SessionChange change) {
            return new Index(change.index(), change.indexId());
        }

        static Index of(IndexDefinition definition) {
            return new Index(definition.name(), definition.id());
        }
    }

    private final Map<Index, RememberedChanges> indexes = new HashMap<>();

    /** Why nothing is remembered any more; null as long as something may be. */
    private String end;

    /**
     * The changes of an index that a session remembered when it began to read; later changes do not show in it. To be
     * closed; a view that is closed shows nothing. For one thread.
     */
    final class View implements Closeable {
        private final RememberedChanges changes;
        private final QueryBounds bounds;
        private final boolean isEmpty;
        private final long moment;
        private byte[] last;
        private boolean isAtEnd;
        private boolean isOpen;

        private View(RememberedChanges changes, QueryBounds bounds) {
            this.changes = changes;
            this.bounds = bounds;
            this.isEmpty = changes.isEmpty() || bounds.isEmpty();
            this.isOpen = !isEmpty;
            this.moment = isOpen ? changes.openView() : Long.MIN_VALUE;
        }

        /** Whether it shows nothing from the beginning. */
        boolean isEmpty() {
            return isEmpty;
        }

        /**
         * The next entry that is not known to be in the index, in the order of the keys, within bounds; null at the end.
         *
         * @throws IllegalStateException if the session has ended
         */
        SessionChange next() {
            synchronized (SessionOverlay.this) {
                if (!isOpen || isAtEnd) {
                    return null;
                }
                requireNotEnded();
                SessionChange next = changes.firstEntry(last == null ? bounds.start() : last, last == null, moment);
                if (next == null || !bounds.contain(next.entry().orElseThrow())) {
                    isAtEnd = true; // what comes later, the view does not see
                    return null;
                }
                last = next.entry().orElseThrow().key();
                return next;
            }
        }

        /**
         * Whether an entry of a row with that stamp is from before the session's own write of the row.
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

    /** The memory, in bytes, that a change with a row and a key of those lengths takes. */
    static long weight(int rowLength, int keyLength) {
        return (long) CHANGE_OVERHEAD + rowLength + keyLength;
    }

    /** The memory, in bytes, that a change takes. */
    static long weight(SessionChange change) {
        return weight(
                change.row().length,
                change.entry().map(entry -> entry.key().length).orElse(0));
    }

    /** Remembers changes, in any order; of two of one row the later one stays. */
    synchronized void absorb(List<SessionChange> changes) {
        for (SessionChange change : changes) {
            indexes.computeIfAbsent(Index.of(change), index -> new RememberedChanges())
                    .add(change);
        }
    }

    /**
     * Returns the changes that are remembered of an index now; of the entries, those within bounds.
     *
     * @throws IllegalStateException if the session has ended
     */
    synchronized View within(IndexDefinition index, QueryBounds bounds) {
        requireNotEnded();
        return new View(indexes.getOrDefault(Index.of(index), new RememberedChanges()), bounds);
    }

    /** The index has the entry of a change, unless a newer change has taken its place: it need not be shown any more. */
    synchronized void forgetEntry(SessionChange change) {
        change.entry().ifPresent(entry -> forgetEntry(Index.of(change), entry.key(), change.stamp()));
    }

    /** Forgets own entries whose rows do not yield them any more; entries found on the server are ignored. */
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

    /** Forgets all but what open views see. */
    synchronized void clear() {
        indexes.values().forEach(RememberedChanges::forgetAll);
        indexes.values().removeIf(RememberedChanges::isEmpty);
    }

    /** Forgets all, and shows nothing to anyone any more; views fail from now on, and tell why. */
    synchronized void end(String why) {
        indexes.clear();
        end = why;
    }

    private void requireNotEnded() {
        if (end != null) {
            throw new IllegalStateException(end);
        }
    }

    /** The memory, in bytes, that the changes take, those too that only open views see. */
    synchronized long bytes() {
        return indexes.values().stream().mapToLong(RememberedChanges::bytes).sum();
    }

    /** The memory, in bytes, that those changes take that only open views see. */
    synchronized long pastBytes() {
        return indexes.values().stream().mapToLong(RememberedChanges::pastBytes).sum();
    }
}
