package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;
import org.diffindex.lab.chaos.IndexReads.Question;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests reads by index, which are judged by the history of the writes. */
class IndexReadsTest {
    private static final String A = ValueRange.value(1);
    private static final ValueRange ONLY_A = new ValueRange(1, 1);

    private final AtomicLong time = new AtomicLong();
    private final SchemeHistory history = new SchemeHistory(IndexScheme.SYNC_FULL, time::incrementAndGet);
    private final List<Violation> told = new ArrayList<>();
    private final Tally tally = new Tally();
    private final IndexedTable table = mock(IndexedTable.class);
    private final List<Result> base = new ArrayList<>();
    private final IndexReads reads =
            new IndexReads(table, gets -> base.toArray(Result[]::new), history, new Violations(told::add), tally);

    private void write(String row, RowState state) {
        RowHistory of = history.row(row);
        history.end(of, history.begin(of, state, "put", RowWrite.NO_SESSION), Outcome.OK);
    }

    private static IndexHit hit(String row, long timestamp, byte[]... values) {
        IndexHit hit = mock(IndexHit.class);
        when(hit.row()).thenReturn(Bytes.toBytes(row));
        when(hit.values()).thenReturn(Arrays.asList(values));
        when(hit.timestamp()).thenReturn(timestamp);
        return hit;
    }

    private static IndexHit hitWithRow(String row, long timestamp, Result base, byte[]... values) {
        IndexHit hit = hit(row, timestamp, values);
        when(hit.result()).thenReturn(base);
        return hit;
    }

    /** Returns a base row whose value and number have these timestamps. */
    private static Result base(String row, String value, long number, long valueTime, long numberTime) {
        byte[] key = Bytes.toBytes(row);
        return Result.create(List.of(
                new KeyValue(key, ChaosTable.FAMILY, ChaosTable.NUMBER, numberTime, Bytes.toBytes(number)),
                new KeyValue(key, ChaosTable.FAMILY, ChaosTable.TAG, valueTime, Bytes.toBytes("t")),
                new KeyValue(key, ChaosTable.FAMILY, ChaosTable.VALUE, valueTime, Bytes.toBytes(value))));
    }

    private static IndexScanner scanner(IndexHit... hits) throws IOException {
        IndexScanner scanner = mock(IndexScanner.class);
        Iterator<IndexHit> remaining = List.of(hits).iterator();
        when(scanner.next()).thenAnswer(call -> remaining.hasNext() ? remaining.next() : null);
        return scanner;
    }

    /** A way to read. */
    @FunctionalInterface
    private interface Way {
        void read(IndexReads reads, Question question) throws IOException, InterruptedException;
    }

    private List<Kind> kindsOf(Question question, IndexHit... hits) throws IOException, InterruptedException {
        return kindsOf(IndexReads::read, question, hits);
    }

    /** Returns the violations of a read beside rows that have these cells. */
    private List<Kind> kindsWithTimes(Question question, Result row, IndexHit hit)
            throws IOException, InterruptedException {
        base.clear();
        base.add(row);
        return kindsOf(IndexReads::readWithTimes, question, hit);
    }

    private List<Kind> kindsOf(Way way, Question question, IndexHit... hits) throws IOException, InterruptedException {
        told.clear();
        IndexScanner scanner = scanner(hits);
        when(table.getByIndex(any(IndexQuery.class))).thenReturn(scanner);
        IndexReads fresh =
                new IndexReads(table, gets -> base.toArray(Result[]::new), history, new Violations(told::add), tally);
        way.read(fresh, question);
        return told.stream().map(Violation::kind).toList();
    }

    @Test
    void countsAReadThatFindsWhatItMust() throws Exception {
        write("r1", RowState.of(A, 5, "t"));
        assertThat(kindsOf(Question.keys("by_val", ONLY_A), hit("r1", 1, Bytes.toBytes(A))))
                .isEmpty();
        assertThat(tally.reads.sum()).isEqualTo(1);
        assertThat(tally.hits.sum()).isEqualTo(1);
        assertThat(tally.must.sum()).isEqualTo(1);
        assertThat(tally.sessionReads.sum()).isZero();
    }

    @Test
    void aReadThatFindsNothingHasLostTheRow() throws Exception {
        write("r1", RowState.of(A, 5, "t"));
        assertThat(kindsOf(Question.keys("by_val", ONLY_A))).containsExactly(Kind.LOST);
    }

    @Test
    void aRowThatAnInterludeMovesToAnotherRegionMustBeFound() throws Exception {
        int border = ChaosTable.BORDERS.get(0);
        String low = ValueRange.value(border - 1);
        String high = ValueRange.value(border);
        write("r1", RowState.of(high, 5, "t"));
        write("r2", RowState.of(low, 5, "t"));
        IndexHit other = hit("r2", 1, Bytes.toBytes(low));
        readWhile("r1", low, scanner(other, hit("r1", 1, Bytes.toBytes(high))));
        assertThat(told).isEmpty();
        readWhile("r1", high, scanner(other));
        assertThat(tally.moved.sum()).isEqualTo(2);
        assertThat(told).singleElement().extracting(Violation::kind).isEqualTo(Kind.LOST);
    }

    /** Reads around a border while a row gets another value. */
    private void readWhile(String row, String value, IndexScanner scanner) throws IOException, InterruptedException {
        when(table.getByIndex(any(IndexQuery.class))).thenReturn(scanner);
        reads.read(
                Question.across(ChaosTable.BORDERS.get(0), new Random(1)),
                () -> write(row, RowState.of(value, 5, "t")));
    }

    @Test
    void readsTheNumberOfTheSecondIndex() throws Exception {
        write("r1", RowState.of(A, 5, "t"));
        Question question = Question.keys("by_val_n", ONLY_A);
        assertThat(kindsOf(question, hit("r1", 1, Bytes.toBytes(A), Bytes.toBytes(5L))))
                .isEmpty();
        assertThat(kindsOf(question, hit("r1", 1, Bytes.toBytes(A), Bytes.toBytes(6L))))
                .contains(Kind.LOST);
    }

    @Test
    void aRowThatIsReturnedWithAHitMustMatchIt() throws Exception {
        write("r1", RowState.of(A, 5, "t"));
        Question withRows = new Question("by_val", ONLY_A, OptionalInt.empty(), true);
        assertThat(kindsOf(withRows, hitWithRow("r1", 10, base("r1", A, 5, 10, 7), Bytes.toBytes(A))))
                .isEmpty();
        assertThat(kindsOf(withRows, hitWithRow("r1", 10, Result.EMPTY_RESULT, Bytes.toBytes(A))))
                .contains(Kind.TORN);
        assertThat(kindsOf(withRows, hitWithRow("r1", 10, base("r2", A, 5, 10, 7), Bytes.toBytes(A))))
                .as("another row")
                .contains(Kind.TORN);
    }

    /** The first index does not contain the number, so its timestamp does not matter there. */
    @Test
    void aHitHasTheNewestTimestampOfItsIndexedCells() throws Exception {
        write("r1", RowState.of(A, 5, "t"));
        Question first = new Question("by_val", ONLY_A, OptionalInt.empty(), true);
        Question second = new Question("by_val_n", ONLY_A, OptionalInt.empty(), true);
        Result base = base("r1", A, 5, 10, 12);
        assertThat(kindsOf(first, hitWithRow("r1", 10, base, Bytes.toBytes(A)))).isEmpty();
        assertThat(kindsOf(first, hitWithRow("r1", 12, base, Bytes.toBytes(A)))).containsExactly(Kind.MISDATED);
        assertThat(kindsOf(second, hitWithRow("r1", 12, base, Bytes.toBytes(A), Bytes.toBytes(5L))))
                .isEmpty();
        assertThat(kindsOf(second, hitWithRow("r1", 10, base, Bytes.toBytes(A), Bytes.toBytes(5L))))
                .containsExactly(Kind.MISDATED);
    }

    /** Such a hit has the timestamp of its entry, where the index leaves no stale entries. */
    @Test
    void aHitWithoutItsRowHasTheNewestTimestampOfItsIndexedCells() throws Exception {
        write("r1", RowState.of(A, 5, "t"));
        Question first = Question.keys("by_val", ONLY_A);
        Question second = Question.keys("by_val_n", ONLY_A);
        Result row = base("r1", A, 5, 10, 12);
        byte[] number = Bytes.toBytes(5L);
        assertThat(kindsWithTimes(first, row, hit("r1", 10, Bytes.toBytes(A)))).isEmpty();
        assertThat(kindsWithTimes(first, row, hit("r1", 12, Bytes.toBytes(A)))).containsExactly(Kind.MISDATED);
        assertThat(kindsWithTimes(second, row, hit("r1", 12, Bytes.toBytes(A), number)))
                .isEmpty();
        assertThat(kindsWithTimes(second, row, hit("r1", 10, Bytes.toBytes(A), number)))
                .containsExactly(Kind.MISDATED);
    }

    /** A server may still process another attempt of the write, and date the row again between the hit and the look. */
    @Test
    void aRowThatMayBeWrittenAgainMayHaveAnotherTimestampThanItsHit() throws Exception {
        RowHistory row = history.row("r1");
        history.end(row, history.begin(row, RowState.of(A, 5, "t"), "put", RowWrite.NO_SESSION), Outcome.LATE);
        history.drained();
        assertThat(kindsWithTimes(
                        Question.keys("by_val", ONLY_A), base("r1", A, 5, 11, 11), hit("r1", 10, Bytes.toBytes(A))))
                .isEmpty();
        assertThat(tally.must.sum()).isEqualTo(1);
    }

    @Test
    void countsAFailedReadAndBlamesItOnlyIfNoFaultExplainsIt() throws Exception {
        when(table.getByIndex(any(IndexQuery.class))).thenThrow(new ConnectException("away"));
        assertThatThrownBy(() -> reads.read(Question.keys("by_val", ONLY_A))).isInstanceOf(ConnectException.class);
        assertThat(told).isEmpty();
        assertThat(tally.failedReads.sum()).isEqualTo(1);

        when(table.getByIndex(any(IndexQuery.class)))
                .thenThrow(new DoNotRetryIOException("Diff-Index failed unexpectedly"));
        assertThatThrownBy(() -> reads.read(Question.keys("by_val", ONLY_A))).isInstanceOf(IOException.class);
        assertThat(told).extracting(Violation::kind).containsExactly(Kind.FAILED);
        assertThat(tally.reads.sum()).isZero();
        assertThat(history.reads().oldest()).as("the read is over").isEqualTo(time.get());
    }

    @Test
    void countsAReadInASession() throws Exception {
        Session session = mock(Session.class);
        IndexScanner scanner = scanner();
        when(session.getByIndex(any(IndexQuery.class))).thenReturn(scanner);
        reads.read(Question.keys("by_val", ONLY_A), session, 3);
        assertThat(tally.sessionReads.sum()).isEqualTo(1);
        assertThat(tally.reads.sum()).isEqualTo(1);
    }

    /** Under faults, a kind of read in sessions that always fails would go unnoticed among those that succeed. */
    @Test
    void readsInANewSessionThatHasWrittenByEveryIndexInEveryWay() throws Exception {
        List<IndexQuery> asked = new ArrayList<>();
        Session session = mock(Session.class);
        when(table.openSession()).thenReturn(session);
        when(session.getByIndex(any(IndexQuery.class))).thenAnswer(call -> {
            asked.add(call.getArgument(0));
            return scanner();
        });
        reads.readInSession((opened, number) -> {
            assertThat(opened).isSameAs(session);
            assertThat(asked).isEmpty();
            opened.put(List.of());
        });
        verify(session).put(List.of());
        assertThat(asked).hasSize(12).anyMatch(IndexQuery::isWithRows);
        assertThat(asked.stream().filter(query -> query.caching() == 2))
                .as("small pages, by which a session's own entries are met in several")
                .hasSize(4);
        assertThat(tally.reads.sum()).isEqualTo(12);
        assertThat(tally.sessionReads.sum()).as("reads of clients in sessions").isZero();
        verify(session).close();
    }

    @Test
    void randomQuestionsAreWithinTheDomainAndOfEveryKind() {
        Random random = new Random(1);
        List<Question> questions = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            questions.add(Question.any(random));
        }
        assertThat(questions).allSatisfy(question -> {
            assertThat(question.range().first()).isNotNegative();
            assertThat(question.range().first() + question.range().count()).isLessThanOrEqualTo(ValueRange.DOMAIN);
        });
        assertThat(questions).extracting(Question::index).containsAll(ChaosTable.INDEXES);
        assertThat(questions)
                .anyMatch(question -> question.limit().isPresent() && question.withRows())
                .anyMatch(question -> question.range().count() == 1)
                .anyMatch(question -> ChaosTable.region(question.range().low())
                        != ChaosTable.region(question.range().high()));
    }
}
