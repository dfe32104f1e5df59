package org.diffindex.verify;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.model.IndexEntry;

/** Compares single places of base and index, a page of them in two batched reads. Safe for use by many threads. */
final class Looks {
    /**
     * The most, in milliseconds, by which the clocks of this client and of the servers may differ: HBase's default
     * limit for the clocks of a region server and the master.
     */
    private static final long CLOCKS_DIFFER_MS = 30_000;

    private static final Result ABSENT = Result.EMPTY_RESULT;

    private final ScrubTables tables;
    private final EntryJudge judge;
    private final InstantSource clock;
    private final StampHorizon horizon;

    Looks(ScrubTables tables, EntryJudge judge, InstantSource clock) {
        this.tables = tables;
        this.judge = judge;
        this.clock = clock;
        this.horizon = new StampHorizon(tables);
    }

    /** Returns those of these base rows, which were just read, that lack their entries. */
    List<Sight> missing(List<Result> baseRows) throws IOException {
        return missing(tables, baseRows);
    }

    private List<Sight> missing(ScrubTables reads, List<Result> baseRows) throws IOException {
        List<byte[]> rows = new ArrayList<>();
        List<IndexEntry> expected = new ArrayList<>();
        for (Result baseRow : baseRows) {
            judge.expected(baseRow).ifPresent(entry -> {
                rows.add(baseRow.getRow());
                expected.add(entry);
            });
        }
        List<Sight> sights = new ArrayList<>();
        if (!rows.isEmpty()) {
            Result[] found =
                    reads.indexRows(expected.stream().map(IndexEntry::key).toList());
            for (int i = 0; i < found.length; i++) {
                judge.missing(rows.get(i), expected.get(i), found[i]).ifPresent(sights::add);
            }
        }
        return sights;
    }

    /** Returns the differences of these rows of the index table, which were just read. */
    List<Sight> wrong(List<IndexRow> indexRows) throws IOException {
        return wrong(tables, indexRows);
    }

    private List<Sight> wrong(ScrubTables reads, List<IndexRow> indexRows) throws IOException {
        List<Optional<byte[]>> rows =
                indexRows.stream().map(each -> judge.rowOf(each.key())).toList();
        List<byte[]> named = rows.stream().flatMap(Optional::stream).toList();
        Result[] found = named.isEmpty() ? new Result[0] : reads.baseRows(named);
        List<Sight> sights = new ArrayList<>();
        List<Seen> ahead = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < indexRows.size(); i++) {
            IndexRow each = indexRows.get(i);
            Result baseRow = rows.get(i).isPresent() ? found[next++] : ABSENT;
            Optional<Sight> sight = judge.wrong(each, rows.get(i), baseRow);
            if (judge.isWorseOfTheFuture(sight) && isAhead(each, rows.get(i))) {
                ahead.add(new Seen(each, baseRow, sight));
            } else {
                sight.ifPresent(sights::add);
            }
        }
        sights.addAll(futureOrElse(ahead));
        return sights;
    }

    /** An entry whose stamp may be in the future, its base row, and its other difference, if any. */
    private record Seen(IndexRow entry, Result baseRow, Optional<Sight> otherwise) {}

    /**
     * Returns whether a row of the index table may have a future stamp: its stamp is later than any that its base
     * region had issued when the scrub first asked. The region is not asked about stamps that are {@link
     * #CLOCKS_DIFFER_MS} or more before this client's clock.
     *
     * @param row the base row that its key names; empty if the key names none
     */
    boolean isAhead(IndexRow indexRow, Optional<byte[]> row) throws IOException {
        if (indexRow.stamp() <= clock.millis() - CLOCKS_DIFFER_MS) {
            return false;
        }
        return row.isPresent() && indexRow.stamp() > horizon.of(row.get());
    }

    /**
     * Returns for each of these entries a future stamp, if no write of its row can have had that stamp, or else its
     * other difference, if any.
     */
    private List<Sight> futureOrElse(List<Seen> entries) throws IOException {
        if (entries.isEmpty()) {
            return List.of();
        }
        List<byte[]> rows = entries.stream()
                .map(seen -> judge.rowOf(seen.entry().key()).orElseThrow())
                .toList();
        long[] latest = tables.latestStamps(rows);
        List<Sight> sights = new ArrayList<>();
        for (int i = 0; i < latest.length; i++) {
            Seen seen = entries.get(i);
            if (seen.entry().stamp() > latest[i]) {
                sights.add(judge.future(seen.entry(), rows.get(i), seen.baseRow()));
            } else {
                seen.otherwise().ifPresent(sights::add);
            }
        }
        return sights;
    }

    /** Compares base rows again, by their keys, in two reads without a wait in between. */
    List<Sight> missingAt(List<byte[]> rows) throws IOException {
        if (rows.isEmpty()) {
            return List.of();
        }
        ScrubTables reads = tables.afterWaitFor(2 * rows.size());
        return missing(reads, present(reads.baseRows(rows)));
    }

    /** Compares rows of the index table again, by their keys, in two reads without a wait in between. */
    List<Sight> wrongAt(List<byte[]> keys) throws IOException {
        if (keys.isEmpty()) {
            return List.of();
        }
        ScrubTables reads = tables.afterWaitFor(2 * keys.size());
        return wrong(
                reads, present(reads.indexRows(keys)).stream().map(judge::read).toList());
    }

    private static List<Result> present(Result[] results) {
        List<Result> present = new ArrayList<>();
        for (Result result : results) {
            if (!result.isEmpty()) {
                present.add(result);
            }
        }
        return present;
    }
}
