package org.diffindex.verify;

import java.util.Optional;

/**
 * A repair that the server of a base row is asked for: the row's entry is missing, or an index row of it is wrong.
 * Immutable.
 */
final class RowRepair {
    private final byte[] row;
    private final Optional<byte[]> key;
    private final long stamp;

    private RowRepair(byte[] row, Optional<byte[]> key, long stamp) {
        this.row = row;
        this.key = key;
        this.stamp = stamp;
    }

    /** Returns the repair of a missing entry. */
    static RowRepair missing(byte[] row) {
        return new RowRepair(row, Optional.empty(), 0);
    }

    /** Returns the repair of a wrong entry of the row, at a key, as it was put with a stamp. */
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
