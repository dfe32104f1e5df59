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
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;

/**
 * The present entries of rows of which a scan has passed an old entry over, because it is to meet the present one further on. It
 * may not meet it all the same: the row may move once more, or the scan may have opened the region already, earlier than the
 * entry came there.
 *
 * <p>For the one thread, and the one scan, of a scanner.
 */
final class ExpectedEntries {
    private final int most;
    private final TreeMap<byte[], IndexEntry> byKey = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    private final Map<ByteBuffer, IndexEntry> byRow = new HashMap<>();

    /** None yet. Of more rows than {@code most} it remembers none. */
    ExpectedEntries(int most) {
        this.most = most;
    }

    /** The scan is to meet the row at this entry, and no longer at the one that was expected of the row before. */
    void expect(ByteBuffer row, IndexEntry present) {
        if (byRow.size() < most || byRow.containsKey(row)) {
            forget(row);
            byRow.put(row, present);
            byKey.put(present.key(), present);
        }
    }

    /** The scan has met the row at a key, or passed it by there, and the row was judged. */
    void judged(ByteBuffer row, byte[] key) {
        IndexEntry entry = byRow.get(row);
        if (entry != null && Arrays.equals(entry.key(), key)) {
            forget(row);
        }
    }

    /** Whether an entry of the row is expected. */
    boolean contains(ByteBuffer row) {
        return byRow.containsKey(row);
    }

    void forget(ByteBuffer row) {
        IndexEntry entry = byRow.remove(row);
        if (entry != null) {
            byKey.remove(entry.key());
        }
    }

    /**
     * Those that the scan has passed by and not met.
     *
     * @param position the last key that the scan has met; {@link ScanView#END} if it is over
     * @param met what it has met since the last time that it was asked
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
