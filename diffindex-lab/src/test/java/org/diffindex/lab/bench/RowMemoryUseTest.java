package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.RegionStatus;
import org.diffindex.client.Staleness;
import org.diffindex.lab.bench.RowMemoryUse.Counts;
import org.diffindex.lab.bench.RowMemoryUse.Place;
import org.diffindex.lab.bench.statistics.Measurement;
import org.junit.jupiter.api.Test;

class RowMemoryUseTest {
    private static final Measurement MEASURED = Measurement.empty().with(Measurement.P50, 100);
    private static final Place R1 = new Place("r1", "s1");
    private static final Place R2 = new Place("r2", "s2");

    /** Returns the status of a table of one region. */
    static IndexStatus status(long hits, long reads) {
        return status("s1", hits, reads);
    }

    private static IndexStatus status(String server, long hits, long reads) {
        return new IndexStatus(
                TableName.valueOf("t"),
                List.of(),
                List.of(),
                Map.of(),
                List.of(new RegionStatus(
                        "r1",
                        server,
                        0,
                        0,
                        0,
                        Duration.ZERO,
                        0,
                        0,
                        Staleness.NONE,
                        reads,
                        hits,
                        0,
                        0,
                        Optional.empty(),
                        Map.of())));
    }

    private static RowMemoryUse use(Place one, Counts ofOne, Place other, Counts ofOther) {
        return new RowMemoryUse(Map.of(one, ofOne, other, ofOther));
    }

    private static void assertNothingIsAdded(RowMemoryUse before, RowMemoryUse after) {
        assertThat(after.shareSince(before, MEASURED)).isEqualTo(MEASURED);
    }

    @Test
    void theShareIsThatOfTheRowsNeededInTheMeantime() {
        RowMemoryUse before = use(R1, new Counts(1_000, 0), R2, new Counts(0, 1_000));
        RowMemoryUse after = use(R1, new Counts(1_050, 10), R2, new Counts(10, 1_010));
        assertThat(after.shareSince(before, MEASURED)).isEqualTo(MEASURED.with(Measurement.ROW_MEMORY_HIT_SHARE, 0.75));
    }

    @Test
    void isZeroIfEveryRowWasRead() {
        RowMemoryUse before = RowMemoryUse.of(status(7, 100));
        assertThat(RowMemoryUse.of(status(7, 120)).shareSince(before, MEASURED))
                .isEqualTo(MEASURED.with(Measurement.ROW_MEMORY_HIT_SHARE, 0));
        assertThat(RowMemoryUse.of(status(27, 100)).shareSince(before, MEASURED))
                .isEqualTo(MEASURED.with(Measurement.ROW_MEMORY_HIT_SHARE, 1));
    }

    @Test
    void isAbsentIfNoRowWasNeeded() {
        RowMemoryUse same = RowMemoryUse.of(status(7, 100));
        assertNothingIsAdded(same, same);
        assertNothingIsAdded(RowMemoryUse.NONE, RowMemoryUse.NONE);
    }

    @Test
    void isAbsentIfACountWentDownSinceARegionWasReopened() {
        RowMemoryUse before = use(R1, new Counts(10, 10), R2, new Counts(10, 10));
        assertNothingIsAdded(before, use(R1, new Counts(9, 11), R2, new Counts(500, 500)));
        assertNothingIsAdded(before, use(R1, new Counts(500, 500), R2, new Counts(11, 9)));
    }

    @Test
    void isAbsentIfARegionIsNewOrOnAnotherServer() {
        RowMemoryUse before = use(R1, new Counts(10, 10), R2, new Counts(10, 10));
        assertNothingIsAdded(before, new RowMemoryUse(Map.of(R1, new Counts(500, 500))));
        assertNothingIsAdded(before, use(R1, new Counts(20, 20), new Place("r2", "s1"), new Counts(20, 20)));
        assertNothingIsAdded(RowMemoryUse.of(status("s1", 10, 10)), RowMemoryUse.of(status("s2", 20, 20)));
    }
}
