package org.diffindex.server.queue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.PackedHistogram;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * What keeping the indexes of one region has cost since it was opened (the columns of the paper's table 2), and how far
 * the asynchronous ones were behind (its figure 11). Safe for use by many threads.
 */
public final class DeliveryStats {
    private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);

    /** Significant digits of a staleness. */
    private static final int DIGITS = 2;

    public final LongAdder baseReads = new LongAdder();
    public final LongAdder indexPuts = new LongAdder();
    public final LongAdder indexDeletes = new LongAdder();
    public final LongAdder delivered = new LongAdder();
    public final LongAdder retries = new LongAdder();
    /**
     * Takes memory for the times that occur, a few KB; null until there is one, as on a table without asynchronous indexes.
     * Guarded by this.
     */
    private PackedHistogram staleness;

    /** Counts updates that are durable. */
    public void countWritten(List<IndexUpdate> updates) {
        for (IndexUpdate update : updates) {
            (update.isPut() ? indexPuts : indexDeletes).increment();
        }
    }

    /** Records the time from a base write being visible (T1) to its index updates being durable (T2). */
    synchronized void recordStaleness(long nanos) {
        if (staleness == null) {
            staleness = new PackedHistogram(DIGITS);
        }
        staleness.recordValue(Math.min(LONGEST_MICROS, Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos))));
    }

    /** The staleness so far, in microseconds, as HdrHistogram compresses it. */
    public synchronized byte[] encodedStaleness() {
        PackedHistogram soFar = staleness == null ? new PackedHistogram(DIGITS) : staleness;
        ByteBuffer buffer = ByteBuffer.allocate(soFar.getNeededByteBufferCapacity());
        int length = soFar.encodeIntoCompressedByteBuffer(buffer);
        return Arrays.copyOf(buffer.array(), length);
    }

    /** The memory that the histogram holds, in bytes. */
    synchronized int histogramBytes() {
        return staleness == null ? 0 : staleness.getEstimatedFootprintInBytes();
    }
}
