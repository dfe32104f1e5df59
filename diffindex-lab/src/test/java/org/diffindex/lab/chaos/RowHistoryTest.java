package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Tests what a read may see of a row when times coincide: of two events in one clock tick either may have been first.
 */
class RowHistoryTest {
    private static final String A = ValueRange.value(1);
    private static final String B = ValueRange.value(2);
    private static final long SESSION = 7;

    private final RowHistory row = new RowHistory("r");

    private RowWrite begin(String value, long session, long time) {
        RowWrite write = new RowWrite(RowState.of(value, 0, "t" + time), "put", session, time);
        row.begin(write);
        return write;
    }

    /** A write of a synchronous scheme. */
    private RowWrite write(String value, long begin, long end) {
        RowWrite write = begin(value, RowWrite.NO_SESSION, begin);
        row.acknowledge(write, end, true);
        row.end(write, Outcome.OK);
        return write;
    }

    /** A write of an asynchronous scheme. */
    private RowWrite queue(String value, long session, long begin, long end) {
        RowWrite write = begin(value, session, begin);
        row.acknowledge(write, end, false);
        row.end(write, Outcome.OK);
        return write;
    }

    private boolean mayShow(String value, long readBegin, long readEnd) {
        return row.mayShow(new Hit("r", value), readBegin, readEnd, RowWrite.NO_SESSION);
    }

    @Test
    void aWriteIsHiddenByOneThatBeginsAfterItsEndButNotInTheSameTick() {
        RowState first = write(A, 10, 20).state();
        RowState second = write(B, 20, 30).state();
        assertThat(row.certain(31)).isEmpty();
        assertThat(mayShow(A, 31, 40)).isTrue();
        assertThat(row.mayBe(first, 31, 40)).isTrue();
        assertThat(row.possibleInBase()).containsExactly(first, second);
        row.forgetHidden(31);
        assertThat(row.visibleAt(31)).extracting(RowWrite::state).containsExactly(first, second);

        RowState third = write(A, 31, 40).state();
        assertThat(row.certain(41)).contains(third);
        assertThat(mayShow(B, 41, 50)).isFalse();
        assertThat(row.mayBe(second, 41, 50)).isFalse();
        assertThat(row.possibleInBase()).containsExactly(third);
        row.forgetHidden(41);
        assertThat(row.size()).isEqualTo(1);
    }

    @Test
    void aReadMayMissAWriteThatIsAcknowledgedInTheTickInWhichTheReadBegins() {
        RowState first = write(A, 10, 20).state();
        write(B, 25, 30);
        assertThat(row.certain(30)).isEmpty();
        assertThat(mayShow(A, 30, 40)).isTrue();
        assertThat(row.mayBe(first, 30, 40)).isTrue();

        assertThat(mayShow(A, 31, 40)).isFalse();
        assertThat(row.mayBe(first, 31, 40)).isFalse();
    }

    @Test
    void aReadMaySeeAWriteThatBeginsInTheTickInWhichTheReadEnds() {
        RowState state = begin(A, RowWrite.NO_SESSION, 40).state();
        assertThat(mayShow(A, 30, 40)).isTrue();
        assertThat(row.mayBe(state, 30, 40)).isTrue();

        assertThat(mayShow(A, 30, 39)).isFalse();
        assertThat(row.mayBe(state, 30, 39)).isFalse();
    }

    @Test
    void aDrainSettlesWritesAcknowledgedBeforeItBeganButNotInTheSameTick() {
        RowState state = queue(A, RowWrite.NO_SESSION, 10, 20).state();
        row.settle(20, 25);
        assertThat(row.certain(30)).isEmpty();
        row.settle(21, 25);
        assertThat(row.certain(30)).contains(state);
    }

    @Test
    void aReadInASessionMayMissAWriteOfTheSessionInTheTickInWhichTheReadBegins() {
        queue(A, RowWrite.NO_SESSION, 10, 20);
        RowState own = queue(B, SESSION, 25, 30).state();
        assertThat(row.certain(30, SESSION)).isEmpty();
        assertThat(row.mayShow(new Hit("r", A), 30, 40, SESSION)).isTrue();

        assertThat(row.certain(31, SESSION)).contains(own);
        assertThat(row.mayShow(new Hit("r", A), 31, 40, SESSION)).isFalse();
    }

    @Test
    void aSessionMaySeeAWriteThatEndsInTheTickInWhichItsOwnWriteBegins() {
        queue(A, RowWrite.NO_SESSION, 10, 20);
        queue(B, SESSION, 20, 30);
        assertThat(row.mayShow(new Hit("r", A), 31, 40, SESSION)).isTrue();
        assertThat(row.certain(31, SESSION)).isEmpty();
    }

    @Test
    void aReadMayFindARowByAWriteThatBeginsInTheSameTick() throws InterruptedException {
        RowWrite first = write(A, 10, 15);
        List<RowWrite> before = row.visibleAt(20);
        RowWrite second = write(B, 20, 25);
        assertThat(row.within(new ValueRange(1, 2), before, 20, System.nanoTime()))
                .containsExactly(first, second);
    }

    @Test
    void aRowWithoutWritesCertainlyShowsNothing() {
        assertThat(row.certain(0)).isEqualTo(Optional.of(RowState.NONE));
    }
}
