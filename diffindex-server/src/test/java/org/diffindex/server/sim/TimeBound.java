package org.diffindex.server.sim;

import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.SimulatedMachine;

/**
 * Checks the timestamps that servers choose: each write of a row moves them ahead of the clocks by which the row was
 * written by a bounded time.
 */
final class TimeBound {
    /** A put after a delete in the same batch gets a timestamp one millisecond later. */
    private static final int MOST_FOR_A_WRITE_MS = 2;

    private static final class Row {
        private long latestClock = Long.MIN_VALUE;
        private int writes;
        private boolean isLookedAt;
    }

    private final TreeMap<String, Row> rows = new TreeMap<>();

    /** Stops checking a row, because a clean-up or a repair is about to take stamps of it by a clock that is unknown here. */
    void isLookedAt(String row) {
        rows.computeIfAbsent(row, name -> new Row()).isLookedAt = true;
    }

    /** Checks the timestamps of a batch that is written under a clock. */
    void stamped(Iterable<Mutation> batch, long clock) {
        for (Mutation mutation : batch) {
            Row row = rows.computeIfAbsent(Bytes.toString(mutation.getRow()), name -> new Row());
            row.latestClock = Math.max(row.latestClock, clock);
            row.writes++;
            long most = row.latestClock + (long) row.writes * MOST_FOR_A_WRITE_MS;
            if (SimulatedMachine.isTimeOfServer(mutation) && !row.isLookedAt) {
                for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
                    cells.forEach(cell -> check(cell, most));
                }
            }
        }
    }

    private static void check(Cell cell, long most) {
        if (cell.getTimestamp() > most) {
            throw new SimulationFailure("The server dated " + cell + " ahead of " + most);
        }
    }
}
