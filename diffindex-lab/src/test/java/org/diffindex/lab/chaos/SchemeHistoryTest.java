package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests which writes a history remembers, and for how long. */
class SchemeHistoryTest {
    private static final String A = ValueRange.value(1);
    private static final String B = ValueRange.value(2);

    private final AtomicLong time = new AtomicLong();
    private SchemeHistory history = new SchemeHistory(IndexScheme.SYNC_FULL, time::incrementAndGet);

    private RowHistory write(String row, String value, Outcome outcome) {
        RowHistory of = history.row(row);
        history.end(of, begin(row, value), outcome);
        return of;
    }

    private RowWrite begin(String row, String value) {
        return history.begin(history.row(row), RowState.of(value, 0, "t" + time.get()), "put", RowWrite.NO_SESSION);
    }

    private List<String> candidates(int first, int count) {
        return history.candidates(new ValueRange(first, count)).stream()
                .map(RowHistory::row)
                .sorted()
                .toList();
    }

    @Test
    void candidatesAreTheRowsThatMayHaveAValueOfTheRange() {
        write("r1", A, Outcome.OK);
        write("r2", B, Outcome.OK);
        begin("r3", A);
        assertThat(candidates(1, 1)).containsExactly("r1", "r3");
        assertThat(candidates(1, 2)).containsExactly("r1", "r2", "r3");
        assertThat(candidates(3, 5)).isEmpty();
    }

    @Test
    void aRowIsNotACandidateForAValueThatNoReadCanSee() {
        write("r1", A, Outcome.OK);
        write("r1", B, Outcome.OK);
        assertThat(candidates(1, 1)).isEmpty();
        assertThat(candidates(2, 1)).containsExactly("r1");
        write("r1", A, Outcome.OK);
        assertThat(candidates(1, 1)).containsExactly("r1");
    }

    @Test
    void aReadInFlightKeepsWhatItMaySee() {
        RowHistory row = write("r1", A, Outcome.OK);
        Object pin = history.reads().pin();
        write("r1", B, Outcome.OK);
        assertThat(candidates(1, 1)).containsExactly("r1");
        history.reads().unpin(pin);
        write("r1", B, Outcome.OK);
        assertThat(candidates(1, 1)).isEmpty();
        assertThat(row.size()).isEqualTo(1);
    }

    @Test
    void onlyAWriteThatIsKnownToBeDurableHidesAnEarlierOne() {
        for (Outcome outcome : Outcome.values()) {
            history = new SchemeHistory(IndexScheme.SYNC_FULL, time::incrementAndGet);
            write("r1", A, Outcome.OK);
            write("r1", B, outcome);
            assertThat(candidates(1, 1).isEmpty()).as(outcome.toString()).isEqualTo(outcome == Outcome.OK);
        }
    }

    @Test
    void underAnAsynchronousSchemeOnlyADrainSettlesWrites() {
        history = new SchemeHistory(IndexScheme.ASYNC_SIMPLE, time::incrementAndGet);
        write("r1", A, Outcome.OK);
        RowHistory row = write("r1", B, Outcome.OK);
        assertThat(row.certain(time.incrementAndGet())).isEmpty();
        history.drained();
        assertThat(row.certain(time.incrementAndGet()).flatMap(RowState::value)).contains(B);
        assertThat(candidates(1, 1)).isEmpty();
    }

    @Test
    void aDrainSettlesOnlyWritesThatWereDurableBeforeItBegan() {
        history = new SchemeHistory(IndexScheme.ASYNC_SIMPLE, time::incrementAndGet);
        write("r1", A, Outcome.OK);
        long drainBegins = time.incrementAndGet();
        RowHistory row = write("r1", B, Outcome.OK);
        history.drained(drainBegins);
        assertThat(row.visibleAt(time.incrementAndGet()))
                .extracting(write -> write.state().value())
                .containsExactly(Optional.of(A), Optional.of(B));
    }

    @Test
    void aRowIsKnownOnceItIsRequested() {
        assertThat(history.known("r1")).isEmpty();
        assertThat(history.row("r1")).isSameAs(history.row("r1"));
        assertThat(history.known("r1")).isPresent();
        assertThat(history.rows()).hasSize(1);
    }

    @Test
    void noReadBeganBeforeTheOldestPin() {
        ReadPins pins = new ReadPins(time::incrementAndGet);
        assertThat(pins.oldest()).as("now, without reads").isEqualTo(time.get());
        Object first = pins.pin();
        long begin = time.get();
        Object second = pins.pin();
        assertThat(pins.oldest()).isEqualTo(begin);
        pins.unpin(first);
        assertThat(pins.oldest()).isGreaterThan(begin).isLessThan(time.get());
        pins.unpin(second);
        assertThat(pins.oldest()).isEqualTo(time.get());
    }

    @Test
    void aRetiredRowHasASuccessorInItsSlotAndNoOther() {
        RowSlots slots = new RowSlots(history, "w1", 3);
        RowHistory second = slots.get(1);
        RowHistory third = slots.get(2);
        slots.retire(second);
        RowHistory successor = slots.get(1);
        assertThat(successor).isNotSameAs(second);
        assertThat(successor.row()).isEqualTo(second.row().replace(".0", ".1"));
        slots.retire(second);
        assertThat(slots.get(1))
                .as("successor in a slot that the retired row has left")
                .isSameAs(successor);
        assertThat(slots.get(2)).isSameAs(third);
        slots.retire(successor);
        assertThat(slots.get(1).row()).endsWith(".2");
    }

    @Test
    void noTwoSlotsOrOwnersShareARow() {
        RowSlots one = new RowSlots(history, "w1", 50);
        RowSlots other = new RowSlots(history, "w2", 50);
        assertThat(history.rows()).hasSize(100);
        assertThat(one.get(7).row()).matches("\\d\\d-w1-007\\.0");
        assertThat(other.get(7).row()).matches("\\d\\d-w2-007\\.0");
    }
}
