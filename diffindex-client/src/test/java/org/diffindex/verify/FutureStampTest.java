package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests entries whose stamps lie in the future, and entries whose stamps only seem to. */
class FutureStampTest extends ScrubFixture {
    @Test
    void findsAndRepairsAnEntryWithAFutureStamp() throws IOException {
        fill(ROWS);
        putAStampOfTheFuture(row(5), 105);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 1L));
        assertThat(report.isClean()).isFalse();
        options = options.withRepair(true);
        assertThat(scrub().repaired()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 1L));
        assertThat(scrub().found()).isEmpty();
    }

    /** The entry is found while digests are computed, and is not counted again by later passes. */
    @Test
    void countsAnEntryWithAFutureStampOnce() throws IOException {
        fill(ROWS);
        putAStampOfTheFuture(row(5), 105);
        tables.deleteIndex(tables.keyOf(row(1)));
        options = options.withBuckets(1).withPending(1);
        assertThat(scrub().found()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 1L, Difference.MISSING, 1L));
    }

    /** The row has another value only while the first pass compares it. */
    @Test
    void findsAFutureStampDespiteATransientDifference() throws IOException {
        fill(ROWS);
        putAStampOfTheFuture(row(5), 105);
        options = options.withThreads(1);
        int[] scans = {0};
        tables.onScan = () -> {
            scans[0]++;
            if (scans[0] == 1) {
                tables.putBase(row(5), "elsewhere", 105);
            } else if (scans[0] == 3) {
                tables.putBase(row(5), "city5", 105);
            }
        };
        assertThat(scrub().found()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 1L));
    }

    /** Later writes of the row would put their entry beneath it, and their cleanup would miss it. */
    @Test
    void aFutureStampIsNotAllowedEvenIfTheEntryIs() throws IOException {
        use(index(IndexScheme.SYNC_INSERT));
        fill(100);
        long now = System.currentTimeMillis();
        tables.latestStamp = now;
        tables.putIndex(tables.keyOf(row(3)), now + 1_000, new byte[0]);
        byte[] stale = tables.keyOf(row(4));
        tables.putIndex(stale, now + 1_000, new byte[0]);
        tables.putBase(row(4), "elsewhere", 5_000);
        tables.index(row(4));
        byte[] dangling = tables.keyOf(row(5));
        tables.putIndex(dangling, now + 1_000, new byte[0]);
        tables.deleteBase(row(5));
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 3L));
        assertThat(report.isClean()).isFalse();
        options = options.withRepair(true);
        assertThat(scrub().repaired()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 3L));
        assertThat(scrub().found()).isEmpty();
    }

    /** The server has issued the stamp since the scrub began. */
    @Test
    void anAllowedEntryOfALaterWriteIsAllowed() throws IOException {
        use(index(IndexScheme.SYNC_INSERT));
        fill(100);
        long now = System.currentTimeMillis();
        tables.latestStamp = now;
        tables.putIndex(tables.keyOf(row(3)), now + 10, new byte[0]);
        tables.putBase(row(3), "elsewhere", 5_000);
        tables.index(row(3));
        options = options.withThreads(1);
        int[] scans = {0};
        tables.onScan = () -> tables.latestStamp = ++scans[0] > 4 ? now + 10 : now;
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.STALE, 1L));
        assertThat(report.isClean()).isTrue();
    }

    @Test
    void reportsADifferenceThatTheSchemeDoesNotAllowWhateverItsStamp() throws IOException {
        fill(ROWS);
        byte[] stale = tables.keyOf(row(5));
        putAStampOfTheFuture(row(5), 105);
        tables.putBase(row(5), "elsewhere", 5_000);
        tables.index(row(5));
        assertThat(tables.keys()).contains(Bytes.toStringBinary(stale));
        assertThat(scrub().found()).isEqualTo(Map.of(Difference.STALE, 1L));
    }

    @Test
    void aClockThatIsAheadHidesNoFutureStamp() throws IOException {
        fill(ROWS);
        long now = System.currentTimeMillis();
        tables.latestStamp = now;
        tables.putIndex(tables.keyOf(row(5)), now + 10_000, Bytes.toBytes(105L));
        clock = () -> Instant.ofEpochMilli(now + 20_000);
        assertThat(scrub().found()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 1L));
    }

    @Test
    void doesNotLookUpRecentEntries() throws IOException {
        long now = System.currentTimeMillis();
        for (int i = 0; i < ROWS; i++) {
            tables.putBase(row(i), "city" + i % 7, now);
            tables.index(row(i));
        }
        tables.latestStamp = now;
        assertThat(scrub().found()).isEmpty();
        assertThat(tables.pointReads).hasValue(0);
        assertThat(tables.stampReads).as("one row of each range").hasValue(2);
    }

    /** The server's clock was ahead, or is still ahead. */
    @Test
    void aStampThatTheServerHasIssuedIsNotAFutureStamp() throws IOException {
        fill(ROWS);
        long future = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
        tables.latestStamp = future;
        tables.putIndex(tables.keyOf(row(5)), future, Bytes.toBytes(105L));
        assertThat(scrub().found()).isEmpty();
    }
}
