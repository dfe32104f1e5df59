package org.diffindex.client;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/** Rows that a scan remembers, limited in number and size. Used by the one thread, for the one scan, of a scanner. */
final class RememberedRows {
    /** The most rows, or entries, that a scan remembers for one purpose. */
    static final int MOST = 50_000;

    /** The most bytes of the rows, or of rows and keys, that it remembers for one purpose, but for the last one. */
    static final long MOST_BYTES = 16 << 20;

    private final Set<ByteBuffer> rows = new HashSet<>();
    private long bytes;

    /** Remembers a row; returns whether it is remembered. */
    boolean add(ByteBuffer row) {
        if (rows.size() >= MOST || bytes >= MOST_BYTES) {
            return rows.contains(row);
        }
        if (rows.add(row)) {
            bytes += row.remaining();
        }
        return true;
    }

    boolean contains(ByteBuffer row) {
        return rows.contains(row);
    }

    void remove(ByteBuffer row) {
        if (!rows.isEmpty() && rows.remove(row)) { // hashing the row would cost more
            bytes -= row.remaining();
        }
    }
}
