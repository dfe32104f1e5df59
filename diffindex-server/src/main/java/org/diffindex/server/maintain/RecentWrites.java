package org.diffindex.server.maintain;

import java.util.Arrays;
import java.util.Objects;
import org.apache.hadoop.hbase.wal.WALKey;

/**
 * Counts recent writes to a region, to estimate whether the past of a row as of some write is near: whether a scanner
 * at that write's read point has few newer cells to skip. Writes that are not logged are not counted. The estimate
 * decides how a row is read; it never affects the result.
 *
 * <p>Thread-safe.
 */
public final class RecentWrites {
    private static final int KEPT = 256;

    /** Placeholder for all three arrays in a region that has not been written. */
    private static final long[] NONE = {};

    /**
     * The number of batches assumed to be in flight to the WAL at a time; if there are more, some keys are kept longer.
     */
    private static final int ON_THEIR_WAY = 32;

    /**
     * The log sequence numbers of the last {@link #KEPT} batches, a ring buffer; 0 while unknown. Guarded by this, as
     * are all fields.
     */
    private long[] sequences = NONE;

    /** The WAL keys of the batches whose sequence number is unknown; a key is too large to be kept for every batch. */
    private WALKey[] keys;

    private int[] cells;
    private int next;

    private final int fewCells;

    /**
     * Creates an empty estimate.
     *
     * @param fewCells the number of newer cells, per row to be read, that counts as few
     */
    public RecentWrites(int fewCells) {
        this.fewCells = fewCells;
    }

    /** Records a batch about to be logged under a key; logging assigns the key its sequence number. */
    public synchronized void add(WALKey key, int cellCount) {
        if (sequences == NONE) {
            sequences = new long[KEPT];
            keys = new WALKey[KEPT];
            cells = new int[KEPT];
        }
        letKeysGo();
        sequences[next] = 0;
        keys[next] = key;
        cells[next] = cellCount;
        next = (next + 1) % KEPT;
    }

    private void letKeysGo() {
        for (int back = 1; back <= ON_THEIR_WAY; back++) {
            int batch = Math.floorMod(next - back, KEPT);
            if (keys[batch] != null && keys[batch].getSequenceId() > 0) {
                sequences[batch] = keys[batch].getSequenceId();
                keys[batch] = null;
            }
        }
    }

    /**
     * Returns whether fewer cells than allowed for so many rows are known to have been written after the write of a
     * sequence number; false if the recorded batches do not tell.
     */
    synchronized boolean areFewSince(long sequence, int rows) {
        if (sequences == NONE) {
            return false;
        }
        long allowed = (long) fewCells * rows;
        long newer = 0;
        for (int back = 1; back <= KEPT && newer < allowed; back++) {
            int batch = Math.floorMod(next - back, KEPT);
            if (keys[batch] == null && sequences[batch] == 0) {
                return false;
            }
            // Until its batch is logged, a key has a negative sequence number.
            long written = keys[batch] == null ? sequences[batch] : keys[batch].getSequenceId();
            if (written > 0 && written <= sequence) {
                return true;
            }
            newer += cells[batch];
        }
        return false;
    }

    /** Returns the number of keys kept. */
    synchronized int keysKept() {
        return sequences == NONE
                ? 0
                : (int) Arrays.stream(keys).filter(Objects::nonNull).count();
    }
}
