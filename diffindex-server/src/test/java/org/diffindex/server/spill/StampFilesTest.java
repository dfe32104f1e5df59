package org.diffindex.server.spill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.diffindex.server.Flights;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StampFilesTest {
    private static final long NOW = Duration.ofDays(10_000).toMillis();

    private final Configuration conf = HBaseConfiguration.create();

    @BeforeEach
    void inFolder(@TempDir Path root) {
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
    }

    @Test
    void theHighestStampOfTheTableIsFoundByWhoOpensARegionNext() throws IOException {
        assertThat(stamps(1).highest(NOW)).isZero();
        stamps(1).record(NOW + 5);
        stamps(2).record(NOW + 3);
        assertThat(stamps(3).highest(NOW)).isEqualTo(NOW + 5);
    }

    @Test
    void aRegionHasOneStampThatOnlyGrows() throws IOException {
        StampFiles stamps = stamps(1);
        stamps.record(NOW + 5);
        stamps.record(NOW + 4);
        assertThat(stamps(1).highest(NOW)).isEqualTo(NOW + 5);
        stamps(1).record(NOW + 7);
        assertThat(stamps(1).highest(NOW)).isEqualTo(NOW + 7);
    }

    @Test
    void aStampThatEveryClockIsPastIsForgotten() throws IOException {
        stamps(1).record(NOW);
        assertThat(stamps(2).highest(NOW + Duration.ofHours(2).toMillis())).isEqualTo(NOW);
        assertThat(stamps(2).highest(NOW)).isZero();
    }

    @Test
    void theyGoWithTheLastIndex() throws IOException {
        stamps(1).record(NOW);
        StampFiles.removeAll(conf, Flights.TABLE);
        assertThat(stamps(1).highest(NOW)).isZero();
    }

    private StampFiles stamps(long regionId) throws IOException {
        RegionInfo region = RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setRegionId(regionId)
                .build();
        return StampFiles.of(conf, region);
    }
}
