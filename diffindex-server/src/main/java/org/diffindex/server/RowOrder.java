package org.diffindex.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;

/**
 * Orders the writes of each row of a region: a write acquires the lock of its row and then its stamp, which is later
 * than all earlier stamps of the row. Repairs and other direct writes of index entries are part of the same order.
 * Writes that concern no index are only dated in that order.
 *
 * <p>Thread-safe. Row locks are acquired after HBase's own row locks.
 */
final class RowOrder {
    /** How long a write waits for its rows if its thread holds rows of another write, for which others may wait. */
    private static final Duration LONGEST_NESTED_WAIT = Duration.ofSeconds(5);

    private final RowLocks locks;
    private final RowClock clock;
    private final UncertainWrites uncertain;

    /** The timestamps at which puts are visible even if a replay restores uncertain writes. */
    private final RowWrites.Times times;

    private final UnindexedWrites unindexed;
    private final Duration longestWait;

    /**
     * Creates an order without writes.
     *
     * @param times returns the timestamps at which puts of the region are visible
     * @param longestWait how long a write waits for other writes of its rows
     */
    RowOrder(RowLocks locks, RowClock clock, UncertainWrites uncertain, RowWrites.Times times, Duration longestWait) {
        this.locks = locks;
        this.clock = clock;
        this.uncertain = uncertain;
        this.times = uncertain.after(times);
        this.unindexed = new UnindexedWrites(clock, this.times);
        this.longestWait = longestWait;
    }

    /**
     * Acquires the locks of a batch's rows and assigns the batch its stamps. {@link MiniBatch#unlock} releases the
     * locks, whether or not this throws.
     *
     * @param refusal refuses the writes of rows that get no stamp
     * @throws RegionTooBusyException if other writes of the rows last longer than a write waits for them
     * @throws InterruptedIOException if the thread is interrupted meanwhile
     */
    void lockAndStamp(MiniBatch batch, MiniBatch.Refusal refusal) throws IOException {
        batch.lockedBy(lockInTime(batch.rows(), "Write refused, nothing was written"));
        batch.stamp(clock, times, refusal);
    }

    /**
     * Acquires the locks of some rows for a handler, which may hold HBase's locks, or be awaited by a handler that
     * holds rows: a coprocessor may write within the hooks of other writes.
     */
    private RowLocks.Held lockInTime(Collection<ImmutableBytesWritable> rows, String outcome)
            throws RegionTooBusyException, InterruptedIOException {
        boolean isNested = OwnBatches.threadHoldsRows();
        Duration atMost = isNested ? LONGEST_NESTED_WAIT : longestWait;
        RowLocks.Held held = locks.acquireWithin(atMost, rows);
        if (held == null && Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException(
                    outcome + ": interrupted while waiting for other writes of " + describe(rows));
        }
        if (held == null) {
            throw new RegionTooBusyException(outcome + ": other writes of " + describe(rows) + " did not end within "
                    + atMost.toMillis() + " ms; try again."
                    + (isNested
                            ? " A coprocessor waited for them within a hook of a write that is not visible yet, for"
                                    + " which they may wait in turn. Let it write other rows in postPut or postDelete"
                            : ""));
        }
        return held;
    }

    private static String describe(Collection<ImmutableBytesWritable> rows) {
        ImmutableBytesWritable row = rows.iterator().next();
        return "row '" + Bytes.toStringBinary(row.get(), row.getOffset(), row.getLength()) + "'"
                + (rows.size() == 1 ? "" : " and others");
    }

    /**
     * Dates the puts and deletes of rows of which a batch has no write that concerns an index. No lock is needed.
     *
     * @param refusal refuses the writes of rows that are deleted and put too often to be dated
     */
    void date(List<Mutation> unindexedWrites, MiniBatch.Refusal refusal) throws IOException {
        unindexed.date(unindexedWrites, refusal);
    }

    /**
     * Dates the results of an increment or append that concerns no index. No lock is needed.
     *
     * @throws RegionTooBusyException if the row is deleted and written too often to be dated
     */
    void dateResults(Mutation unindexedDelta, List<Cell> results) throws IOException {
        unindexed.dateResults(unindexedDelta, results);
    }

    /** Acquires the lock of a row, for a thread that holds no other; the caller must release it. */
    RowLocks.Held lock(ImmutableBytesWritable row) {
        return locks.acquire(Set.of(row));
    }

    /**
     * Waits until the write that holds the lock of a row, if any, has been handed to the AUQ or has failed.
     *
     * @throws RegionTooBusyException if that takes longer than a write waits for others
     * @throws InterruptedIOException if the thread is interrupted meanwhile
     */
    void awaitWriteOf(byte[] row) throws RegionTooBusyException, InterruptedIOException {
        lockInTime(Set.of(new ImmutableBytesWritable(row)), "Not answered").release();
    }

    /** Waits until each write that holds the lock of a row now has been handed to the AUQ or has failed. */
    void awaitWritesInFlight() {
        locks.awaitHeld();
    }

    /**
     * Returns a time that no stamp precedes which any row gets from now on. A write that is in flight may have an earlier
     * one.
     */
    long earliestFromNow() {
        return clock.earliestFromNow();
    }

    /**
     * Returns the next stamp of a row, for an index update that is not a write of the row. The row must be locked.
     *
     * @throws RegionTooBusyException if the row is written too often to be given a stamp
     */
    long nextStamp(ImmutableBytesWritable row) throws RegionTooBusyException {
        return clock.nextAndPassed(row);
    }

    /** Makes all later stamps of a locked row later than a time that was used as a stamp of the row. */
    void passed(ImmutableBytesWritable row, long time) {
        clock.passed(row, time);
    }

    /** Records that a batch failed, and that a WAL replay may restore some of its rows, which must be locked. */
    void failed(MiniBatch batch, Predicate<ImmutableBytesWritable> uncertainRows) {
        batch.addTo(uncertain, uncertainRows);
    }

    /**
     * Returns the latest stamp, up to the given one, at which entries of a locked row may be deleted: earlier than the
     * stamps of its uncertain writes.
     */
    long certainUpTo(ImmutableBytesWritable row, long stamp) {
        return uncertain.bound(row, stamp);
    }
}
