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
import org.apache.hadoop.hbase.client.Get;
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
    private static final int SMALL_PAGE = 2;

    private final IndexedTable table;
    private final BaseTable base;
    private final SchemeHistory history;
    private final Violations violations;
    private final Tally tally;

    /**
     * Creates reads of a table.
     *
     * @param base the same table, read by row key
     */
    IndexReads(IndexedTable table, BaseTable base, SchemeHistory history, Violations violations, Tally tally) {
        this.table = table;
        this.base = base;
        this.history = history;
        this.violations = violations;
        this.tally = tally;
    }

    /** Reads rows by their keys. */
    @FunctionalInterface
    interface BaseTable {
        /** Returns the rows, in the order of the keys. */
        Result[] get(List<Get> gets) throws IOException;
    }

    /** Opens the scanner of a read. */
    @FunctionalInterface
    private interface Opening {
        IndexScanner open(IndexQuery query) throws IOException;
    }

    /** Makes of the hits of the client those that are checked. */
    @FunctionalInterface
    private interface Conversion {
        List<Hit> of(List<IndexHit> found) throws IOException;
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
         * Returns reads by each of some indexes: of each value alone, and of all values with and without a limit and base
         * rows.
         */
        static List<Question> all(List<String> indexes) {
            List<Question> all = ofAllValues(indexes);
            for (String index : indexes) {
                for (int value = 0; value < ValueRange.DOMAIN; value++) {
                    all.add(keys(index, new ValueRange(value, 1)));
                }
            }
            return all;
        }

        /** Returns reads of all values by each of some indexes, with and without a limit and base rows. */
        static List<Question> ofAllValues(List<String> indexes) {
            List<Question> all = new ArrayList<>();
            ValueRange everything = new ValueRange(0, ValueRange.DOMAIN);
            for (String index : indexes) {
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
            return builder().build();
        }

        private IndexQuery.Builder builder() {
            IndexQuery.Builder query = IndexQuery.index(index);
            if (range.count() == 1) {
                query.equalTo(range.low());
            } else {
                query.from(range.low()).toInclusive(range.high());
            }
            limit.ifPresent(query::limit);
            return withRows ? query.withRows() : query;
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
            IndexQuery query = question.query();
            read(check, query, table::getByIndex, interlude, found -> hitsOf(found, query));
        }
    }

    /**
     * Reads outside of a session, and then the rows of those hits that came without; adds the violations that the
     * answer shows, and those of hits with other timestamps than their rows. Requires that no client writes.
     */
    void readWithTimes(Question question) throws IOException, InterruptedException {
        try (ReadCheck check = ReadCheck.begin(history, question.range(), RowWrite.NO_SESSION, question.limit())) {
            IndexQuery query = question.query();
            read(
                    check,
                    query,
                    table::getByIndex,
                    () -> {},
                    found -> query.isWithRows() ? hitsOf(found, query) : lookedUp(found));
        }
    }

    /**
     * Reads in a session, and adds the violations that the answer shows.
     *
     * @param number the number that identifies the session in the history
     */
    void read(Question question, Session session, long number) throws IOException, InterruptedException {
        readIn(session, number, question, question.query());
        tally.sessionReads.increment();
    }

    /** Writes in a session. */
    @FunctionalInterface
    interface SessionWrites {
        /**
         * Writes some rows.
         *
         * @param number the number that identifies the session in the history
         */
        void write(Session session, long number) throws IOException, InterruptedException;
    }

    /**
     * Reads all values in a new session that has written, in every way, those with a limit also in small pages, and
     * adds the violations that the answers show.
     */
    void readInSession(SessionWrites writes) throws IOException, InterruptedException {
        long number = SessionClient.nextNumber();
        try (Session session = table.openSession()) {
            writes.write(session, number);
            for (Question question : Question.ofAllValues(ChaosTable.INDEXES)) {
                readIn(session, number, question, question.query());
                if (question.limit().isPresent()) {
                    readIn(
                            session,
                            number,
                            question,
                            question.builder().caching(SMALL_PAGE).build());
                }
            }
        }
    }

    private void readIn(Session session, long number, Question question, IndexQuery query)
            throws IOException, InterruptedException {
        try (ReadCheck check = ReadCheck.begin(history, question.range(), number, question.limit())) {
            read(check, query, session::getByIndex, () -> {}, found -> hitsOf(found, query));
        }
    }

    private void read(ReadCheck check, IndexQuery query, Opening opening, Interlude interlude, Conversion conversion)
            throws IOException, InterruptedException {
        List<Hit> hits;
        try {
            hits = conversion.of(found(query, opening, interlude));
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

    private static List<IndexHit> found(IndexQuery query, Opening opening, Interlude interlude)
            throws IOException, InterruptedException {
        List<IndexHit> found = new ArrayList<>();
        try (IndexScanner scanner = opening.open(query)) {
            for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                if (found.isEmpty()) {
                    interlude.run();
                }
                found.add(hit);
            }
        }
        return found;
    }

    private static List<Hit> hitsOf(List<IndexHit> found, IndexQuery query) {
        return found.stream()
                .map(hit -> hitOf(hit, query.isWithRows() ? Optional.of(baseRowOf(hit)) : Optional.empty(), false))
                .toList();
    }

    /** Returns hits that came without their rows, which are read now. */
    private List<Hit> lookedUp(List<IndexHit> found) throws IOException {
        List<Get> gets = new ArrayList<>();
        for (IndexHit hit : found) {
            gets.add(new Get(hit.row())
                    .addColumn(ChaosTable.FAMILY, ChaosTable.VALUE)
                    .addColumn(ChaosTable.FAMILY, ChaosTable.NUMBER));
        }
        Result[] rows = gets.isEmpty() ? new Result[0] : base.get(gets);
        List<Hit> hits = new ArrayList<>();
        for (int i = 0; i < rows.length; i++) {
            IndexHit hit = found.get(i);
            hits.add(hitOf(hit, Optional.empty(), newestOf(hit, rows[i]) != hit.timestamp()));
        }
        return hits;
    }

    private static Hit hitOf(IndexHit found, Optional<Hit.BaseRow> row, boolean hasOtherTime) {
        List<byte[]> values = found.values();
        return new Hit(
                Bytes.toString(found.row()),
                Bytes.toString(values.get(0)),
                values.size() > 1 ? OptionalLong.of(Bytes.toLong(values.get(1))) : OptionalLong.empty(),
                row,
                hasOtherTime);
    }

    private static Hit.BaseRow baseRowOf(IndexHit found) {
        Result row = found.result();
        boolean isOfHit = !row.isEmpty() && Bytes.equals(row.getRow(), found.row());
        return new Hit.BaseRow(
                isOfHit ? ChaosTable.stateOf(row) : RowState.NONE, newestOf(found, row) == found.timestamp());
    }

    /** Returns the newest timestamp of the cells of a row that the index of a hit holds; -1 if the row has none. */
    private static long newestOf(IndexHit hit, Result row) {
        return Stream.of(ChaosTable.VALUE, ChaosTable.NUMBER)
                .limit(hit.values().size())
                .map(column -> row.getColumnLatestCell(ChaosTable.FAMILY, column))
                .filter(Objects::nonNull)
                .mapToLong(Cell::getTimestamp)
                .max()
                .orElse(-1);
    }
}
