package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.tasks.Waiting;
import org.diffindex.verify.ScrubProgress.Stage;

/**
 * Compares an index with its base table while writers continue, and repairs it on request.
 *
 * <pre>{@code
 * IndexDefinition index = admin.describeIndex(TableName.valueOf("flights"), "by_origin");
 * ScrubReport report = Scrubber.scrub(connection, index, ScrubOptions.DEFAULT.withRepair(true), ScrubListener.NONE);
 * if (!report.isClean()) {
 *     System.out.println(report);
 * }
 * }</pre>
 *
 * <ol>
 *   <li>Base and index are each streamed once, region by region, into order-independent digests of buckets of rows. If
 *       the digests agree, and no entry is suspect, the scrub is complete.
 *   <li>Where digests differ, both tables are streamed again, and only the entries of these buckets are compared: each
 *       entry of the index with its base row, each base row with its entry.
 *   <li>Each difference is settled by a {@link Settlement}: it counts only if it remains when the writes that were in
 *       flight are done, unless the scheme allows it.
 * </ol>
 *
 * <p>A row and its entries stay in their bucket whatever is written to the row. Therefore, if the row and its entries
 * differed as the first pass read them, the second pass compares them as they are then. A difference that arises after
 * the first pass has read the row or its entry may be left to the next scrub: this scrub finds it only if the digests
 * of its bucket differ.
 *
 * <p>Digests do not cover stamps. Therefore entries whose stamps may lie in the future are looked up one by one in the
 * first pass, and a bucket with such an entry that is wrong counts as different.
 *
 * <p>Memory does not grow with the number of rows or differences: it holds the digests, a stamp for each region, a page
 * of rows for each thread, and a bounded number of differences. Used by one thread, once.
 */
public final class Scrubber {
    private static final int PAGE = 500;
    private static final int TELL_EVERY = 1_000;

    private final ScrubOptions options;
    private final ScrubParts parts;
    private final RangePass pass;

    Scrubber(
            ScrubTables unpaced,
            IndexDefinition definition,
            ScrubOptions options,
            ScrubListener listener,
            Waiting waiting,
            InstantSource clock) {
        this.options = options;
        this.parts = ScrubParts.of(unpaced, definition, options, waiting, clock);
        this.pass = new RangePass(options.threads(), listener);
    }

    /**
     * Compares an index with its base table, and repairs it if the options say so. Judges it by the scheme by which readers
     * read it, which the report names, while its scheme is being changed.
     *
     * @throws DoNotRetryIOException if the index is BUILDING; nothing was compared
     * @throws IOException if a table cannot be read, index updates in flight are not delivered within the drain
     *     timeout, or a repair fails; repairs made before are complete
     */
    public static ScrubReport scrub(
            Connection connection, IndexDefinition definition, ScrubOptions options, ScrubListener listener)
            throws IOException {
        JudgedIndex index = JudgedIndex.of(connection, definition);
        return compare(connection, index.definition(), options, listener).whileChangingTo(index.changingTo());
    }

    /** Does what {@link #scrub} does, but judges by the scheme of the definition, whichever scheme readers read by. */
    static ScrubReport scrubAs(
            Connection connection, IndexDefinition definition, ScrubOptions options, ScrubListener listener)
            throws IOException {
        JudgedIndex.requireComplete(connection, definition);
        return compare(connection, definition, options, listener);
    }

    private static ScrubReport compare(
            Connection connection, IndexDefinition definition, ScrubOptions options, ScrubListener listener)
            throws IOException {
        ClusterTables tables = new ClusterTables(connection, definition, rowsTogether(options), () -> {});
        return new Scrubber(tables, definition, options, listener, Scrubber::sleep, InstantSource.system()).run();
    }

    /** Returns how many rows a scanner fetches in one call: as many as a second allows each thread. */
    static int rowsTogether(ScrubOptions options) {
        double ofEachThread = options.rowsPerSecond() / options.threads();
        return options.rowsPerSecond() == 0
                ? ClusterTables.MOST_TOGETHER
                : (int) Math.max(1, Math.min(ClusterTables.MOST_TOGETHER, ofEachThread));
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    ScrubReport run() throws IOException {
        long start = System.nanoTime();
        BucketDigests should = new BucketDigests(options.buckets());
        BucketDigests is = new BucketDigests(options.buckets());
        BitSet suspect = digest(should, is);
        BitSet different = should.differenceFrom(is);
        different.or(suspect);
        if (!different.isEmpty()) {
            compare((row, key) -> different.get(should.bucketOf(row, key)));
        }
        parts.settlement().settle();
        return parts.report().complete(should.total(), is.total(), Duration.ofNanos(System.nanoTime() - start));
    }

    /**
     * Digests both tables, and compares entries whose stamps may be in the future.
     *
     * @return the buckets of entries that were wrong then; they may be wrong in another way by the time they are
     *     compared
     */
    private BitSet digest(BucketDigests should, BucketDigests is) throws IOException {
        BitSet suspect = new BitSet();
        List<RangePass.Task> tasks = new ArrayList<>();
        for (ScrubRange range : parts.tables().indexRanges()) {
            tasks.add(position -> {
                Page<IndexRow> ahead =
                        new Page<>(entries -> suspect(parts.looks().wrong(entries), should, suspect));
                read(parts.tables()::scanIndex, range, position, indexRow -> {
                    IndexRow entry = parts.judge().read(indexRow);
                    Optional<byte[]> row = parts.judge().rowOf(entry.key());
                    is.add(row, entry);
                    if (parts.looks().isAhead(entry, row)) {
                        ahead.add(entry);
                    }
                });
                ahead.flush();
            });
        }
        for (ScrubRange range : parts.tables().baseRanges()) {
            tasks.add(position -> read(parts.tables()::scanBase, range, position, row -> parts.judge()
                    .expected(row)
                    .ifPresent(entry -> should.add(Optional.of(row.getRow()), entry))));
        }
        pass.run(Stage.DIGEST, tasks);
        return suspect;
    }

    private static void suspect(List<Sight> wrong, BucketDigests buckets, BitSet suspect) {
        synchronized (suspect) {
            wrong.forEach(sight -> suspect.set(buckets.bucketOf(sight.row(), sight.place())));
        }
    }

    /**
     * Compares the entries in buckets that differ.
     *
     * @param differs whether the bucket of a base row and index key differs
     */
    private void compare(BiPredicate<Optional<byte[]>, byte[]> differs) throws IOException {
        List<RangePass.Task> tasks = new ArrayList<>();
        for (ScrubRange range : parts.tables().indexRanges()) {
            tasks.add(position -> {
                Page<IndexRow> page = new Page<>(
                        entries -> parts.settlement().add(parts.looks().wrong(entries)));
                read(parts.tables()::scanIndex, range, position, row -> {
                    IndexRow entry = parts.judge().read(row);
                    if (differs.test(parts.judge().rowOf(entry.key()), entry.key())) {
                        page.add(entry);
                    }
                });
                page.flush();
            });
        }
        for (ScrubRange range : parts.tables().baseRanges()) {
            tasks.add(position -> {
                Page<Result> page =
                        new Page<>(rows -> parts.settlement().add(parts.looks().missing(rows)));
                read(parts.tables()::scanBase, range, position, row -> {
                    Optional<IndexEntry> entry = parts.judge().expected(row);
                    if (entry.isPresent()
                            && differs.test(
                                    Optional.of(row.getRow()), entry.get().key())) {
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

    /** Scans a range, counts its rows, and reports its position. */
    private void read(RangeScan scan, ScrubRange range, RangePass.Position position, ScrubTables.Rows rows)
            throws IOException {
        int[] untold = new int[1];
        scan.run(range, row -> {
            if (++untold[0] == TELL_EVERY) {
                untold[0] = 0;
                position.at(range.fraction(row.getRow()), TELL_EVERY);
            }
            rows.next(row);
        });
        position.at(1, untold[0]);
    }

    /** Rows that are compared together. */
    private static final class Page<T> {
        /** Compares a page. */
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
