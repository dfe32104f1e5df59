package org.diffindex.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.diffindex.model.IndexEntry;

/**
 * The present entries of rows whose old entries a scan has skipped because it is to meet the present ones further on.
 * It may not meet them: the row may move once more, or the scan may have opened the region before the entry was put
 * there.
 *
 * <p>Used by the one thread, for the one scan, of a scanner.
 */
final class ExpectedEntries {
    /** In the order in which the scan comes to them. */
    private final TreeMap<byte[], IndexEntry> byKey;

    private final Map<ByteBuffer, IndexEntry> byRow = new HashMap<>();

    /** The size of the rows and of the keys of their entries. */
    private long bytes;

    /** Creates an instance without entries, for a scan in a direction. */
    ExpectedEntries(ScanDirection direction) {
        this.byKey = new TreeMap<>(direction.order());
    }

    /**
     * Records that the scan is to meet the row at this entry, instead of the one expected before. Remembers no more
     * than {@link RememberedRows#MOST} rows, or {@link RememberedRows#MOST_BYTES}.
     */
    void expect(ByteBuffer row, IndexEntry present) {
        boolean hasRoom = byRow.size() < RememberedRows.MOST && bytes < RememberedRows.MOST_BYTES;
        if (hasRoom || byRow.containsKey(row)) {
            forget(row);
            bytes += row.remaining() + present.key().length;
            IndexEntry expected = present.withoutIncluded(); // its row is looked up before it is returned
            byRow.put(row, expected);
            byKey.put(expected.key(), expected);
        }
    }

    /** Records that the row was judged when the scan met it at this key, or passed the key. */
    void judged(ByteBuffer row, byte[] key) {
        IndexEntry entry = byRow.isEmpty() ? null : byRow.get(row); // hashing the row would cost more
        if (entry != null && Arrays.equals(entry.key(), key)) {
            forget(row);
        }
    }

    /** Returns whether an entry of the row is expected. */
    boolean contains(ByteBuffer row) {
        return byRow.containsKey(row);
    }

    void forget(ByteBuffer row) {
        IndexEntry entry = byRow.isEmpty() ? null : byRow.remove(row);
        if (entry != null) {
            bytes -= row.remaining() + entry.key().length;
            byKey.remove(entry.key());
        }
    }

    /**
     * Returns the expected entries that the scan has passed and not met.
     *
     * @param position the last key that the scan has met; {@link ScanView#END} if it is over
     * @param met the entries that it has met since the last call
     */
    List<IndexEntry> overdue(byte[] position, List<FoundEntry> met) {
        NavigableMap<byte[], IndexEntry> passed = position.length == 0 ? byKey : byKey.headMap(position, true);
        if (passed.isEmpty()) {
            return List.of();
        }
        Set<ByteBuffer> keys = new HashSet<>();
        met.forEach(found -> keys.add(ByteBuffer.wrap(found.key())));
        List<IndexEntry> overdue = new ArrayList<>(passed.values());
        overdue.removeIf(entry -> keys.contains(ByteBuffer.wrap(entry.key())));
        return overdue;
    }
}
