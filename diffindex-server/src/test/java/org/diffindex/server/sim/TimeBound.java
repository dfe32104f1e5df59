package org.diffindex.server.sim;

import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.SimulatedMachine;
import org.diffindex.server.sim.SimulationFailure.Kind;

/**
 * Checks the timestamps that servers choose: each write of a row moves them ahead of the clocks by which the row was
 * written by a bounded time.
 */
final class TimeBound {
    /** A put after a delete in the same batch gets a timestamp one millisecond later. */
    private static final int MOST_FOR_A_WRITE_MS = 2;

    /** How far ahead of the clock a timestamp may be that a server takes for one of another server. */
    private static final long MAX_CLOCK_SKEW_MS = 30_000;

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
            if (!SimulatedMachine.isTimeOfServer(mutation)) {
                row.latestClock = Math.max(row.latestClock, latestNear(clock, mutation));
            }
            long most = row.latestClock + (long) row.writes * MOST_FOR_A_WRITE_MS;
            if (SimulatedMachine.isTimeOfServer(mutation) && !row.isLookedAt) {
                for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
                    cells.forEach(cell -> check(cell, most));
                }
            }
        }
    }

    /** Returns the latest timestamp of a mutation by which a server may date its row, or the clock. */
    private static long latestNear(long clock, Mutation mutation) {
        return mutation.getFamilyCellMap().values().stream()
                .flatMap(List::stream)
                .mapToLong(Cell::getTimestamp)
                .filter(time -> time > clock && time <= clock + MAX_CLOCK_SKEW_MS)
                .max()
                .orElse(clock);
    }

    /** Checks a cell, unless the write was refused for now, and leaves its time to the server again. */
    private static void check(Cell cell, long most) {
        if (cell.getTimestamp() > most && cell.getTimestamp() != HConstants.LATEST_TIMESTAMP) {
            throw new SimulationFailure(Kind.TIMESTAMP, "The server dated " + cell + " ahead of " + most);
        }
    }
}
