package org.diffindex.server.spill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.diffindex.server.Flights;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampFilesTest {
    private static final long NOW = Duration.ofDays(10_000).toMillis();

    private final Configuration conf = HBaseConfiguration.create();

    @TempDir
    Path root;

    @BeforeEach
    void inFolder() {
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

    /** A region that cannot open is worse than a file that nobody knows. */
    @ParameterizedTest
    @ValueSource(
            strings = {"README", "notes-5", "0123456789abcdef-", "0123456789abcdef-99999999999999999999", ".tmp-7"})
    void aFileThatIsNoneOfOursIsPassedOverAndLeftThere(String name) throws IOException {
        StampFiles stamps = stamps(1);
        stamps.record(NOW);
        Path stray;
        try (Stream<Path> folders = Files.walk(root.resolve("diffindex"))) {
            stray = folders.filter(Files::isRegularFile)
                    .findFirst()
                    .orElseThrow()
                    .resolveSibling(name);
        }
        Files.writeString(stray, "of somebody else");
        assertThat(stamps(2).highest(NOW)).isEqualTo(NOW);
        stamps.record(NOW + 1);
        assertThat(stamps(2).highest(NOW + Duration.ofHours(2).toMillis())).isEqualTo(NOW + 1);
        assertThat(stray).exists();
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
