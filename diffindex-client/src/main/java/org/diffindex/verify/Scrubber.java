package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.RateLimiter;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;
import org.diffindex.verify.ScrubProgress.Stage;

/**
 * Compares an index with its base table while writers go on.
 *
 * <ol>
 *   <li>Base and index are each streamed once, region by region, into digests of buckets of keys, which do not depend on
 *       the order. A table that nobody writes is done here if all is well.
 *   <li>Where digests differ both are streamed again, and the entries of these buckets alone are looked at: each entry of
 *       the index with its base row, each base row with its entry.
 *   <li>What is not as it should be is settled by a {@link Settlement}: it counts only if it is still there when the
 *       writes that were on their way are done.
 * </ol>
 *
 * <p>Memory does not grow with the tables, however much differs: the digests, a page of rows for each thread, and a bounded
 * number of differences. For use by one thread, once.
 */
public final class Scrubber {
    private static final int PAGE = 500;
    private static final int TELL_EVERY = 1_000;

    private final ScrubTables tables;
    private final ScrubOptions options;
    private final EntryJudge judge;
    private final Looks looks;
    private final ScrubReportDraft report;
    private final Settlement settlement;
    private final LongConsumer throttle;
    private final RangePass pass;

    Scrubber(
            ScrubTables tables,
            IndexDefinition definition,
            ScrubOptions options,
            ScrubListener listener,
            Settlement.Waiting waiting) {
        this.tables = tables;
        this.options = options;
        this.judge = new EntryJudge(definition);
        this.looks = new Looks(tables, judge);
        this.report = new ScrubReportDraft(definition, options.samples());
        this.settlement = new Settlement(tables, looks, report, options, waiting);
        this.throttle = throttle(options.rowsPerSecond());
        this.pass = new RangePass(options.threads(), listener);
    }

    /**
     * Compares an index with its base table, and repairs it if the options say so.
     *
     * @throws DoNotRetryIOException if the index is still being filled
     * @throws IOException if a table cannot be read, or updates on their way do not arrive
     */
    public static ScrubReport scrub(
            Connection connection, IndexDefinition definition, ScrubOptions options, ScrubListener listener)
            throws IOException {
        if (definition.state() != IndexState.ACTIVE) {
            throw new DoNotRetryIOException("Index " + definition.name() + " on " + definition.table() + " is "
                    + definition.state()
                    + " and lacks rows yet; nothing was compared; scrub it when it is ACTIVE, or, if"
                    + " nobody is creating it any more, drop it and create it again");
        }
        ClusterTables tables = new ClusterTables(connection, definition);
        return new Scrubber(tables, definition, options, listener, Settlement::sleep).run();
    }

    private static LongConsumer throttle(double rowsPerSecond) {
        if (rowsPerSecond == 0) {
            return rows -> {};
        }
        RateLimiter limiter = RateLimiter.create(rowsPerSecond);
        return rows -> {
            double unused = limiter.acquire((int) rows);
        };
    }

    ScrubReport run() throws IOException {
        long start = System.nanoTime();
        BucketDigests should = new BucketDigests(options.buckets());
        BucketDigests is = new BucketDigests(options.buckets());
        digest(should, is);
        BitSet different = should.differenceFrom(is);
        if (!different.isEmpty()) {
            compare(should, different);
            settlement.settle();
        }
        return report.complete(should.total(), is.total(), Duration.ofNanos(System.nanoTime() - start));
    }

    private void digest(BucketDigests should, BucketDigests is) throws IOException {
        List<RangePass.Task> tasks = new ArrayList<>();
        for (ScrubRange range : tables.indexRanges()) {
            tasks.add(position -> read(tables::scanIndex, range, position, row -> is.add(IndexRow.of(row))));
        }
        for (ScrubRange range : tables.baseRanges()) {
            tasks.add(position -> read(tables::scanBase, range, position, row -> judge.expected(row)
                    .ifPresent(should::add)));
        }
        pass.run(Stage.DIGEST, tasks);
    }

    private void compare(BucketDigests digests, BitSet different) throws IOException {
        List<RangePass.Task> tasks = new ArrayList<>();
        for (ScrubRange range : tables.indexRanges()) {
            tasks.add(position -> {
                Page<IndexRow> page = new Page<>(entries -> settlement.add(looks.wrong(entries)));
                read(tables::scanIndex, range, position, row -> {
                    IndexRow entry = IndexRow.of(row);
                    if (different.get(digests.bucketOf(entry.key()))) {
                        page.add(entry);
                    }
                });
                page.flush();
            });
        }
        for (ScrubRange range : tables.baseRanges()) {
            tasks.add(position -> {
                Page<Result> page = new Page<>(rows -> settlement.add(looks.missing(rows)));
                read(tables::scanBase, range, position, row -> {
                    boolean differs = judge.expected(row)
                            .filter(entry -> different.get(digests.bucketOf(entry.key())))
                            .isPresent();
                    if (differs) {
                        page.add(row);
                    }
                });
                page.flush();
            });
        }
        pass.run(Stage.COMPARE, tasks);
    }

    /** Scans a range of one of the tables. */
    @FunctionalInterface
    private interface RangeScan {
        void run(ScrubRange range, ScrubTables.Rows rows) throws IOException;
    }

    /** Scans a range, counts its rows, tells where it is, and keeps to the rate. */
    private void read(RangeScan scan, ScrubRange range, RangePass.Position position, ScrubTables.Rows rows)
            throws IOException {
        int[] untold = new int[1];
        scan.run(range, row -> {
            if (++untold[0] == TELL_EVERY) {
                untold[0] = 0;
                position.at(range.fraction(row.getRow()), TELL_EVERY);
                throttle.accept(TELL_EVERY);
            }
            rows.next(row);
        });
        position.at(1, untold[0]);
    }

    /** Rows that are looked at together. */
    private static final class Page<T> {
        /** Looks at them. */
        @FunctionalInterface
        interface Look<T> {
            void at(List<T> page) throws IOException;
        }

        private final Look<T> look;
        private List<T> rows = new ArrayList<>();

        Page(Look<T> look) {
            this.look = look;
        }

        void add(T row) throws IOException {
            rows.add(row);
            if (rows.size() == PAGE) {
                flush();
            }
        }

        void flush() throws IOException {
            List<T> page = rows;
            rows = new ArrayList<>();
            if (!page.isEmpty()) {
                look.at(page);
            }
        }
    }
}
