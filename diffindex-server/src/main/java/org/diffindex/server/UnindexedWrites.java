package org.diffindex.server;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.server.maintain.RowClock;

/**
 * Dates the writes that concern no index where HBase's own date would break the order of the row: if earlier writes of
 * the row, among them those that concern an index, have later timestamps, or a delete has the same. Such writes take no
 * stamp and no lock, and are not part of any index update.
 *
 * <p>Thread-safe; has no mutable state of its own.
 */
final class UnindexedWrites {
    private final RowClock clock;
    private final RowWrites.Times times;

    /**
     * Creates the dates of a region.
     *
     * @param clock the clock that gives the stamps of the region's rows
     * @param times returns the timestamps at which puts are visible while the clock is behind
     */
    UnindexedWrites(RowClock clock, RowWrites.Times times) {
        this.clock = clock;
        this.times = times;
    }

    /**
     * Dates those cells of puts and deletes whose time the server chooses, after HBase has filled it in.
     *
     * @param writes the writes of a batch, in its order; all of their rows
     * @param refusal refuses the writes of a row that put what another write of the same moment has deleted, if the row
     *     is dated too far ahead of the clock already
     */
    void date(List<Mutation> writes, MiniBatch.Refusal refusal) throws IOException {
        Map<ImmutableBytesWritable, RowWrites> rows = new LinkedHashMap<>(0);
        for (Mutation write : writes) {
            if (!isInOrder(write)) {
                rows.computeIfAbsent(new ImmutableBytesWritable(write.getRow()), RowWrites::new);
            }
        }
        for (int i = 0; !rows.isEmpty() && i < writes.size(); i++) {
            RowWrites ofRow = rows.get(new ImmutableBytesWritable(writes.get(i).getRow()));
            if (ofRow != null) {
                ofRow.add(writes.get(i));
            }
        }
        for (RowWrites ofRow : rows.values()) {
            try {
                ofRow.date(clock, times);
            } catch (RegionTooBusyException e) {
                refusal.of(ofRow.mutations(), e);
            }
        }
    }

    /** Returns whether a write may keep the time that HBase gave it. A delete may not: later puts must know of it. */
    private boolean isInOrder(Mutation write) {
        if (ServerTime.deletes(write)) {
            return false;
        }
        Cell first = ServerTime.firstCell(write);
        if (first == null) {
            return true;
        }
        ImmutableBytesWritable row = new ImmutableBytesWritable(write.getRow());
        long time = first.getTimestamp();
        boolean isInOrder = clock.follows(row, time);
        if (isInOrder) {
            clock.continued(row, time);
        }
        return isInOrder;
    }

    /**
     * Dates the results of an increment or append, to which HBase gave the time of the batch or one just after that of
     * the previous cell.
     *
     * @throws RegionTooBusyException if the column was deleted at the same moment, and the row is dated too far ahead of
     *     the clock already
     */
    void dateResults(Mutation delta, List<Cell> results) throws IOException {
        ImmutableBytesWritable row = new ImmutableBytesWritable(delta.getRow());
        for (Cell result : results) {
            if (!ServerTime.isGivenToDelta(delta, result)) {
                if (!clock.follows(row, result.getTimestamp())) {
                    RowWrites.setTimestamp(result, Math.max(timeAfter(row, result), result.getTimestamp()));
                }
                clock.continued(row, result.getTimestamp());
            }
        }
    }

    private long timeAfter(ImmutableBytesWritable row, Cell result) throws IOException {
        RowClock.Stamp stamp = clock.timeAfter(row, 1, true, false);
        return stamp.isTimestamp()
                ? stamp.first()
                : times.earliest(row.copyBytes(), Set.of(CellUtil.cloneFamily(result)), stamp.clock(), stamp.first());
    }
}
