package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;
import org.diffindex.lab.chaos.Violation.Kind;

/** Reads a table by index and checks every answer. Thread-safe. */
final class IndexReads {
    private static final int WIDEST_RANGE = 5;
    private static final int MOST_HITS = 12;

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

    /**
     * One read.
     *
     * @param index the name of the index
     * @param range the values to read
     * @param limit the maximum number of hits, if any
     * @param withRows whether to return the base rows
     */
    record Question(String index, ValueRange range, OptionalInt limit, boolean withRows) {
        /** Returns a read of the keys of all rows in a range. */
        static Question keys(String index, ValueRange range) {
            return new Question(index, range, OptionalInt.empty(), false);
        }

        /**
         * Returns reads by each index: of each value alone, and of all values with and without a limit and base rows.
         */
        static List<Question> all() {
            List<Question> all = new ArrayList<>();
            ValueRange everything = new ValueRange(0, ValueRange.DOMAIN);
            for (String index : ChaosTable.INDEXES) {
                for (int value = 0; value < ValueRange.DOMAIN; value++) {
                    all.add(keys(index, new ValueRange(value, 1)));
                }
                for (boolean withRows : new boolean[] {false, true}) {
                    all.add(new Question(index, everything, OptionalInt.empty(), withRows));
                    all.add(new Question(index, everything, OptionalInt.of(MOST_HITS), withRows));
                }
            }
            return all;
        }

        /** Returns a random read; one in five is about the values around a region border of the indexes. */
        static Question any(Random random) {
            if (random.nextInt(5) == 0) {
                int border = ChaosTable.BORDERS.get(random.nextInt(ChaosTable.BORDERS.size()));
                return about(new ValueRange(border - WIDEST_RANGE / 2, WIDEST_RANGE), random);
            }
            int count = random.nextInt(5) > 0 ? 1 : 2 + random.nextInt(WIDEST_RANGE - 1);
            return about(new ValueRange(random.nextInt(ValueRange.DOMAIN - count + 1), count), random);
        }

        /** Returns a read of the keys of all rows whose values are around a region border of the indexes. */
        static Question across(int border, Random random) {
            return keys(
                    ChaosTable.INDEXES.get(random.nextInt(ChaosTable.INDEXES.size())),
                    new ValueRange(border - WIDEST_RANGE / 2, WIDEST_RANGE));
        }

        /** Returns a read of these values by a random index, sometimes with a limit, and sometimes with base rows. */
        static Question about(ValueRange range, Random random) {
            return new Question(
                    ChaosTable.INDEXES.get(random.nextInt(ChaosTable.INDEXES.size())),
                    range,
                    random.nextInt(6) == 0 ? OptionalInt.of(1 + random.nextInt(MOST_HITS)) : OptionalInt.empty(),
                    random.nextInt(5) == 0);
        }

        private IndexQuery query() {
            IndexQuery.Builder query = IndexQuery.index(index);
            if (range.count() == 1) {
                query.equalTo(range.low());
            } else {
                query.from(range.low()).toInclusive(range.high());
            }
            limit.ifPresent(query::limit);
            return (withRows ? query.withRows() : query).build();
        }
    }

    /** An action while a read is in flight. */
    @FunctionalInterface
    interface Interlude {
        void run() throws InterruptedException;
    }

    /** Reads outside of a session, and adds the violations that the answer shows. */
    void read(Question question) throws IOException, InterruptedException {
        read(question, () -> {});
    }

    /** Reads outside of a session, with an interlude after the first hit; adds the violations that the answer shows. */
    void read(Question question, Interlude interlude) throws IOException, InterruptedException {
        try (ReadCheck check = ReadCheck.begin(history, question.range(), RowWrite.NO_SESSION, question.limit())) {
            read(check, question.query(), table::getByIndex, interlude);
        }
    }

    /**
     * Reads in a session, and adds the violations that the answer shows.
     *
     * @param number the number that identifies the session in the history
     */
    void read(Question question, Session session, long number) throws IOException, InterruptedException {
        try (ReadCheck check = ReadCheck.begin(history, question.range(), number, question.limit())) {
            read(check, question.query(), session::getByIndex, () -> {});
        }
        tally.sessionReads.increment();
    }

    private void read(ReadCheck check, IndexQuery query, Opening opening, Interlude interlude)
            throws IOException, InterruptedException {
        List<Hit> hits = new ArrayList<>();
        try (IndexScanner scanner = opening.open(query)) {
            for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                if (hits.isEmpty()) {
                    interlude.run();
                }
                hits.add(hitOf(hit, query));
            }
        } catch (IOException e) {
            tally.failedReads.increment();
            if (Blame.isOurs(e)) {
                String what = e.getClass().getName();
                violations.add(
                        Kind.FAILED, history.scheme(), what, history.clock().getAsLong(), String.valueOf(e));
            }
            throw e;
        }
        check.end(hits).forEach(violations::add);
        tally.reads.increment();
        tally.hits.add(hits.size());
        tally.must.add(check.mustCount());
        tally.moved.add(check.movedCount());
    }

    private static Hit hitOf(IndexHit found, IndexQuery query) {
        List<byte[]> values = found.values();
        return new Hit(
                Bytes.toString(found.row()),
                Bytes.toString(values.get(0)),
                values.size() > 1 ? OptionalLong.of(Bytes.toLong(values.get(1))) : OptionalLong.empty(),
                query.isWithRows() ? Optional.of(baseRowOf(found)) : Optional.empty());
    }

    private static Hit.BaseRow baseRowOf(IndexHit found) {
        Result row = found.result();
        boolean isOfHit = !row.isEmpty() && Bytes.equals(row.getRow(), found.row());
        long newest = Stream.of(ChaosTable.VALUE, ChaosTable.NUMBER)
                .limit(found.values().size())
                .map(column -> row.getColumnLatestCell(ChaosTable.FAMILY, column))
                .filter(Objects::nonNull)
                .mapToLong(Cell::getTimestamp)
                .max()
                .orElse(-1);
        return new Hit.BaseRow(isOfHit ? ChaosTable.stateOf(row) : RowState.NONE, newest == found.timestamp());
    }
}
