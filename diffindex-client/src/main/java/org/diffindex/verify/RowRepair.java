package org.diffindex.verify;

import java.util.Optional;

/** What the server of a base row is asked to put right: its entry is missing, or an index row of it is wrong. Immutable. */
final class RowRepair {
    private final byte[] row;
    private final Optional<byte[]> key;
    private final long stamp;

    private RowRepair(byte[] row, Optional<byte[]> key, long stamp) {
        this.row = row;
        this.key = key;
        this.stamp = stamp;
    }

    /** The row's entry is missing. */
    static RowRepair missing(byte[] row) {
        return new RowRepair(row, Optional.empty(), 0);
    }

    /** The entry of the row at a key is wrong, as it was put at a stamp. */
    static RowRepair wrong(byte[] row, byte[] key, long stamp) {
        return new RowRepair(row, Optional.of(key), stamp);
    }

    byte[] row() {
        return row;
    }

    Optional<byte[]> key() {
        return key;
    }

    long stamp() {
        return stamp;
    }
}
