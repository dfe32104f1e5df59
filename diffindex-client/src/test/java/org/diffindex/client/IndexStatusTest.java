package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.junit.jupiter.api.Test;

class IndexStatusTest {
    @Test
    void sumsUpItsRegions() throws IOException {
        IndexStatus status = new IndexStatus(
                TableName.valueOf("t"),
                List.of(),
                List.of(),
                Map.of(),
                List.of(region(1, 100, 200), region(2, 1_000_000)));
        assertThat(status.queued()).isEqualTo(3);
        assertThat(status.queuedBytes()).isEqualTo(30);
        assertThat(status.oldestAge()).isEqualTo(Duration.ofSeconds(2));
        assertThat(status.delivered()).isEqualTo(300);
        assertThat(status.retries()).isEqualTo(3_000);
        assertThat(status.baseReads()).isEqualTo(30_000);
        assertThat(status.rowMemoryHits()).isEqualTo(60_000);
        assertThat(status.indexPuts()).isEqualTo(300_000);
        assertThat(status.indexDeletes()).isEqualTo(3_000_000);
        assertThat(status.staleness().count()).isEqualTo(3);
        assertThat(status.staleness().p50()).isEqualTo(Duration.ofNanos(200_000));
        assertThat(status.staleness().p99().toMillis()).isBetween(999L, 1_001L);
        assertThat(status.staleness().max()).isEqualTo(status.staleness().p99());
    }

    @Test
    void returnsTheStalenessSinceAnEarlierReading() throws IOException {
        Staleness earlier = region(1, 100, 900_000).staleness();
        Staleness later = region(1, 100, 200, 300, 900_000).staleness();
        Staleness since = later.since(earlier);
        assertThat(since.count()).isEqualTo(2);
        assertThat(since.p50()).isEqualTo(Duration.ofNanos(200_000));
        assertThat(since.max()).isEqualTo(Duration.ofNanos(300_000));
        assertThat(later.since(Staleness.NONE).count()).isEqualTo(4);
        assertThat(later.since(later).p99()).isZero();
    }

    @Test
    void refusesAnEarlierReadingThatIsNotPartOfIt() throws IOException {
        Staleness earlier = region(1, 900_000).staleness();
        Staleness later = region(1, 100).staleness();
        assertThatThrownBy(() -> later.since(earlier))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reopened");
    }

    @Test
    void isZeroWithoutRegions() {
        IndexStatus status = new IndexStatus(TableName.valueOf("t"), List.of(), List.of(), Map.of(), List.of());
        assertThat(status.queued()).isZero();
        assertThat(status.oldestAge()).isZero();
        assertThat(status.staleness().p99()).isZero();
        assertThat(status.staleness().max()).isZero();
    }

    @Test
    void aHistogramThatCannotBeReadIsAnError() {
        assertThatThrownBy(() -> Staleness.decode(new byte[] {1, 2, 3}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version");
    }

    private static RegionStatus region(int factor, long... micros) throws IOException {
        Histogram histogram = new Histogram(3);
        Arrays.stream(micros).forEach(histogram::recordValue);
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return IndexRegions.statusOf(StatusResponse.newBuilder()
                .setRegion("region" + factor)
                .setServer("rs")
                .setQueued(factor)
                .setQueuedBytes(10L * factor)
                .setOldestAgeMs(1_000L * factor)
                .setDelivered(100L * factor)
                .setRetries(1_000L * factor)
                .setBaseReads(10_000L * factor)
                .setRowMemoryHits(20_000L * factor)
                .setIndexPuts(100_000L * factor)
                .setIndexDeletes(1_000_000L * factor)
                .setStalenessHistogram(ByteString.copyFrom(buffer.array(), 0, length))
                .build());
    }
}
