package org.diffindex.client;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.SessionChange;

/**
 * What a session remembers: for each index and entry key the newest change that the session's own writes made ("private
 * table", paper, section 5.2). Pure; safe for use by many threads, each call being one step.
 *
 * <p>A change is forgotten when the server shows an entry at the key with the change's stamp or a higher one, when an
 * entry's row turns out to yield another entry by someone else's write, or when the AUQ was drained. Until then it stays,
 * even if the server does not show a deleted entry: an older write's entry may still be on its way.
 */
final class SessionOverlay {
    /** What a change takes besides its key: its objects, the index's name, and its place in the tree; an estimate. */
    static final int CHANGE_OVERHEAD = 192;

    private final Map<String, TreeMap<byte[], SessionChange>> changes = new HashMap<>();

    /** Invariant: the sum of {@link #weight} over all changes. */
    private long bytes;

    /** The memory, in bytes, that a change with a key of that length takes. */
    static long weight(int keyLength) {
        return (long) CHANGE_OVERHEAD + keyLength;
    }

    /** Remembers changes; of two of one key, that with the higher stamp stays, or, at the same stamp, the deletion. */
    synchronized void absorb(List<SessionChange> newChanges) {
        for (SessionChange change : newChanges) {
            TreeMap<byte[], SessionChange> ofIndex =
                    changes.computeIfAbsent(change.index(), name -> new TreeMap<>(Bytes.BYTES_COMPARATOR));
            SessionChange before = ofIndex.get(change.entry().key());
            if (before == null) {
                bytes += weight(change.entry().key().length);
                ofIndex.put(change.entry().key(), change);
            } else if (supersedes(change, before)) {
                ofIndex.put(before.entry().key(), change);
            }
        }
    }

    private static boolean supersedes(SessionChange change, SessionChange before) {
        return change.stamp() > before.stamp() || (change.stamp() == before.stamp() && !change.isInsert());
    }

    /** The changes of an index within bounds, as they are now; later changes do not show in it. */
    synchronized NavigableMap<byte[], SessionChange> within(String index, QueryBounds bounds) {
        TreeMap<byte[], SessionChange> ofIndex = changes.get(index);
        if (ofIndex == null || bounds.isEmpty()) {
            return Collections.emptyNavigableMap();
        }
        NavigableMap<byte[], SessionChange> tail = ofIndex.tailMap(bounds.start(), true);
        return new TreeMap<>(bounds.stop().length == 0 ? tail : tail.headMap(bounds.stop(), false));
    }

    /** Forgets a change, unless a newer one has taken its place. */
    synchronized void forget(SessionChange change) {
        forget(change.index(), change.entry().key(), change.isInsert(), change.stamp());
    }

    /** Forgets the puts of own entries whose rows do not yield them any more; entries found on the server are ignored. */
    synchronized void forgetOwn(String index, List<FoundEntry> entries) {
        for (FoundEntry found : entries) {
            if (found.own()) {
                forget(index, found.key(), true, found.stamp());
            }
        }
    }

    private void forget(String index, byte[] key, boolean insert, long stamp) {
        TreeMap<byte[], SessionChange> ofIndex = changes.get(index);
        SessionChange change = ofIndex == null ? null : ofIndex.get(key);
        if (change != null && change.stamp() == stamp && change.isInsert() == insert) {
            ofIndex.remove(key);
            bytes -= weight(key.length);
        }
    }

    /** Forgets all. */
    synchronized void clear() {
        changes.clear();
        bytes = 0;
    }

    /** The memory, in bytes, that the changes take. */
    synchronized long bytes() {
        return bytes;
    }
}
