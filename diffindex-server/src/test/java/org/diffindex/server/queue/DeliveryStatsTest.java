package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class DeliveryStatsTest {
    private final DeliveryStats stats = new DeliveryStats();

    private Histogram staleness() throws DataFormatException {
        return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(stats.encodedStaleness()), 0);
    }

    @Test
    void aRegionThatHasDeliveredNothingHoldsNoHistogram() throws DataFormatException {
        assertThat(stats.histogramBytes()).isZero();
        assertThat(staleness().getTotalCount()).isZero();
    }

    @Test
    void theHistogramIsSmallAsLongAsUpdatesAreQuick() throws DataFormatException {
        for (int ms = 0; ms < 10_000; ms++) {
            stats.recordStaleness(TimeUnit.MILLISECONDS.toNanos(ms));
        }
        assertThat(stats.histogramBytes()).isLessThan(10_000);
        assertThat(staleness().getTotalCount()).isEqualTo(10_000);
        assertThat(staleness().getValueAtPercentile(50)).isBetween(4_900_000L, 5_100_000L);
    }

    @Test
    void aStalenessOfMoreThanAnHourCountsAsAnHour() throws DataFormatException {
        stats.recordStaleness(TimeUnit.HOURS.toNanos(5));
        assertThat(staleness().getMaxValue()).isBetween(TimeUnit.MINUTES.toMicros(59), TimeUnit.MINUTES.toMicros(61));
        assertThat(stats.histogramBytes()).isLessThan(15_000);
    }
}
