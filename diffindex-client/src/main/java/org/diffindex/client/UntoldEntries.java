package org.diffindex.client;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The entries that the scans of a query have met before a server has told a read point, limited in number and size for all of
 * its scans together.
 *
 * <p>Used by the one thread, for the one query, of a scanner.
 */
final class UntoldEntries {
    private final int most;
    private final Map<ByteBuffer, FoundEntry> byKey = new HashMap<>();
    private long bytes;

    /** Creates an instance that remembers {@link RememberedRows#MOST} entries. */
    UntoldEntries() {
        this(RememberedRows.MOST);
    }

    /** Creates an instance that remembers only that many entries. */
    UntoldEntries(int most) {
        this.most = most;
    }

    /** Remembers an entry; returns false if there is no room for it. */
    boolean add(FoundEntry found) {
        if (byKey.size() >= most || bytes >= RememberedRows.MOST_BYTES) {
            return false;
        }
        byKey.put(ByteBuffer.wrap(found.key()), found);
        bytes += found.key().length;
        return true;
    }

    /** Returns the entry of a key; null if none is remembered. */
    FoundEntry of(byte[] key) {
        return byKey.isEmpty() ? null : byKey.get(ByteBuffer.wrap(key));
    }
}
