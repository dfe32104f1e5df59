package org.diffindex.client;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.SessionChange;

/**
 * The changes that a session remembers of one index: those that are current, and those that an open view still sees. A
 * change that a later one replaces is kept for exactly as long as an open view sees it. Not safe for use by many
 * threads.
 *
 * <p>Nothing is copied. Each change is valid for a span of moments, and a view sees the changes whose spans contain its
 * own moment. A change that ends is handed to the newest view that sees it; when that view closes, to the next older
 * one that sees it; if there is none, it is dropped.
 */
final class RememberedChanges {
    /** A change, and the span of moments in which it is seen: from the first, inclusive, to the last, exclusive. */
    private static final class Remembered {
        private final SessionChange change;
        private final long from;
        private long until = Long.MAX_VALUE;

        /** The moment until which the entry is shown; not after {@link #until}. */
        private long entryUntil = Long.MAX_VALUE;

        /** The previous change of the same row, if an open view still sees it. */
        private Remembered previous;

        Remembered(SessionChange change, long from) {
            this.change = change;
            this.from = from;
        }

        boolean isPresent() {
            return until == Long.MAX_VALUE;
        }

        boolean isSeenAt(long moment) {
            return from <= moment && moment < until;
        }

        boolean showsEntryAt(long moment) {
            return from <= moment && moment < entryUntil;
        }
    }

    /** The position of an entry. A row that returns to a key while views are open has several entries at that key. */
    @SuppressWarnings("ArrayRecordComponent") // compared by its own order
    private record Place(byte[] key, long from) {
        static final Comparator<Place> ORDER =
                Comparator.comparing(Place::key, Bytes.BYTES_COMPARATOR).thenComparingLong(Place::from);
    }

    /** A change that has ended, or whose entry has ended, and that an open view sees. */
    private record Kept(Remembered past, boolean isEntryOnly) {}

    /** The newest change of each row. */
    private final TreeMap<byte[], Remembered> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    private final TreeMap<Place, Remembered> entries = new TreeMap<>(Place.ORDER);

    /**
     * By the moment of each open view: the changes kept for that view, and perhaps for older ones, but not for newer
     * ones.
     */
    private final TreeMap<Long, List<Kept>> views = new TreeMap<>();

    private long now;

    /** Invariant: the sum of {@link SessionOverlay#weight} over all changes in {@link #rows} and their predecessors. */
    private long bytes;

    /** Invariant: the part of {@link #bytes} that belongs to changes that have ended. */
    private long pastBytes;

    /** Returns the memory, in bytes, that all changes occupy. */
    long bytes() {
        return bytes;
    }

    /** Returns the memory, in bytes, that the changes kept only for open views occupy. */
    long pastBytes() {
        return pastBytes;
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Remembers a change, unless a later one of the same row is remembered. */
    void add(SessionChange change) {
        Remembered newest = rows.get(change.row());
        if (newest != null && newest.isPresent()) {
            if (newest.change.since() >= change.since()) {
                return;
            }
            end(newest);
        }
        Remembered added = new Remembered(change, now);
        added.previous = rows.remove(change.row()); // also removes the key, an array of the previous change
        rows.put(change.row(), added);
        change.entry().ifPresent(entry -> entries.put(new Place(entry.key(), now), added));
        bytes += SessionOverlay.weight(change);
    }

    /** Hides the entry at a key from later views, if it has the given stamp. */
    void forgetEntry(byte[] key, long stamp) {
        Map.Entry<Place, Remembered> last = entries.floorEntry(new Place(key, Long.MAX_VALUE));
        if (last != null && Bytes.equals(last.getKey().key(), key)) {
            Remembered remembered = last.getValue();
            if (remembered.entryUntil == Long.MAX_VALUE && remembered.change.stamp() == stamp) {
                remembered.entryUntil = now;
                keepOrDrop(new Kept(remembered, true), views.lastEntry());
            }
        }
    }

    /** Hides all present changes from later views. */
    void forgetAll() {
        if (views.isEmpty()) {
            dropAll();
        } else {
            List<Remembered> newest = new ArrayList<>(rows.values());
            newest.stream().filter(Remembered::isPresent).forEach(this::end);
        }
    }

    private void dropAll() {
        rows.clear();
        entries.clear();
        bytes = 0;
        pastBytes = 0;
    }

    /** Opens a view of the present changes; returns its moment. */
    long openView() {
        views.put(now, new ArrayList<>());
        return now++;
    }

    /** Closes a view and drops the changes that were kept for it alone. */
    void closeView(long moment) {
        List<Kept> unseen = views.remove(moment);
        if (views.isEmpty() && pastBytes == bytes) {
            dropAll();
            return;
        }
        Map.Entry<Long, List<Kept>> older = views.lowerEntry(moment);
        unseen.forEach(kept -> keepOrDrop(kept, older));
    }

    /** Returns the change of a row that a view sees; null if there is none. */
    SessionChange ofRow(byte[] row, long moment) {
        Remembered seen = rows.get(row);
        while (seen != null && seen.from > moment) {
            seen = seen.previous;
        }
        return seen != null && seen.isSeenAt(moment) ? seen.change : null;
    }

    /**
     * Returns the first change whose entry a view sees at or, unless inclusive, after that key; null if there is none.
     */
    SessionChange firstEntry(byte[] key, boolean inclusive, long moment) {
        Place before = new Place(key, inclusive ? Long.MIN_VALUE : Long.MAX_VALUE);
        for (Remembered remembered : entries.tailMap(before, false).values()) {
            if (remembered.showsEntryAt(moment)) {
                return remembered.change;
            }
        }
        return null;
    }

    /**
     * Returns the last change whose entry a view sees before a key, or of all if the key is empty; null if there is none.
     */
    SessionChange lastEntryBefore(byte[] key, long moment) {
        NavigableMap<Place, Remembered> before =
                key.length == 0 ? entries : entries.headMap(new Place(key, Long.MIN_VALUE), false);
        for (Remembered remembered : before.descendingMap().values()) {
            if (remembered.showsEntryAt(moment)) {
                return remembered.change;
            }
        }
        return null;
    }

    private void end(Remembered remembered) {
        remembered.until = now;
        remembered.entryUntil = Math.min(remembered.entryUntil, now);
        pastBytes += SessionOverlay.weight(remembered.change);
        keepOrDrop(new Kept(remembered, false), views.lastEntry());
    }

    /** Keeps a change for a view that sees it, or drops it: if this view does not see it, no older one does. */
    private void keepOrDrop(Kept kept, Map.Entry<Long, List<Kept>> view) {
        if (view != null && kept.past.from <= view.getKey()) {
            view.getValue().add(kept);
            return;
        }
        SessionChange change = kept.past.change;
        change.entry().ifPresent(entry -> entries.remove(new Place(entry.key(), kept.past.from)));
        if (!kept.isEntryOnly) {
            bytes -= SessionOverlay.weight(change);
            pastBytes -= SessionOverlay.weight(change);
            unlink(kept.past);
        }
    }

    private void unlink(Remembered dropped) {
        Remembered newest = rows.get(dropped.change.row());
        if (newest != dropped) {
            Remembered later = newest;
            while (later.previous != dropped) {
                later = later.previous;
            }
            later.previous = dropped.previous;
            return;
        }
        rows.remove(dropped.change.row());
        if (dropped.previous != null) {
            rows.put(dropped.previous.change.row(), dropped.previous);
        }
    }
}
