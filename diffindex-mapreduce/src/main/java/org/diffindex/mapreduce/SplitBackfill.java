package org.diffindex.mapreduce;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.tasks.KeyRange;
import org.diffindex.tasks.Retries;

/**
 * Backfills what a range lacks, page by page, and reports how far it is: every few seconds, and at the end of each gap. What is
 * not reported when the attempt ends, the next one writes again, which changes nothing. Confined to one thread.
 */
final class SplitBackfill {
    private static final long REPORT_NANOS = Duration.ofSeconds(5).toNanos();

    /** Follows the pages. */
    @FunctionalInterface
    interface Listener {
        void written(FillResponse page);
    }

    private final BuildService service;
    private final MapperGate gate;
    private final Retries retries;
    private final Listener listener;
    private final int rowsOfAPage;
    private final int msOfAPage;
    private final LongSupplier nanoTime;

    /**
     * Creates the work on a split.
     *
     * @param gate is passed before each page
     * @param retries repeats calls
     * @param rowsOfAPage the most rows of a page
     * @param msOfAPage the milliseconds after which a page reads no further row
     */
    SplitBackfill(
            BuildService service,
            MapperGate gate,
            Retries retries,
            Listener listener,
            int rowsOfAPage,
            int msOfAPage,
            LongSupplier nanoTime) {
        this.service = service;
        this.gate = gate;
        this.retries = retries;
        this.listener = listener;
        this.rowsOfAPage = rowsOfAPage;
        this.msOfAPage = msOfAPage;
        this.nanoTime = nanoTime;
    }

    /**
     * Backfills what an earlier attempt, job or master has not recorded.
     *
     * @throws DoNotRetryIOException if the job does not build the index any more, or a row cannot be backfilled
     * @throws IOException if calls have failed for too long
     */
    void run(KeyRange split) throws IOException {
        List<KeyRange> gaps = retries.get(() -> service.gaps(split));
        for (int i = 0; i < gaps.size(); i++) {
            backfill(gaps.get(i), i == gaps.size() - 1);
        }
    }

    private void backfill(KeyRange gap, boolean isLast) throws IOException {
        PageTotals totals = PageTotals.NONE;
        long reported = nanoTime.getAsLong();
        byte[] row = gap.start();
        while (true) {
            FillResponse page = page(row, gap.end());
            listener.written(page);
            totals = totals.plus(page);
            byte[] next = nextAfter(page);
            if (gap.endsBy(next)) {
                report(gap, totals, isLast);
                return;
            }
            if (Bytes.compareTo(next, row) <= 0) {
                throw new DoNotRetryIOException("A region was called with row " + Bytes.toStringBinary(row)
                        + " and returned row " + Bytes.toStringBinary(next)
                        + ", which is not after it, as the next one; do job and servers have the same version?");
            }
            row = next;
            if (nanoTime.getAsLong() - reported >= REPORT_NANOS) {
                report(new KeyRange(gap.start(), next), totals, false);
                reported = nanoTime.getAsLong();
            }
        }
    }

    private FillResponse page(byte[] row, byte[] end) throws IOException {
        int rows = gate.pass(rowsOfAPage);
        return retries.get(() -> service.fill(row, end, rows, msOfAPage));
    }

    private static byte[] nextAfter(FillResponse page) throws DoNotRetryIOException {
        if (!page.hasNextRow() && !page.hasRegionEnd()) {
            throw new DoNotRetryIOException("A region server does not report where its region ends; it runs an older"
                    + " version of Diff-Index, upgrade it first");
        }
        return (page.hasNextRow() ? page.getNextRow() : page.getRegionEnd()).toByteArray();
    }

    private void report(KeyRange done, PageTotals totals, boolean completes) throws IOException {
        retries.get(() -> {
            service.backfilled(done, totals, completes);
            return null;
        });
    }
}
