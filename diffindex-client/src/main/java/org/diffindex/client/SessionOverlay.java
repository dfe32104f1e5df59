package org.diffindex.client;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.SessionChange;

/**
 * What a session remembers: for each index and base row what the newest of the session's own writes of the row came to
 * ("private table", paper, section 5.2). Pure; safe for use by many threads, each call being one step.
 *
 * <p>The entry that a row got is forgotten when the server shows it with its stamp or a higher one, or when the row turns
 * out to yield another entry by someone else's write. Since when the row has it is remembered until the AUQ was drained:
 * so long entries from before may be in the index, or on their way to it.
 */
final class SessionOverlay {
    /** What a change takes besides its row and key: its objects, the index's name, its place in two maps; an estimate. */
    static final int CHANGE_OVERHEAD = 256;

    private final Map<String, OfIndex> indexes = new HashMap<>();

    /** Invariant: the sum of {@link #weight} over all changes. */
    private long bytes;

    /** What is remembered of one index. What a view of it holds is copied before it is changed. */
    private static final class OfIndex {
        private Map<ByteBuffer, SessionChange> rows = new HashMap<>();
        private TreeMap<byte[], SessionChange> entries = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        private boolean isShared;

        void unshare() {
            if (isShared) {
                rows = new HashMap<>(rows);
                entries = new TreeMap<>(entries);
                isShared = false;
            }
        }
    }

    /** What a session remembered of an index when it began to read; later changes do not show in it. */
    static final class View {
        static final View NOTHING = new View(Map.of(), Collections.emptyNavigableMap());

        private final Map<ByteBuffer, SessionChange> rows;
        private final NavigableMap<byte[], SessionChange> entries;

        private View(Map<ByteBuffer, SessionChange> rows, NavigableMap<byte[], SessionChange> entries) {
            this.rows = rows;
            this.entries = entries;
        }

        boolean isEmpty() {
            return rows.isEmpty();
        }

        /** The entries that are not known to be in the index, within the bounds of the view, by their keys. */
        NavigableMap<byte[], SessionChange> entries() {
            return entries;
        }

        /** Whether an entry of a row with that stamp is from before the session's own write of the row. */
        boolean isPast(byte[] row, long stamp) {
            SessionChange change = rows.get(ByteBuffer.wrap(row));
            return change != null && stamp < change.since();
        }
    }

    /** The memory, in bytes, that a change with a row and a key of those lengths takes. */
    static long weight(int rowLength, int keyLength) {
        return (long) CHANGE_OVERHEAD + rowLength + keyLength;
    }

    private static long weight(SessionChange change) {
        return weight(
                change.row().length,
                change.entry().map(entry -> entry.key().length).orElse(0));
    }

    /** Remembers changes, in any order; of two of one row the later one stays. */
    synchronized void absorb(List<SessionChange> changes) {
        for (SessionChange change : changes) {
            OfIndex of = indexes.computeIfAbsent(change.index(), name -> new OfIndex());
            ByteBuffer row = ByteBuffer.wrap(change.row());
            SessionChange before = of.rows.get(row);
            if (before == null || before.since() < change.since()) {
                of.unshare();
                if (before != null) {
                    bytes -= weight(before);
                    before.entry().ifPresent(entry -> of.entries.remove(entry.key(), before));
                }
                bytes += weight(change);
                of.rows.put(row, change);
                change.entry().ifPresent(entry -> of.entries.put(entry.key(), change));
            }
        }
    }

    /** What is remembered of an index now; of the entries, those within bounds. */
    synchronized View within(String index, QueryBounds bounds) {
        OfIndex of = indexes.get(index);
        if (of == null || bounds.isEmpty()) {
            return View.NOTHING;
        }
        of.isShared = true;
        NavigableMap<byte[], SessionChange> tail = of.entries.tailMap(bounds.start(), true);
        return new View(of.rows, bounds.stop().length == 0 ? tail : tail.headMap(bounds.stop(), false));
    }

    /** The index has the entry of a change, unless a newer change has taken its place: it need not be shown any more. */
    synchronized void forgetEntry(SessionChange change) {
        change.entry().ifPresent(entry -> forgetEntry(change.index(), entry.key(), change.stamp()));
    }

    /** Forgets own entries whose rows do not yield them any more; entries found on the server are ignored. */
    synchronized void forgetOwn(String index, List<FoundEntry> entries) {
        for (FoundEntry found : entries) {
            if (found.own()) {
                forgetEntry(index, found.key(), found.stamp());
            }
        }
    }

    private void forgetEntry(String index, byte[] key, long stamp) {
        OfIndex of = indexes.get(index);
        SessionChange change = of == null ? null : of.entries.get(key);
        if (change != null && change.stamp() == stamp) {
            of.unshare();
            of.entries.remove(key);
        }
    }

    /** Forgets all. */
    synchronized void clear() {
        indexes.clear();
        bytes = 0;
    }

    /** The memory, in bytes, that the changes take. */
    synchronized long bytes() {
        return bytes;
    }
}
