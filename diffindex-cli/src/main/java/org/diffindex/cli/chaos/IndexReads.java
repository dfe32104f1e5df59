package org.diffindex.cli.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.cli.chaos.Violation.Kind;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;

/** Reads a table by index and checks every answer. Safe for use by many threads. */
final class IndexReads {
    private final IndexedTable table;
    private final SchemeHistory history;
    private final Violations violations;
    private final Tally tally;

    IndexReads(IndexedTable table, SchemeHistory history, Violations violations, Tally tally) {
        this.table = table;
        this.history = history;
        this.violations = violations;
        this.tally = tally;
    }

    /** Opens the scanner of a read. */
    @FunctionalInterface
    private interface Opening {
        IndexScanner open(IndexQuery query) throws IOException;
    }

    /** Reads outside of all sessions. */
    void read(String index, ValueRange range, boolean withRows) throws IOException {
        try (ReadCheck check = ReadCheck.begin(history, range)) {
            read(check, query(index, range, withRows), table::getByIndex);
        }
    }

    /** Reads in a session, which goes by that number in the history. */
    void read(String index, ValueRange range, Session session, long number) throws IOException {
        try (ReadCheck check = ReadCheck.begin(history, range, number)) {
            read(check, query(index, range, false), session::getByIndex);
        }
        tally.sessionReads.increment();
    }

    private void read(ReadCheck check, IndexQuery query, Opening opening) throws IOException {
        List<Hit> hits = new ArrayList<>();
        try (IndexScanner scanner = opening.open(query)) {
            for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                hits.add(hitOf(hit, query));
            }
        } catch (IOException e) {
            tally.failedReads.increment();
            throw e;
        }
        check.end(hits).forEach(violations::add);
        tally.reads.increment();
        tally.hits.add(hits.size());
        tally.must.add(check.mustCount());
    }

    private Hit hitOf(IndexHit found, IndexQuery query) {
        Hit hit = new Hit(
                Bytes.toString(found.row()), Bytes.toString(found.values().get(0)));
        if (query.isWithRows()) {
            RowState state = ChaosTable.stateOf(found.result());
            // Every tag ends with the value that was written with it.
            boolean fits = state.has(hit.value())
                    && state.tag().filter(tag -> tag.endsWith(hit.value())).isPresent();
            if (!fits) {
                violations.add(new Violation(
                        Kind.TORN,
                        history.scheme(),
                        hit.row(),
                        hit.value(),
                        history.clock().getAsLong(),
                        query + " found " + found + ", whose row shows " + state));
            }
        }
        return hit;
    }

    private static IndexQuery query(String index, ValueRange range, boolean withRows) {
        IndexQuery.Builder query = IndexQuery.index(index);
        if (range.count() == 1) {
            query.equalTo(range.low());
        } else {
            query.from(range.low()).toInclusive(range.high());
        }
        return (withRows ? query.withRows() : query).build();
    }
}
