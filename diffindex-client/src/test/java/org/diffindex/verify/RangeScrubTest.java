package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.tasks.KeyRange;
import org.junit.jupiter.api.Test;

/** A scrub in parts finds what a whole one finds. */
class RangeScrubTest extends ScrubFixture {
    private RangeScrub scrubOfARange() {
        return new RangeScrub(tables, definition, options, waits::add, clock);
    }

    private static List<KeyRange> ranges(String... bounds) {
        List<KeyRange> ranges = new ArrayList<>();
        String start = "";
        for (String end : bounds) {
            ranges.add(new KeyRange(Bytes.toBytes(start), Bytes.toBytes(end)));
            start = end;
        }
        ranges.add(new KeyRange(Bytes.toBytes(start), new byte[0]));
        return ranges;
    }

    private List<ScrubReport> parts() throws IOException {
        List<ScrubReport> parts = new ArrayList<>();
        for (KeyRange range : ranges("h", "p")) {
            parts.add(scrubOfARange().base(range));
        }
        for (KeyRange range : ranges("city3")) {
            parts.add(scrubOfARange().index(range));
        }
        return parts;
    }

    private static Map<Difference, Long> found(List<ScrubReport> parts) {
        Map<Difference, Long> sum = new EnumMap<>(Difference.class);
        parts.forEach(part -> part.found().forEach((difference, count) -> sum.merge(difference, count, Long::sum)));
        return sum;
    }

    private void damage() {
        tables.deleteIndex(tables.keyOf(row(1)));
        tables.deleteBase(row(2));
        tables.putBase(row(3), "elsewhere", 5_000); // the old entry is stale, and the new one is missing
        tables.putIndex(tables.keyOf(row(5)), 105, Bytes.toBytes(104L));
        tables.putStray(tables.keyOf(row(6)), STRAY, 106, new byte[0]);
        tables.putIndex(new byte[] {0, 5}, 107, new byte[0]);
    }

    @Test
    void findsInPartsWhatAWholeScrubFinds() throws IOException {
        fill(ROWS);
        damage();
        putAStampOfTheFuture(row(9), 109);
        ScrubReport whole = scrub();
        List<ScrubReport> parts = parts();
        assertThat(found(parts)).isEqualTo(whole.found()).hasSize(7);
        assertThat(parts.stream().mapToLong(ScrubReport::rows).sum()).isEqualTo(whole.rows());
        assertThat(parts.stream().mapToLong(ScrubReport::entries).sum()).isEqualTo(whole.entries());
    }

    @Test
    void waitsOnlyIfSomethingDiffers() throws IOException {
        fill(ROWS);
        assertThat(parts()).allMatch(ScrubReport::isClean);
        assertThat(waits).isEmpty();
        damage();
        assertThat(parts()).anyMatch(part -> !part.isClean());
        assertThat(waits).isNotEmpty();
    }

    @Test
    void repairsWhatItFinds() throws IOException {
        fill(ROWS);
        damage();
        options = options.withRepair(true);
        assertThat(parts()).allMatch(ScrubReport::isClean);
        options = options.withRepair(false);
        assertThat(scrub().found()).isEmpty();
    }

    /** Each of a thousand mappers would ask each of a thousand regions otherwise. */
    @Test
    void asksForStampsOnlyTheRegionOfTheRowThatItLooksAt() throws IOException {
        fill(ROWS);
        putAStampOfTheFuture("a0", 100);
        List<ScrubReport> parts = parts();
        assertThat(found(parts)).isEqualTo(Map.of(Difference.FUTURE_STAMP, 1L));
        assertThat(tables.stampsOf).isNotEmpty().containsOnly("a0");
    }
}
