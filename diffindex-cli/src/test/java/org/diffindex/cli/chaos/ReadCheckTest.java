package org.diffindex.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.diffindex.cli.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** What a read must and may find, by histories written by hand; the clock ticks with every look at it. */
class ReadCheckTest {
    private static final String A = ValueRange.value(1);
    private static final String B = ValueRange.value(2);
    private static final ValueRange OF_A = new ValueRange(1, 1);
    private static final ValueRange OF_B = new ValueRange(2, 1);
    private static final long SESSION = 7;

    private final AtomicLong time = new AtomicLong();
    private SchemeHistory history = of(IndexScheme.SYNC_FULL);
    private int tags;

    private SchemeHistory of(IndexScheme scheme) {
        return new SchemeHistory(scheme, time::incrementAndGet);
    }

    private RowWrite begin(String row, String value) {
        return begin(row, value, RowWrite.NO_SESSION);
    }

    private RowWrite begin(String row, String value, long session) {
        return history.begin(history.row(row), RowState.of(value, "t" + ++tags), "put", session);
    }

    private void end(String row, RowWrite write, Outcome outcome) {
        history.end(history.row(row), write, outcome);
    }

    private void put(String row, String value) {
        end(row, begin(row, value), Outcome.OK);
    }

    private void delete(String row) {
        RowWrite write = history.begin(history.row(row), RowState.NONE, "delete", RowWrite.NO_SESSION);
        end(row, write, Outcome.OK);
    }

    private List<Kind> read(ValueRange range, Hit... hits) {
        try (ReadCheck check = ReadCheck.begin(history, range)) {
            return kinds(check, hits);
        }
    }

    private List<Kind> readInSession(ValueRange range, Hit... hits) {
        try (ReadCheck check = ReadCheck.begin(history, range, SESSION)) {
            return kinds(check, hits);
        }
    }

    private static List<Kind> kinds(ReadCheck check, Hit... hits) {
        return check.end(Arrays.asList(hits)).stream().map(Violation::kind).toList();
    }

    @Test
    void acceptsExactlyWhatWasAcknowledged() {
        put("r1", A);
        put("r2", B);
        put("r3", A);

        assertThat(read(OF_A, new Hit("r1", A), new Hit("r3", A))).isEmpty();
        assertThat(read(new ValueRange(1, 2), new Hit("r1", A), new Hit("r2", B), new Hit("r3", A)))
                .isEmpty();
    }

    @Test
    void seesALostEntry() {
        put("r1", A);
        put("r2", A);

        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.LOST);
    }

    @Test
    void seesAStaleEntry() {
        put("r1", A);
        put("r1", B);

        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
    }

    @Test
    void seesAStaleEntryBesideTheRightOne() {
        put("r1", A);
        put("r1", B);

        assertThat(read(new ValueRange(1, 2), new Hit("r1", A), new Hit("r1", B)))
                .containsExactly(Kind.STALE);
    }

    @Test
    void seesAResurrectedEntry() {
        put("r1", A);
        delete("r1");

        assertThat(read(OF_A)).isEmpty();
        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.RESURRECTED);
    }

    @Test
    void seesWhatNobodyWrote() {
        put("r1", A);

        assertThat(read(OF_B, new Hit("r1", B))).containsExactly(Kind.INVENTED);
        assertThat(read(OF_B, new Hit("r9", B))).containsExactly(Kind.INVENTED);
        assertThat(read(OF_B, new Hit("r1", A))).containsExactly(Kind.INVENTED);
    }

    @Test
    void leavesOpenWhatIsBeingWritten() {
        put("r1", A);
        RowWrite write = begin("r1", B);

        assertThat(read(OF_A)).isEmpty();
        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(read(OF_B)).isEmpty();
        assertThat(read(OF_B, new Hit("r1", B))).isEmpty();

        end("r1", write, Outcome.OK);
        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
        assertThat(read(OF_B)).containsExactly(Kind.LOST);
    }

    @Test
    void leavesOpenWhatIsWrittenDuringTheRead() {
        put("r1", A);
        put("r2", A);
        try (ReadCheck check = ReadCheck.begin(history, OF_A)) {
            put("r1", B);

            assertThat(kinds(check, new Hit("r1", A))).containsExactly(Kind.LOST);
            assertThat(check.mustCount()).isEqualTo(1);
        }
    }

    @Test
    void remembersWhatAReadUnderWayMaySee() {
        put("r1", A);
        try (ReadCheck check = ReadCheck.begin(history, OF_A)) {
            put("r1", B);
            put("r1", ValueRange.value(3));
            put("r1", ValueRange.value(4));

            assertThat(kinds(check, new Hit("r1", A))).isEmpty();
        }
    }

    @Test
    void doesNotAcceptAWriteThatBeganAfterTheRead() {
        put("r1", A);
        try (ReadCheck check = ReadCheck.begin(history, OF_B)) {
            List<Violation> violations = check.end(List.of(new Hit("r1", B)));
            put("r1", B);

            assertThat(violations).extracting(Violation::kind).containsExactly(Kind.INVENTED);
        }
    }

    @Test
    void leavesAWriteOfUnknownFateOpenForEver() {
        put("r1", A);
        end("r1", begin("r1", B), Outcome.UNKNOWN);

        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(read(OF_A)).isEmpty();
        put("r1", ValueRange.value(3));
        assertThat(read(OF_B, new Hit("r1", B))).isEmpty();
        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
    }

    @Test
    void waitsForTheDrainAfterADelayedIndexUpdate() {
        put("r1", A);
        end("r1", begin("r1", B), Outcome.DELAYED);

        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(read(OF_B)).isEmpty();

        history.drained();
        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
        assertThat(read(OF_B)).containsExactly(Kind.LOST);
    }

    @Test
    void asksNothingOfAnAsynchronousIndexBeforeItIsDrained() {
        history = of(IndexScheme.ASYNC_SIMPLE);
        put("r1", A);
        put("r1", B);

        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(read(OF_B)).isEmpty();
        assertThat(read(new ValueRange(3, 1), new Hit("r1", ValueRange.value(3))))
                .containsExactly(Kind.INVENTED);

        history.drained();
        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
        assertThat(read(OF_B)).containsExactly(Kind.LOST);
    }

    @Test
    void asksOfASessionWhatItWrote() {
        history = of(IndexScheme.ASYNC_SESSION);
        end("r1", begin("r1", A, SESSION), Outcome.OK);
        end("r1", begin("r1", B, SESSION), Outcome.OK);

        assertThat(readInSession(OF_B, new Hit("r1", B))).isEmpty();
        assertThat(readInSession(OF_B)).containsExactly(Kind.LOST);
        assertThat(readInSession(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
        assertThat(read(OF_B)).isEmpty();
        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
    }

    @Test
    void asksNothingOfASessionAboutRowsThatOthersWriteToo() {
        history = of(IndexScheme.ASYNC_SESSION);
        end("r1", begin("r1", A, SESSION), Outcome.OK);
        put("r1", B);

        assertThat(readInSession(OF_A)).isEmpty();
        assertThat(readInSession(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(readInSession(OF_B)).isEmpty();
    }

    @Test
    void takesEitherOrderOfTwoWritersAtOnce() {
        RowWrite one = begin("r1", A);
        RowWrite two = begin("r1", B);
        end("r1", two, Outcome.OK);
        end("r1", one, Outcome.OK);

        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(read(OF_A)).isEmpty();
        assertThat(read(OF_B, new Hit("r1", B))).isEmpty();

        put("r1", A);
        assertThat(read(OF_B, new Hit("r1", B))).containsExactly(Kind.STALE);
        assertThat(read(OF_A)).containsExactly(Kind.LOST);
    }

    @Test
    void forgetsWhatNoReadCanNeed() {
        RowHistory row = history.row("r1");
        for (int i = 0; i < 1_000; i++) {
            put("r1", ValueRange.value(i % ValueRange.DOMAIN));
        }
        assertThat(row.size()).isLessThan(4);

        try (ReadCheck check = ReadCheck.begin(history, OF_A)) {
            put("r1", A);
            put("r1", B);
            assertThat(row.size()).isGreaterThan(2);
            assertThat(kinds(check)).isEmpty();
        }
        put("r1", A);
        assertThat(row.size()).isLessThan(4);
    }
}
