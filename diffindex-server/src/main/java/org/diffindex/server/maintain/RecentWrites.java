package org.diffindex.server.maintain;

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

    /** The last batches, each at the place of the one {@link #KEPT} batches before it. Guarded by this, as all fields are. */
    private final WALKey[] keys = new WALKey[KEPT];

    private final int[] cells = new int[KEPT];
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
        keys[next] = key;
        cells[next] = cellCount;
        next = (next + 1) % KEPT;
    }

    /** Whether few cells are known to have been written after the write of a sequence number, for so many rows to be read. */
    synchronized boolean areFewSince(long sequence, int rows) {
        long allowed = (long) fewCells * rows;
        long newer = 0;
        for (int back = 1; back <= KEPT && newer < allowed; back++) {
            int batch = Math.floorMod(next - back, KEPT);
            if (keys[batch] == null) {
                return false;
            }
            long written = keys[batch].getSequenceId(); // of a batch that is not logged yet none, which is less than 0
            if (written > 0 && written <= sequence) {
                return true;
            }
            newer += cells[batch];
        }
        return false;
    }
}
