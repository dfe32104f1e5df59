package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * The staleness of delivered index updates: a distribution of T2 - T1 of the paper (section 8.2), in microseconds.
 * Immutable.
 */
public final class Staleness {
    /** The staleness of no updates. */
    public static final Staleness NONE = new Staleness(new Histogram(3));

    private final Histogram histogram;

    private Staleness(Histogram histogram) {
        this.histogram = histogram;
    }

    /** Decodes an HdrHistogram of microseconds from the bytes that {@code encodeIntoCompressedByteBuffer} wrote. */
    static Staleness decode(byte[] compressed) throws IOException {
        try {
            return new Staleness(Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(compressed), 0));
        } catch (DataFormatException | RuntimeException e) {
            throw new IOException(
                    "A region's staleness histogram cannot be read; do client and server have the same version?", e);
        }
    }

    /** Returns the number of updates measured. */
    public long count() {
        return histogram.getTotalCount();
    }

    /**
     * Returns the staleness that the given share of the updates, in percent, did not exceed; zero if none was measured.
     */
    public Duration percentile(double percent) {
        return count() == 0 ? Duration.ZERO : Duration.of(histogram.getValueAtPercentile(percent), ChronoUnit.MICROS);
    }

    /** Returns the median staleness. */
    public Duration p50() {
        return percentile(50);
    }

    /** Returns the staleness that 99% of the updates did not exceed. */
    public Duration p99() {
        return percentile(99);
    }

    /** Returns the greatest staleness. */
    public Duration max() {
        return Duration.of(histogram.getMaxValue(), ChronoUnit.MICROS);
    }

    /**
     * Returns the staleness of the updates measured after an earlier reading of the same table.
     *
     * @throws IllegalArgumentException if the earlier reading is not part of this one, because a region was reopened in
     *     between and its counts restarted
     */
    public Staleness since(Staleness earlier) {
        Histogram difference = new Histogram(3);
        difference.add(histogram);
        try {
            difference.subtract(earlier.histogram);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "The earlier staleness (" + earlier + ") is not part of the later one (" + this
                            + "): a region was reopened in between, and its counts restarted",
                    e);
        }
        return new Staleness(difference);
    }

    /** Returns the staleness of both sets of updates together. */
    Staleness plus(Staleness other) {
        Histogram sum = new Histogram(3);
        sum.add(histogram);
        sum.add(other.histogram);
        return new Staleness(sum);
    }

    @Override
    public String toString() {
        return "p50 " + p50() + ", p99 " + p99() + ", max " + max() + " of " + count();
    }
}
