package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.model.IndexDefinition;
import org.diffindex.tasks.KeyRange;
import org.diffindex.tasks.Waiting;

/**
 * Compares the rows of a range of one of an index's two tables with the other table, one by one: a part of a scrub by many
 * processes. Ranges that together cover both tables find what a {@link Scrubber} finds. Differences are settled, and repaired,
 * as it does that. Used by one thread.
 */
public final class RangeScrub {
    private static final int SECONDS_OF_SILENCE = 10;
    private static final int PAGE = 500;

    private final ScrubParts parts;
    private long compared;

    RangeScrub(
            ScrubTables unpaced,
            IndexDefinition definition,
            ScrubOptions options,
            Waiting waiting,
            InstantSource clock) {
        this.parts = ScrubParts.of(unpaced, definition, options, waiting, clock);
    }

    /** Compares a page of rows that were just read. */
    @FunctionalInterface
    private interface Look<T> {
        List<Sight> at(List<T> page) throws IOException;
    }

    /**
     * Compares base rows with their entries; the report counts no entries.
     *
     * @param alive called every few seconds, whatever is compared and found, except while a single call lasts longer
     * @throws IOException as {@link Scrubber#scrub}
     */
    public static ScrubReport ofBase(
            Connection connection, IndexDefinition definition, KeyRange range, ScrubOptions options, Runnable alive)
            throws IOException {
        return of(connection, definition, options, alive).base(range);
    }

    /**
     * Compares entries with their base rows; the report counts no base rows.
     *
     * @param alive called as by {@link #ofBase}
     * @throws IOException as {@link Scrubber#scrub}
     */
    public static ScrubReport ofIndex(
            Connection connection, IndexDefinition definition, KeyRange range, ScrubOptions options, Runnable alive)
            throws IOException {
        return of(connection, definition, options, alive).index(range);
    }

    private static RangeScrub of(
            Connection connection, IndexDefinition definition, ScrubOptions options, Runnable alive) {
        int together = Scrubber.rowsTogether(options);
        return new RangeScrub(
                new ClusterTables(connection, definition, together, alive),
                definition,
                options,
                time -> sleep(time, alive),
                InstantSource.system());
    }

    /** Sleeps, and tells every few seconds that it is alive: an engine ends a task that is silent for minutes. */
    private static void sleep(Duration time, Runnable alive) throws InterruptedException {
        long begin = System.nanoTime();
        for (long left = time.toNanos(); left > 0; left = time.toNanos() - (System.nanoTime() - begin)) {
            alive.run();
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.SECONDS.toNanos(SECONDS_OF_SILENCE)));
        }
    }

    ScrubReport base(KeyRange range) throws IOException {
        long start = System.nanoTime();
        List<Result> page = new ArrayList<>();
        parts.tables().scanBase(scanned(range), row -> {
            if (parts.judge().expected(row).isPresent()) {
                add(row, page, parts.looks()::missing);
            }
        });
        finish(page, parts.looks()::missing);
        return parts.report().complete(compared, 0, since(start));
    }

    ScrubReport index(KeyRange range) throws IOException {
        long start = System.nanoTime();
        List<IndexRow> page = new ArrayList<>();
        parts.tables().scanIndex(scanned(range), row -> add(parts.judge().read(row), page, parts.looks()::wrong));
        finish(page, parts.looks()::wrong);
        return parts.report().complete(0, compared, since(start));
    }

    private static ScrubRange scanned(KeyRange range) {
        return new ScrubRange(range.start(), range.end(), range.start(), range.end());
    }

    private <T> void add(T row, List<T> page, Look<T> look) throws IOException {
        page.add(row);
        if (page.size() == PAGE) {
            compare(page, look);
        }
    }

    private <T> void finish(List<T> page, Look<T> look) throws IOException {
        compare(page, look);
        parts.settlement().settle();
    }

    private <T> void compare(List<T> page, Look<T> look) throws IOException {
        compared += page.size();
        if (!page.isEmpty()) {
            parts.settlement().add(look.at(List.copyOf(page)));
            page.clear();
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
