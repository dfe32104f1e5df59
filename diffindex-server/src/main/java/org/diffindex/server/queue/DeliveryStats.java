package org.diffindex.server.queue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.PackedHistogram;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * The cost of index maintenance in one region since it was opened (the columns of the paper's table 2), and the
 * staleness of its indexes (the paper's figure 11). Thread-safe.
 */
public final class DeliveryStats {
    private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);

    /** Significant digits of a recorded staleness. */
    private static final int DIGITS = 2;

    public final LongAdder baseReads = new LongAdder();

    /** Counts the rows that were not read because the row memory had them. */
    public final LongAdder rowMemoryHits = new LongAdder();

    public final LongAdder indexPuts = new LongAdder();
    public final LongAdder indexDeletes = new LongAdder();
    public final LongAdder delivered = new LongAdder();
    public final LongAdder retries = new LongAdder();

    /**
     * Allocates memory only for values that occur, a few KB; null until the first one, as on a table without
     * asynchronous indexes. Guarded by this.
     */
    private PackedHistogram staleness;

    /** Counts durable updates as puts and deletes. */
    public void countWritten(List<IndexUpdate> updates) {
        for (IndexUpdate update : updates) {
            (update.isPut() ? indexPuts : indexDeletes).increment();
        }
    }

    /**
     * Records a staleness in nanoseconds: the time from when a change was queued (T1) until its index updates were
     * durable (T2). Values are limited to the range from 0 to one hour.
     */
    synchronized void recordStaleness(long nanos) {
        if (staleness == null) {
            staleness = new PackedHistogram(DIGITS);
        }
        staleness.recordValue(Math.min(LONGEST_MICROS, Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos))));
    }

    /** Returns the histogram of staleness in microseconds, in HdrHistogram's compressed encoding. */
    public synchronized byte[] encodedStaleness() {
        PackedHistogram soFar = staleness == null ? new PackedHistogram(DIGITS) : staleness;
        ByteBuffer buffer = ByteBuffer.allocate(soFar.getNeededByteBufferCapacity());
        int length = soFar.encodeIntoCompressedByteBuffer(buffer);
        return Arrays.copyOf(buffer.array(), length);
    }

    /** Returns the estimated memory of the histogram, in bytes; 0 if there is none. */
    synchronized int histogramBytes() {
        return staleness == null ? 0 : staleness.getEstimatedFootprintInBytes();
    }
}
