package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/** Tests where a page of a backfill ends, on a clock that the test moves. */
class PageLimitsTest {
    private static final long MS = 1_000_000;

    private long now = Long.MAX_VALUE - 5 * MS; // like System.nanoTime(), it may overflow

    @Test
    void endsAfterItsRows() {
        PageLimits limits = limits(3, 1_000);
        assertThat(read(limits, 10)).isEqualTo(3);
        assertThat(limits.nextRow()).contains(Bytes.toBytes("3"));
    }

    /** Otherwise a page that reads millions of rows without the column would take longer than a call may. */
    @Test
    void endsAfterItsTimeHoweverFewRowsItHasBackfilled() {
        PageLimits limits = limits(100_000, 1_250);
        long rows = 0;
        while (!limits.filterAllRemaining()) {
            boolean unused = limits.filterRowKey(Flights.cell("" + rows, "carrier", "AA", 1));
            rows++;
            now += MS; // one row per millisecond
        }
        assertThat(limits.rowsRead()).isEqualTo(1_250);
        assertThat(limits.nextRow()).contains(Bytes.toBytes("1250"));
    }

    @Test
    void endsWhenItsEntriesHoldTooMuchMemory() {
        PageLimits limits = limits(100_000, 1_000);
        assertThat(read(limits, 2)).isEqualTo(2);
        limits.add(PageLimits.MAX_BYTES);
        assertThat(read(limits, 1)).isEqualTo(2);
        assertThat(limits.nextRow()).isPresent();
    }

    /** Otherwise a page that is always late would be requested again for ever. */
    @Test
    void readsAtLeastOneRow() {
        PageLimits limits = limits(0, 0);
        assertThat(read(limits, 2)).isEqualTo(1);
        assertThat(limits.nextRow()).contains(Bytes.toBytes("1"));
    }

    @Test
    void boundsTheRequestedRowsAndTime() {
        PageLimits limits = limits(Integer.MAX_VALUE, Integer.MAX_VALUE);
        assertThat(read(limits, PageLimits.MAX_ROWS + 1)).isEqualTo(PageLimits.MAX_ROWS);
        PageLimits patient = limits(Integer.MAX_VALUE, Integer.MAX_VALUE);
        assertThat(read(patient, 1)).isEqualTo(1);
        now += PageLimits.MAX_MS * MS;
        assertThat(read(patient, 1)).isEqualTo(1);
        assertThat(patient.nextRow()).isPresent();
    }

    /** HBase asks twice when it has looked for the column in a store file. */
    @Test
    void countsARowOnceThatIsFilteredTwice() {
        PageLimits limits = limits(2, 1_000);
        boolean first = limits.filterRowKey(Flights.cell("a", "carrier", "AA", 1));
        boolean second = limits.filterRowKey(Flights.cell("a", "origin", "ORD", 1));
        assertThat(first || second).isFalse();
        assertThat(limits.rowsRead()).isEqualTo(1);
    }

    @Test
    void hasNoNextRowIfItReadsAll() {
        PageLimits limits = limits(3, 1_000);
        assertThat(read(limits, 3)).isEqualTo(3);
        assertThat(limits.nextRow()).isEmpty();
        assertThat(limits.filterAllRemaining()).isFalse();
    }

    private PageLimits limits(int rows, int ms) {
        return new PageLimits(rows, ms, () -> now);
    }

    /** Reads the given number of further rows, and returns how many the page has read in total. */
    private static long read(PageLimits limits, int more) {
        long before = limits.rowsRead();
        for (long row = before; row < before + more; row++) {
            boolean unused = limits.filterRowKey(Flights.cell("" + row, "carrier", "AA", 1));
        }
        return limits.rowsRead();
    }
}
