package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * How far an index was behind its base when updates arrived in it: a distribution of T2 - T1 of the paper (section 8.2),
 * in microseconds. Immutable.
 */
public final class Staleness {
    /** No update was delivered. */
    public static final Staleness NONE = new Staleness(new Histogram(3));

    private final Histogram histogram;

    private Staleness(Histogram histogram) {
        this.histogram = histogram;
    }

    /** Reads what {@code encodeIntoCompressedByteBuffer} of an HdrHistogram of microseconds wrote. */
    static Staleness decode(byte[] compressed) throws IOException {
        try {
            return new Staleness(Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(compressed), 0));
        } catch (DataFormatException | RuntimeException e) {
            throw new IOException(
                    "A region's staleness histogram cannot be read; do client and server have the same version?", e);
        }
    }

    /** How many updates were measured. */
    public long count() {
        return histogram.getTotalCount();
    }

    /** The lag that the given share of the updates, in percent, did not exceed; zero if none was measured. */
    public Duration percentile(double percent) {
        return count() == 0 ? Duration.ZERO : Duration.of(histogram.getValueAtPercentile(percent), ChronoUnit.MICROS);
    }

    /** The lag that half of the updates did not exceed. */
    public Duration p50() {
        return percentile(50);
    }

    /** The lag that 99 of 100 updates did not exceed. */
    public Duration p99() {
        return percentile(99);
    }

    /** The longest lag. */
    public Duration max() {
        return Duration.of(histogram.getMaxValue(), ChronoUnit.MICROS);
    }

    /**
     * The updates that were measured after an earlier reading of the same table.
     *
     * @throws IllegalArgumentException if the earlier one is not part of this: a region was opened again between the two,
     *     and has forgotten what it measured
     */
    public Staleness since(Staleness earlier) {
        Histogram difference = new Histogram(3);
        difference.add(histogram);
        try {
            difference.subtract(earlier.histogram);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "The earlier staleness (" + earlier + ") is not part of the later one (" + this
                            + "): a region was opened again meanwhile",
                    e);
        }
        return new Staleness(difference);
    }

    /** Both together. */
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
