package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a read must and may find, with histories written by hand. The clock ticks whenever it is read. */
class ReadCheckTest {
    private static final String A = ValueRange.value(1);
    private static final String B = ValueRange.value(2);
    private static final ValueRange OF_A = new ValueRange(1, 1);
    private static final ValueRange OF_B = new ValueRange(2, 1);
    private static final ValueRange A_TO_B = new ValueRange(1, 2);
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
        return history.begin(history.row(row), RowState.of(value, 0, "t" + ++tags), "put", session);
    }

    private void end(String row, RowWrite write, Outcome outcome) {
        history.end(history.row(row), write, outcome);
    }

    private void put(String row, String value) {
        end(row, begin(row, value), Outcome.OK);
    }

    /** Performs a write that leaves the row in this state. */
    private void write(String row, RowState state) {
        end(row, history.begin(history.row(row), state, "put", RowWrite.NO_SESSION), Outcome.OK);
    }

    private static Hit hit(String row, String value, long number) {
        return new Hit(row, value, OptionalLong.of(number), Optional.empty());
    }

    private static Hit hitWith(String row, RowState base) {
        return hitWith(row, base, true);
    }

    private static Hit hitWith(String row, RowState base, boolean hasTimeOfHit) {
        return new Hit(
                row,
                base.value().orElseThrow(),
                OptionalLong.empty(),
                Optional.of(new Hit.BaseRow(base, hasTimeOfHit)));
    }

    private void delete(String row) {
        RowWrite write = history.begin(history.row(row), RowState.NONE, "delete", RowWrite.NO_SESSION);
        end(row, write, Outcome.OK);
    }

    private List<Kind> read(ValueRange range, Hit... hits) throws InterruptedException {
        try (ReadCheck check = ReadCheck.begin(history, range)) {
            return kinds(check, hits);
        }
    }

    private List<Kind> readInSession(ValueRange range, Hit... hits) throws InterruptedException {
        try (ReadCheck check = ReadCheck.begin(history, range, SESSION, OptionalInt.empty())) {
            return kinds(check, hits);
        }
    }

    private static List<Kind> kinds(ReadCheck check, Hit... hits) throws InterruptedException {
        return check.end(Arrays.asList(hits)).stream().map(Violation::kind).toList();
    }

    @Test
    void acceptsExactlyWhatWasAcknowledged() throws InterruptedException {
        put("r1", A);
        put("r2", B);
        put("r3", A);

        assertThat(read(OF_A, new Hit("r1", A), new Hit("r3", A))).isEmpty();
        assertThat(read(A_TO_B, new Hit("r1", A), new Hit("r3", A), new Hit("r2", B)))
                .isEmpty();
    }

    @Test
    void seesALostEntry() throws InterruptedException {
        put("r1", A);
        put("r2", A);

        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.LOST);
    }

    @Test
    void seesAStaleEntry() throws InterruptedException {
        put("r1", A);
        put("r1", B);

        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
    }

    @Test
    void seesAStaleEntryBesideTheRightOne() throws InterruptedException {
        put("r1", A);
        put("r1", B);

        assertThat(read(A_TO_B, new Hit("r1", A), new Hit("r1", B))).containsExactly(Kind.STALE);
    }

    @Test
    void seesAResurrectedEntry() throws InterruptedException {
        put("r1", A);
        delete("r1");

        assertThat(read(OF_A)).isEmpty();
        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.RESURRECTED);
    }

    @Test
    void seesAnEntryThatNoClientWrote() throws InterruptedException {
        put("r1", A);

        assertThat(read(OF_B, new Hit("r1", B))).containsExactly(Kind.INVENTED);
        assertThat(read(OF_B, new Hit("r9", B))).containsExactly(Kind.INVENTED);
        assertThat(read(OF_B, new Hit("r1", A))).containsExactly(Kind.INVENTED);
    }

    @Test
    void allowsEitherStateOfARowThatIsBeingWritten() throws InterruptedException {
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
    void allowsEitherStateOfARowThatIsWrittenDuringTheRead() throws InterruptedException {
        put("r1", A);
        put("r2", A);
        try (ReadCheck check = ReadCheck.begin(history, OF_A)) {
            put("r1", B);

            assertThat(kinds(check, new Hit("r1", A))).containsExactly(Kind.LOST);
            assertThat(check.mustCount()).isEqualTo(1);
        }
    }

    @Test
    void remembersWhatAReadInFlightMaySee() throws InterruptedException {
        put("r1", A);
        try (ReadCheck check = ReadCheck.begin(history, OF_A)) {
            put("r1", B);
            put("r1", ValueRange.value(3));
            put("r1", ValueRange.value(4));

            assertThat(kinds(check, new Hit("r1", A))).isEmpty();
        }
    }

    /** The writes kept for this read are hidden from reads that began later. */
    @Test
    void aLongReadExcusesNothingInReadsThatBeganLater() throws InterruptedException {
        put("r1", ValueRange.value(9));
        try (ReadCheck older = ReadCheck.begin(history, new ValueRange(9, 1))) {
            put("r1", A);
            assertThat(read(OF_A)).containsExactly(Kind.LOST);
            put("r1", B);
            assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
            try (ReadCheck moving = ReadCheck.begin(history, A_TO_B)) {
                put("r1", A);
                assertThat(kinds(moving)).containsExactly(Kind.LOST);
            }
            assertThat(kinds(older, new Hit("r1", ValueRange.value(9)))).isEmpty();
        }
    }

    @Test
    void doesNotAcceptAWriteThatBeganAfterTheRead() throws InterruptedException {
        put("r1", A);
        try (ReadCheck check = ReadCheck.begin(history, OF_B)) {
            List<Violation> violations = check.end(List.of(new Hit("r1", B)));
            put("r1", B);

            assertThat(violations).extracting(Violation::kind).containsExactly(Kind.INVENTED);
        }
    }

    @Test
    void allowsEitherOutcomeOfAnUnknownWriteForEver() throws InterruptedException {
        put("r1", A);
        end("r1", begin("r1", B), Outcome.UNKNOWN);

        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(read(OF_A)).isEmpty();
        put("r1", ValueRange.value(3));
        assertThat(read(OF_B, new Hit("r1", B))).isEmpty();
        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
    }

    @Test
    void waitsForTheDrainAfterADelayedIndexUpdate() throws InterruptedException {
        put("r1", A);
        end("r1", begin("r1", B), Outcome.DELAYED);

        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(read(OF_B)).isEmpty();

        history.drained();
        assertThat(read(OF_A, new Hit("r1", A))).containsExactly(Kind.STALE);
        assertThat(read(OF_B)).containsExactly(Kind.LOST);
    }

    @Test
    void requiresNothingOfAnAsynchronousIndexBeforeItIsDrained() throws InterruptedException {
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

    /** A write that was acknowledged after the beginning of the drain may be in the index or not. */
    @Test
    void anAsynchronousIndexMustHaveTheWritesAcknowledgedBeforeADrainBegan() throws InterruptedException {
        history = of(IndexScheme.ASYNC_SIMPLE);
        put("r1", A);
        long begin = history.clock().getAsLong();
        put("r2", A);
        history.drained(begin);

        assertThat(read(OF_A)).containsExactly(Kind.LOST);
        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
    }

    @Test
    void requiresThatASessionSeesItsWrites() throws InterruptedException {
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
    void requiresNothingOfASessionForRowsThatOthersWrite() throws InterruptedException {
        history = of(IndexScheme.ASYNC_SESSION);
        end("r1", begin("r1", A, SESSION), Outcome.OK);
        put("r1", B);

        assertThat(readInSession(OF_A)).isEmpty();
        assertThat(readInSession(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(readInSession(OF_B)).isEmpty();
    }

    /** A session's write hides everything that was written before it, by whatever client. */
    @Test
    void requiresThatASessionDoesNotSeeWhatItHasOverwritten() throws InterruptedException {
        history = of(IndexScheme.ASYNC_SESSION);
        end("r1", begin("r1", A, SESSION + 1), Outcome.OK);
        end("r2", begin("r2", A), Outcome.OK);
        end("r1", begin("r1", B, SESSION), Outcome.OK);
        end("r2", begin("r2", B, SESSION), Outcome.OK);

        assertThat(readInSession(OF_A, new Hit("r1", A), new Hit("r2", A))).containsExactly(Kind.STALE, Kind.STALE);
        assertThat(read(OF_A, new Hit("r1", A), new Hit("r2", A))).isEmpty();
    }

    @Test
    void allowsEitherStateOfARowThatOthersWriteAfterTheSession() throws InterruptedException {
        history = of(IndexScheme.ASYNC_SESSION);
        end("r1", begin("r1", B, SESSION), Outcome.OK);
        end("r1", begin("r1", A), Outcome.OK);

        assertThat(readInSession(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(readInSession(OF_A)).isEmpty();
    }

    /** The order of the two writes is unknown, even if the session's own write began last. */
    @Test
    void allowsEitherStateOfARowThatOthersWriteBesideTheSession() throws InterruptedException {
        history = of(IndexScheme.ASYNC_SESSION);
        RowWrite other = begin("r1", A);
        end("r1", begin("r1", B, SESSION), Outcome.OK);
        assertThat(readInSession(OF_B)).isEmpty();
        assertThat(readInSession(OF_A, new Hit("r1", A))).isEmpty();

        end("r1", other, Outcome.OK);
        assertThat(readInSession(OF_B)).isEmpty();
        assertThat(readInSession(OF_A, new Hit("r1", A))).isEmpty();
    }

    /** The row is in the range all the time, though with different values. */
    @Test
    void seesThatARowThatMovesWithinTheRangeIsLost() throws InterruptedException {
        for (IndexScheme scheme : List.of(IndexScheme.SYNC_FULL, IndexScheme.SYNC_INSERT)) {
            history = of(scheme);
            put("r1", A);
            try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
                put("r1", B);
                assertThat(kinds(check)).as("%s", scheme).containsExactly(Kind.LOST);
            }
            put("r1", A);
            try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
                put("r1", B);
                assertThat(kinds(check, new Hit("r1", A))).isEmpty();
            }
        }
    }

    @Test
    void countsTheRowsThatMoveToAnotherRegion() throws InterruptedException {
        int border = ChaosTable.BORDERS.get(0);
        put("r1", ValueRange.value(border - 1));
        put("r2", ValueRange.value(border));
        put("r3", ValueRange.value(border - 2));
        try (ReadCheck check = ReadCheck.begin(history, new ValueRange(border - 2, 5))) {
            put("r1", ValueRange.value(border + 1));
            put("r2", ValueRange.value(border + 2));
            put("r3", ValueRange.value(border - 1));
            Hit first = new Hit("r3", ValueRange.value(border - 1));
            Hit second = new Hit("r1", ValueRange.value(border + 1));
            assertThat(kinds(check, first, second, new Hit("r2", ValueRange.value(border + 2))))
                    .isEmpty();
            assertThat(check.movedCount()).isEqualTo(1);
        }
    }

    @Test
    void requiresNothingOfARowThatLeavesTheRangeMeanwhile() throws InterruptedException {
        put("r1", A);
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
            put("r1", ValueRange.value(9));
            put("r1", B);
            assertThat(kinds(check)).isEmpty();
        }
    }

    /**
     * Under sync-full a row that moves twice during one scan may be missed, under asynchronous schemes any row that
     * moves.
     */
    @Test
    void requiresTheGuaranteesOfEachSchemeForRowsThatMove() throws InterruptedException {
        Map<IndexScheme, List<Kind>> twice = new EnumMap<>(IndexScheme.class);
        for (IndexScheme scheme : IndexScheme.values()) {
            history = of(scheme);
            put("r1", A);
            history.drained();
            try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
                put("r1", B);
                put("r1", A);
                twice.put(scheme, kinds(check));
            }
        }
        assertThat(twice)
                .containsEntry(IndexScheme.SYNC_FULL, List.of())
                .containsEntry(IndexScheme.SYNC_INSERT, List.of(Kind.LOST))
                .containsEntry(IndexScheme.ASYNC_SIMPLE, List.of())
                .containsEntry(IndexScheme.ASYNC_SESSION, List.of());
    }

    /** If a read began long ago, its row's old entry may have been found stale and deleted. */
    @Test
    void requiresNothingOfARowThatMovesDuringALongReadIfReadersRepairOldEntries() throws InterruptedException {
        Map<IndexScheme, List<Kind>> ofALongRead = new EnumMap<>(IndexScheme.class);
        for (IndexScheme scheme : List.of(IndexScheme.SYNC_FULL, IndexScheme.SYNC_INSERT)) {
            history = of(scheme);
            put("r1", A);
            try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
                put("r1", B);
                time.addAndGet(TimeUnit.SECONDS.toNanos(6));
                ofALongRead.put(scheme, kinds(check));
            }
            try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
                put("r1", A);
                assertThat(kinds(check)).as("a quick read under " + scheme).containsExactly(Kind.LOST);
            }
        }
        assertThat(ofALongRead)
                .containsEntry(IndexScheme.SYNC_FULL, List.of(Kind.LOST))
                .containsEntry(IndexScheme.SYNC_INSERT, List.of());
    }

    @Test
    void requiresNothingOfARowWhoseMoveIsNotInTheIndexYet() throws InterruptedException {
        put("r1", A);
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
            end("r1", begin("r1", B), Outcome.DELAYED);
            assertThat(kinds(check)).isEmpty();
        }
    }

    @Test
    void waitsForTheEndOfAMoveInFlight() throws Exception {
        put("r1", A);
        RowWrite write = begin("r1", B);
        ExecutorService reader = Executors.newSingleThreadExecutor();
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
            Future<List<Kind>> found = reader.submit(() -> kinds(check));
            assertThatThrownBy(() -> found.get(50, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            end("r1", write, Outcome.OK);
            assertThat(found.get(1, TimeUnit.MINUTES)).containsExactly(Kind.LOST);
        } finally {
            reader.shutdownNow();
        }
    }

    @Test
    @Timeout(60)
    void doesNotWaitForTheMoveOfARowThatWasFound() throws InterruptedException {
        put("r1", A);
        begin("r1", B);
        assertThat(read(A_TO_B, new Hit("r1", A))).isEmpty();
    }

    @Test
    void seesARowThatIsFoundTwiceOrInTheWrongPlace() throws InterruptedException {
        put("r1", A);
        put("r2", B);

        assertThat(read(A_TO_B, new Hit("r1", A), new Hit("r1", A), new Hit("r2", B)))
                .containsExactly(Kind.REPEATED);
        assertThat(read(A_TO_B, new Hit("r2", B), new Hit("r1", A))).containsExactly(Kind.MISPLACED);
    }

    @Test
    void seesRowsOfOneValueInTheWrongOrder() throws InterruptedException {
        put("r1", A);
        put("r2", A);

        assertThat(read(OF_A, new Hit("r1", A), new Hit("r2", A))).isEmpty();
        assertThat(read(OF_A, new Hit("r2", A), new Hit("r1", A))).containsExactly(Kind.MISPLACED);
    }

    @Test
    void seesAnEntryWithTheNumberThatTheRowHadBefore() throws InterruptedException {
        RowState before = RowState.of(A, 3, "t");
        write("r1", before);
        assertThat(read(OF_A, hit("r1", A, 3))).isEmpty();
        write("r1", before.incremented());

        assertThat(read(OF_A, hit("r1", A, 4))).isEmpty();
        assertThat(read(OF_A, new Hit("r1", A))).isEmpty();
        assertThat(read(OF_A, hit("r1", A, 3))).containsExactly(Kind.STALE, Kind.LOST);
        assertThat(read(OF_A, hit("r1", A, 3), hit("r1", A, 4))).containsExactly(Kind.STALE);
        assertThat(read(OF_A, hit("r1", A, 5))).containsExactly(Kind.STALE, Kind.LOST);
    }

    @Test
    void ordersTheSecondIndexByNumberBeforeRow() throws InterruptedException {
        write("r1", RowState.of(A, 7, "t1"));
        write("r2", RowState.of(A, 5, "t2"));

        assertThat(read(OF_A, hit("r2", A, 5), hit("r1", A, 7))).isEmpty();
        assertThat(read(OF_A, hit("r1", A, 7), hit("r2", A, 5))).containsExactly(Kind.MISPLACED);
        assertThat(read(OF_A, new Hit("r1", A), new Hit("r2", A))).isEmpty();
    }

    @Test
    void seesARowThatDoesNotMatchItsHit() throws InterruptedException {
        RowState state = RowState.of(A, 1, "t1");
        write("r1", state);

        assertThat(read(OF_A, hitWith("r1", state))).isEmpty();
        Hit.BaseRow gone = new Hit.BaseRow(RowState.NONE, true);
        assertThat(read(OF_A, new Hit("r1", A, OptionalLong.empty(), Optional.of(gone))))
                .containsExactly(Kind.TORN);
        Hit.BaseRow other = new Hit.BaseRow(RowState.of(B, 1, "t1"), true);
        assertThat(read(OF_A, new Hit("r1", A, OptionalLong.empty(), Optional.of(other))))
                .containsExactly(Kind.TORN);
    }

    /** A row that was returned with its hit was looked up during the read, whatever the index lacks. */
    @Test
    void seesARowAsItWasBeforeAnAcknowledgedWrite() throws InterruptedException {
        for (IndexScheme scheme : IndexScheme.values()) {
            history = of(scheme);
            RowState before = RowState.of(A, 1, "t1");
            RowState after = RowState.of(A, 1, "t2");
            write("r1", before);
            write("r1", after);

            assertThat(read(OF_A, hitWith("r1", after))).isEmpty();
            assertThat(read(OF_A, hitWith("r1", before))).as("%s", scheme).containsExactly(Kind.TORN);
        }
    }

    @Test
    void allowsEitherImageOfARowThatIsWrittenDuringTheRead() throws InterruptedException {
        RowState before = RowState.of(A, 1, "t1");
        RowState after = RowState.of(A, 1, "t2");
        write("r1", before);
        try (ReadCheck check = ReadCheck.begin(history, OF_A)) {
            write("r1", after);
            assertThat(kinds(check, hitWith("r1", before, false))).isEmpty();
        }
        try (ReadCheck check = ReadCheck.begin(history, OF_A)) {
            write("r1", before);
            assertThat(kinds(check, hitWith("r1", after, false))).isEmpty();
        }
    }

    @Test
    void seesAHitWithATimestampThatItsRowDoesNotHave() throws InterruptedException {
        RowState state = RowState.of(A, 1, "t1");
        write("r1", state);

        assertThat(read(OF_A, hitWith("r1", state, false))).containsExactly(Kind.MISDATED);
    }

    @Test
    void aReadOfOneValueWithALimitMustReturnTheRowsBeforeItsEnd() throws InterruptedException {
        put("r1", A);
        put("r2", A);
        put("r3", A);
        try (ReadCheck check = ReadCheck.begin(history, OF_A, RowWrite.NO_SESSION, OptionalInt.of(2))) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r3", A))).containsExactly(Kind.LOST);
        }
        try (ReadCheck check = ReadCheck.begin(history, OF_A, RowWrite.NO_SESSION, OptionalInt.of(2))) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r2", A))).isEmpty();
            assertThat(check.mustCount()).isEqualTo(2);
        }
    }

    /** An index without numbers has the rows of one value in the order of their keys, whatever their numbers are. */
    @Test
    void theEndOfAReadWithALimitFollowsTheOrderOfItsIndex() throws InterruptedException {
        write("r1", RowState.of(A, 9, "t1"));
        write("r2", RowState.of(A, 5, "t2"));
        write("r3", RowState.of(A, 7, "t3"));
        OptionalInt two = OptionalInt.of(2);
        try (ReadCheck check = ReadCheck.begin(history, OF_A, RowWrite.NO_SESSION, two)) {
            assertThat(kinds(check, hit("r2", A, 5), hit("r3", A, 7))).isEmpty();
        }
        try (ReadCheck check = ReadCheck.begin(history, OF_A, RowWrite.NO_SESSION, two)) {
            assertThat(kinds(check, hit("r2", A, 5), hit("r1", A, 9))).containsExactly(Kind.LOST);
        }
        try (ReadCheck check = ReadCheck.begin(history, OF_A, RowWrite.NO_SESSION, two)) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r2", A))).isEmpty();
        }
        try (ReadCheck check = ReadCheck.begin(history, OF_A, RowWrite.NO_SESSION, two)) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r3", A))).containsExactly(Kind.LOST);
        }
    }

    /** Such a row may be found at its old entry with its new value. */
    @Test
    void aRowThatMovesDoesNotMarkTheEndOfAReadWithALimit() throws InterruptedException {
        put("r1", A);
        put("r2", B);
        ValueRange three = new ValueRange(1, 3);
        try (ReadCheck check = ReadCheck.begin(history, three, RowWrite.NO_SESSION, OptionalInt.of(1))) {
            put("r1", ValueRange.value(3));
            assertThat(kinds(check, new Hit("r1", ValueRange.value(3)))).isEmpty();
        }
    }

    @Test
    void aReadWithALimitMustReturnTheRowsBeforeItsEnd() throws InterruptedException {
        put("r1", A);
        put("r2", A);
        put("r3", B);
        put("r4", B);
        OptionalInt three = OptionalInt.of(3);
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B, RowWrite.NO_SESSION, three)) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r2", A), new Hit("r3", B)))
                    .isEmpty();
        }
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B, RowWrite.NO_SESSION, three)) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r2", A), new Hit("r4", B)))
                    .containsExactly(Kind.LOST);
        }
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B, RowWrite.NO_SESSION, three)) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r3", B), new Hit("r4", B)))
                    .containsExactly(Kind.LOST);
        }
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B, RowWrite.NO_SESSION, three)) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r2", A))).containsExactly(Kind.LOST, Kind.LOST);
        }
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B, RowWrite.NO_SESSION, three)) {
            assertThat(kinds(check, new Hit("r1", A), new Hit("r2", A), new Hit("r3", B), new Hit("r4", B)))
                    .containsExactly(Kind.TOO_MANY);
        }
    }

    @Test
    void acceptsEitherOrderOfTwoConcurrentWriters() throws InterruptedException {
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
    void forgetsWhatNoReadCanNeed() throws InterruptedException {
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
        assertThat(history.candidates(A_TO_B)).containsExactly(row);
        assertThat(history.candidates(new ValueRange(3, ValueRange.DOMAIN - 3))).isEmpty();
    }

    @Test
    void forgetsWhatADrainHides() {
        history = of(IndexScheme.ASYNC_SIMPLE);
        for (int i = 0; i < 10; i++) {
            put("r1", A);
        }
        assertThat(history.row("r1").size()).isGreaterThan(10);
        history.drained();
        assertThat(history.row("r1").size()).isEqualTo(1);
    }

    @Test
    void aViolationContainsTheReadAndTheHistoryOfTheRow() throws InterruptedException {
        put("r1", A);
        try (ReadCheck check = ReadCheck.begin(history, A_TO_B)) {
            assertThat(check.end(List.of())).singleElement().satisfies(lost -> assertThat(lost.detail())
                    .startsWith("read of v001..v002 [")
                    .containsPattern("history of r1:\n.*put v001/0/t1 ")
                    .doesNotContain("limit", "session"));
        }
        try (ReadCheck check = ReadCheck.begin(history, OF_B, SESSION, OptionalInt.of(3))) {
            assertThat(check.end(List.of(new Hit("r9", B)))).singleElement().satisfies(invented -> assertThat(
                            invented.detail())
                    .startsWith("read of v002, limit 3 [")
                    .contains("] in session 7; ", "history of r9: nothing"));
        }
    }
}
