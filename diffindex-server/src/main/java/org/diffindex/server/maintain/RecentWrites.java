package org.diffindex.server.maintain;

import java.util.Arrays;
import java.util.Objects;
import org.apache.hadoop.hbase.wal.WALKey;

/**
 * How much was written to a region lately: whether the past of a row as of some write is near, so that a scanner at that
 * write's read point has few newer cells to pass over. An estimate: what is not logged is not counted. It decides how a row is
 * read, never what is read.
 *
 * <p>Safe for use by many threads.
 */
public final class RecentWrites {
    private static final int KEPT = 256;

    /** In place of all three arrays, in a region that was not written. */
    private static final long[] NONE = {};

    /** So many batches may be on their way to the WAL at a time; of more, the keys of some are kept longer. */
    private static final int ON_THEIR_WAY = 32;

    /**
     * The sequence numbers of the last batches, each at the place of the one {@link #KEPT} batches before it; 0 while it is not
     * known. Guarded by this, as all fields are.
     */
    private long[] sequences = NONE;

    /** The keys of those whose sequence number is not known; a key is too large to be kept for all. */
    private WALKey[] keys;

    private int[] cells;
    private int next;

    private final int fewCells;

    /**
     * Nothing is written yet.
     *
     * @param fewCells how many newer cells, for each row to be read, are still few
     */
    public RecentWrites(int fewCells) {
        this.fewCells = fewCells;
    }

    /** A batch is about to be logged under a key, which is given its sequence number then. */
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

    /** Whether few cells are known to have been written after the write of a sequence number, for so many rows to be read. */
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
            // Of a batch that is not logged yet the key has none, which is less than 0.
            long written = keys[batch] == null ? sequences[batch] : keys[batch].getSequenceId();
            if (written > 0 && written <= sequence) {
                return true;
            }
            newer += cells[batch];
        }
        return false;
    }

    /** How many keys are kept. */
    synchronized int keysKept() {
        return sequences == NONE
                ? 0
                : (int) Arrays.stream(keys).filter(Objects::nonNull).count();
    }
}
