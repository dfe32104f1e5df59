package org.diffindex.server;

import java.io.IOException;
import java.time.Duration;
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
    private static final Duration LONGEST_NESTED_WAIT = Duration.ofSeconds(5);

    private final RowLocks locks;
    private final RowClock clock;
    private final UncertainWrites uncertain;

    /** The timestamps at which puts are visible even if a replay restores uncertain writes. */
    private final RowWrites.Times times;

    private final UnindexedWrites unindexed;

    /**
     * Creates an order without writes.
     *
     * @param times returns the timestamps at which puts of the region are visible
     */
    RowOrder(RowLocks locks, RowClock clock, UncertainWrites uncertain, RowWrites.Times times) {
        this.locks = locks;
        this.clock = clock;
        this.uncertain = uncertain;
        this.times = uncertain.after(times);
        this.unindexed = new UnindexedWrites(clock, this.times);
    }

    /**
     * Acquires the locks of a batch's rows and assigns the batch its stamps. {@link MiniBatch#unlock} releases the
     * locks, whether or not this throws.
     *
     * @param refusal refuses the writes of rows that get no stamp
     */
    void lockAndStamp(MiniBatch batch, MiniBatch.Refusal refusal) throws IOException {
        batch.lockedBy(locks.acquire(batch.rows()));
        batch.stamp(clock, times, refusal);
    }

    /**
     * Does the same for a batch that a coprocessor writes within the hooks of other batches of this thread. These keep
     * their locks, and a thread that waits for them may hold those of this batch.
     *
     * @throws RegionTooBusyException if the locks cannot be acquired within five seconds
     */
    void lockAndStampNested(MiniBatch batch, MiniBatch.Refusal refusal) throws IOException {
        RowLocks.Held held = locks.acquireWithin(LONGEST_NESTED_WAIT, batch.rows())
                .orElseThrow(() -> new RegionTooBusyException("Write refused, nothing was written: a coprocessor wrote "
                        + describe(batch) + " within a hook of another write, and other writes of the row did not end"
                        + " within " + LONGEST_NESTED_WAIT.toSeconds()
                        + " s. They may wait for that other write in turn, if"
                        + " the rows are written within the hooks of each other's writes. Write other rows after the call"
                        + " has ended, or in one atomic batch"));
        batch.lockedBy(held);
        batch.stamp(clock, times, refusal);
    }

    private static String describe(MiniBatch batch) {
        ImmutableBytesWritable row = batch.rows().iterator().next();
        return "row '" + Bytes.toStringBinary(row.get(), row.getOffset(), row.getLength()) + "'"
                + (batch.rows().size() == 1 ? "" : " and others");
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

    /** Acquires the lock of a row; the caller must release it. */
    RowLocks.Held lock(ImmutableBytesWritable row) {
        return locks.acquire(Set.of(row));
    }

    /** Waits until the write that holds the lock of a row, if any, has been handed to the AUQ or has failed. */
    void awaitWriteOf(byte[] row) {
        lock(new ImmutableBytesWritable(row)).release();
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
