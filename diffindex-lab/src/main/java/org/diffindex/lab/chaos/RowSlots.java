package org.diffindex.lab.chaos;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The rows that a client, or a group of clients, writes. A successor replaces a row once the outcome of one of its
 * writes is uncertain, because its state is then unknown. Thread-safe.
 */
final class RowSlots {
    private final SchemeHistory history;
    private final String owner;
    private final AtomicReferenceArray<RowHistory> rows;

    /** Creates {@code count} rows, with the owner's name in their keys. */
    RowSlots(SchemeHistory history, String owner, int count) {
        this.history = history;
        this.owner = owner;
        this.rows = new AtomicReferenceArray<>(count);
        for (int slot = 0; slot < count; slot++) {
            rows.set(slot, history.row(key(slot, 0)));
        }
    }

    int count() {
        return rows.length();
    }

    RowHistory get(int slot) {
        return rows.get(slot);
    }

    /** Replaces a row by its successor; does nothing if it is not, or no longer, one of the rows. */
    void retire(RowHistory row) {
        for (int slot = 0; slot < rows.length(); slot++) {
            if (rows.get(slot) == row) {
                int generation = Integer.parseInt(row.row().substring(row.row().lastIndexOf('.') + 1));
                rows.compareAndSet(slot, row, history.row(key(slot, generation + 1)));
            }
        }
    }

    private String key(int slot, int generation) {
        int bucket = Math.floorMod(owner.hashCode() * 31 + slot * 37, ChaosTable.BUCKETS);
        return "%02d-%s-%03d.%d".formatted(bucket, owner, slot, generation);
    }
}
