package org.diffindex.server.queue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.PackedHistogram;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.metrics.IndexCounters;

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

    /** Counts on a server where no index is known, as in some tests. */
    private static final IndexCounters UNKNOWN = new IndexCounters();

    /** The counters that all regions of the server share, by index table. */
    private final Map<TableName, IndexCounters> byIndex;

    /**
     * Allocates memory only for values that occur, a few KB; null until the first one, as on a table without
     * asynchronous indexes. Guarded by this.
     */
    private PackedHistogram staleness;

    /** Creates the counters of a region of which none is counted by index. */
    public DeliveryStats() {
        this(Map.of());
    }

    /**
     * Creates the counters of a region.
     *
     * @param byIndex those that count for each index of the region, over all regions of the server, by index table
     */
    public DeliveryStats(Map<TableName, IndexCounters> byIndex) {
        this.byIndex = Map.copyOf(byIndex);
    }

    /** Returns the counters of an index, which all regions of the server share. */
    public IndexCounters of(TableName indexTable) {
        return byIndex.getOrDefault(indexTable, UNKNOWN);
    }

    /** Counts durable updates as puts and deletes. */
    public void countWritten(List<IndexUpdate> updates) {
        for (IndexUpdate update : updates) {
            IndexCounters ofIndex = of(update.table());
            if (update.isPut()) {
                indexPuts.increment();
                ofIndex.puts.increment();
            } else {
                indexDeletes.increment();
                ofIndex.deletes.increment();
            }
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
