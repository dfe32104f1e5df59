package org.diffindex.server.queue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * What keeping the indexes of one region has cost since it was opened (the columns of the paper's table 2), and how far
 * the asynchronous ones were behind (its figure 11). Safe for use by many threads.
 */
public final class DeliveryStats {
    private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);

    public final LongAdder baseReads = new LongAdder();
    public final LongAdder indexPuts = new LongAdder();
    public final LongAdder indexDeletes = new LongAdder();
    public final LongAdder delivered = new LongAdder();
    public final LongAdder retries = new LongAdder();
    private final ConcurrentHistogram staleness = new ConcurrentHistogram(LONGEST_MICROS, 2);

    /** Counts updates that are durable. */
    public void countWritten(List<IndexUpdate> updates) {
        for (IndexUpdate update : updates) {
            (update.isPut() ? indexPuts : indexDeletes).increment();
        }
    }

    /** Records the time from a base write being visible (T1) to its index updates being durable (T2). */
    void recordStaleness(long nanos) {
        staleness.recordValue(Math.min(LONGEST_MICROS, Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos))));
    }

    /** The staleness so far, in microseconds, as HdrHistogram compresses it. */
    public byte[] encodedStaleness() {
        Histogram copy = staleness.copy();
        ByteBuffer buffer = ByteBuffer.allocate(copy.getNeededByteBufferCapacity());
        int length = copy.encodeIntoCompressedByteBuffer(buffer);
        return Arrays.copyOf(buffer.array(), length);
    }
}
