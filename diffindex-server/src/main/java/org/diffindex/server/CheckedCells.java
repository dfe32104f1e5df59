package org.diffindex.server;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * The cells of a batch's writes, and their timestamps, as they were when the writes were checked and stamped. HBase logs
 * and applies the writes' own maps of cells, so a coprocessor whose {@code preBatchMutate} comes later may add, replace,
 * remove or date cells in place. Confined to the thread that runs the batch.
 */
final class CheckedCells {
    private final List<Mutation> writes;
    private final Cell[] cells;
    private final long[] timestamps;

    /** Records the cells of some writes; the list of writes must not change. */
    CheckedCells(List<Mutation> writes) {
        this.writes = writes;
        int size = writes.stream().mapToInt(Mutation::size).sum();
        cells = new Cell[size];
        timestamps = new long[size];
        int at = 0;
        for (Mutation write : writes) {
            for (List<Cell> ofFamily : write.getFamilyCellMap().values()) {
                for (Cell cell : ofFamily) {
                    cells[at] = cell;
                    timestamps[at++] = cell.getTimestamp();
                }
            }
        }
    }

    /**
     * Returns whether the writes contain other cells by now, or other timestamps.
     *
     * @param additions the writes that coprocessors added to the batch, whose cells HBase has added to its writes
     */
    boolean haveChanged(Stream<Mutation> additions) {
        Set<Cell> added = Collections.newSetFromMap(new IdentityHashMap<>(0));
        additions.forEach(addition -> addition.getFamilyCellMap().values().forEach(added::addAll));
        int at = 0;
        for (Mutation write : writes) {
            for (List<Cell> ofFamily : write.getFamilyCellMap().values()) {
                for (Cell cell : ofFamily) {
                    if (isChecked(at, cell)) {
                        at++;
                    } else if (!added.contains(cell)) {
                        return true;
                    }
                }
            }
        }
        return at < cells.length;
    }

    private boolean isChecked(int at, Cell cell) {
        return at < cells.length && cells[at] == cell && timestamps[at] == cell.getTimestamp();
    }
}
