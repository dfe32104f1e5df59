package org.diffindex.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.model.IndexEntry;

/** Looks at single places of base and index, a page of them in two batched reads. Safe for use by many threads. */
final class Looks {
    private static final Result ABSENT = Result.EMPTY_RESULT;

    private final ScrubTables tables;
    private final EntryJudge judge;

    Looks(ScrubTables tables, EntryJudge judge) {
        this.tables = tables;
        this.judge = judge;
    }

    /** Which of these base rows, as they were just read, lack their entry. */
    List<Sight> missing(List<Result> baseRows) throws IOException {
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
                    tables.indexRows(expected.stream().map(IndexEntry::key).toList());
            for (int i = 0; i < found.length; i++) {
                judge.missing(rows.get(i), expected.get(i), found[i]).ifPresent(sights::add);
            }
        }
        return sights;
    }

    /** Which of these rows of the index table, as they were just read, are not as they should be. */
    List<Sight> wrong(List<IndexRow> indexRows) throws IOException {
        List<Optional<byte[]>> rows =
                indexRows.stream().map(each -> judge.rowOf(each.key())).toList();
        List<byte[]> named = rows.stream().flatMap(Optional::stream).toList();
        Result[] found = named.isEmpty() ? new Result[0] : tables.baseRows(named);
        List<Sight> sights = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < indexRows.size(); i++) {
            Result baseRow = rows.get(i).isPresent() ? found[next++] : ABSENT;
            judge.wrong(indexRows.get(i), rows.get(i), baseRow).ifPresent(sights::add);
        }
        return sights;
    }

    /** Looks at base rows again by their keys. */
    List<Sight> missingAt(List<byte[]> rows) throws IOException {
        return rows.isEmpty() ? List.of() : missing(present(tables.baseRows(rows)));
    }

    /** Looks at rows of the index table again by their keys. */
    List<Sight> wrongAt(List<byte[]> keys) throws IOException {
        return keys.isEmpty()
                ? List.of()
                : wrong(present(tables.indexRows(keys)).stream()
                        .map(IndexRow::of)
                        .toList());
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
