package org.diffindex.server.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.diffindex.server.local.Flights.row;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.junit.jupiter.api.Test;

/**
 * Tests that a later write of a row has a later stamp, whatever the server's clock does, and that no row advances
 * another.
 */
class RowClockTest {
    private final AtomicLong millis = new AtomicLong(1_000);
    private final RowClock clock = new RowClock(() -> Instant.ofEpochMilli(millis.get()));

    private RowClock.Stamp write(String row) throws RegionTooBusyException {
        return write(clock, row, 1);
    }

    private static RowClock.Stamp write(RowClock clock, String row, int count) throws RegionTooBusyException {
        ImmutableBytesWritable key = new ImmutableBytesWritable(row(row));
        RowClock.Stamp stamp = clock.next(key, count);
        clock.passed(key, stamp);
        return stamp;
    }

    @Test
    void followsTheServersClock() throws RegionTooBusyException {
        assertThat(write("r").first()).isEqualTo(1_000);
        millis.set(5_000);
        assertThat(write("r").first()).isEqualTo(5_000);
        assertThat(clock.highest()).isEqualTo(5_000);
    }

    @Test
    void runsAheadWhileTheClockStandsStill() throws RegionTooBusyException {
        assertThat(write("r").first()).isEqualTo(1_000);
        assertThat(write("r").first()).isEqualTo(1_001);
        RowClock.Stamp two = write(clock, "r", 2);
        assertThat(two.first()).isEqualTo(1_002);
        assertThat(two.last()).isEqualTo(1_003);
        assertThat(write("r").first()).isEqualTo(1_004);
        assertThat(clock.highest()).isEqualTo(1_004);
    }

    @Test
    void runsNoFurtherAheadThanItsBound() throws RegionTooBusyException {
        for (int i = 0; i <= RowClock.MOST_AHEAD_MS; i++) {
            assertThat(write("r").last()).isEqualTo(1_000 + i);
        }
        assertThatExceptionOfType(RegionTooBusyException.class)
                .isThrownBy(() -> write("r"))
                .withMessageContaining("nothing was written, try again later [row=r]");
        assertThat(write("another").first()).isEqualTo(1_000);
        millis.addAndGet(3);
        assertThat(write("r").last()).isEqualTo(1_000 + RowClock.MOST_AHEAD_MS + 1);
    }

    @Test
    void aRowThatIsReplayedOftenRunsAheadAlone() throws RegionTooBusyException {
        ImmutableBytesWritable hot = new ImmutableBytesWritable(row("r"));
        for (int i = 0; i < 5_000; i++) {
            assertThat(clock.nextReplayed(hot)).isEqualTo(1_000 + i);
        }
        assertThat(clock.highest()).isEqualTo(5_999);
        assertThat(write("another").first()).isEqualTo(1_000);
        assertThat(write("another").isTimestamp()).isTrue();
        for (int i = 6_000; i < 6_003; i++) {
            RowClock.Stamp stamp = write("r");
            assertThat(stamp.first()).isEqualTo(i);
            assertThat(stamp.isTimestamp()).isFalse();
        }
        assertThat(clock.timeAfter(hot, 1, true, false).isTimestamp()).isFalse();
        millis.set(6_000);
        assertThat(write("r").isTimestamp()).isTrue();
    }

    @Test
    void acceptsAWriteOfARowWhoseOwnTimestampIsAhead() throws RegionTooBusyException {
        clock.passed(new ImmutableBytesWritable(row("r")), 20_000);
        RowClock.Stamp stamp = write("r");
        assertThat(stamp.first()).isEqualTo(20_001);
        assertThat(stamp.isTimestamp()).isTrue();
        assertThat(write("another").first()).isEqualTo(1_000);
        assertThat(clock.highest()).isEqualTo(20_001);
    }

    @Test
    void oneRowDoesNotAdvanceAnother() throws RegionTooBusyException {
        for (int i = 0; i < 10_000; i++) {
            assertThat(write("row " + i).first()).isEqualTo(1_000 + i / 2_000);
            if (i % 2_000 == 1_999) {
                millis.incrementAndGet();
            }
        }
    }

    @Test
    void newStampsAreLaterThanThoseOfOtherServersAndThenNoTimestamps() throws RegionTooBusyException {
        clock.raise(9_000);
        RowClock.Stamp stamp = write("r");
        assertThat(stamp.first()).isEqualTo(9_001);
        assertThat(stamp.isTimestamp()).isFalse();
        assertThat(write("r").first()).isEqualTo(9_002);
        clock.raise(2_000);
        assertThat(write("another").first()).isEqualTo(9_001);
        millis.set(9_001);
        assertThat(write("third").isTimestamp()).isTrue();
    }

    @Test
    void newStampsAreLaterThanThoseFromBeforeTheClockJumpedBack() throws RegionTooBusyException {
        millis.set(5_000);
        write("r");
        millis.set(6_000);
        assertThat(clock.highest()).isEqualTo(5_000);
        millis.set(1_000);
        RowClock.Stamp stamp = write("another");
        assertThat(stamp.isTimestamp()).isFalse();
        assertThat(stamp.first()).isEqualTo(5_001);
        assertThat(write("r").first()).isEqualTo(5_001);
    }

    @Test
    void noStampPrecedesTheEarliestOneThatWasToldEvenIfTheClockJumpsBack() throws RegionTooBusyException {
        assertThat(clock.earliestFromNow()).isEqualTo(1_000);
        RowClock.Stamp same = write("r");
        assertThat(same.first()).isEqualTo(1_000);
        assertThat(same.isTimestamp()).as("as if nobody had asked").isTrue();
        millis.set(900);
        assertThat(write("s").first()).isEqualTo(1_000);
        clock.raise(5_000);
        assertThat(clock.earliestFromNow()).isEqualTo(5_001);
        assertThat(write("t").first()).isEqualTo(5_001);
    }

    @Test
    void onlyARowThatTheClockHadNotPassedIsAheadAfterAJumpBack() throws RegionTooBusyException {
        millis.set(5_000);
        write("r");
        millis.set(1_000);
        assertThat(write("another").first()).isEqualTo(1_000);
        assertThat(write("r").first()).isEqualTo(5_001);
    }

    /** The stamps of a forgotten row are not after the floor. */
    @Test
    void keepsFewRowsAndForgetsNoStamp() throws RegionTooBusyException {
        clock.raise(9_000);
        for (int i = 0; i < 10_000; i++) {
            write("row " + i);
            assertThat(clock.rowsKept()).isLessThanOrEqualTo(128);
        }
        assertThat(write("row 1").first()).isGreaterThan(9_001);
        millis.set(20_000);
        assertThat(clock.highest()).isLessThan(9_200);
        assertThat(clock.rowsKept()).isZero();
    }

    /** A region may move again before it has given a stamp of its own. */
    @Test
    void passesOnTheStampsOfOtherServers() {
        clock.raise(5_000);
        assertThat(clock.highest()).isEqualTo(5_000);
    }

    /** While the clock is behind the floor, a row may be forgotten just when it is written again. */
    @Test
    void aRowThatIsForgottenWhileItIsWrittenContinuesItsStamps() throws Exception {
        clock.raise(1_000_000);
        AtomicBoolean done = new AtomicBoolean();
        FutureTask<Void> others = new FutureTask<>(() -> {
            for (int i = 0; !done.get(); i = (i + 1) % 500) {
                write("other" + i);
            }
            return null;
        });
        new Thread(others).start();
        try {
            long last = 0;
            for (int i = 0; i < 300_000; i++) {
                long next = write("r").first();
                assertThat(next > last).as("stamp %d after %d", next, last).isTrue();
                last = next;
            }
        } finally {
            done.set(true);
        }
        others.get();
    }

    private static ImmutableBytesWritable key(String row) {
        return new ImmutableBytesWritable(row(row));
    }

    private long timeAfter(String row, boolean deletes) throws RegionTooBusyException {
        return clock.timeAfter(key(row), 1, !deletes, deletes).first();
    }

    @Test
    void aPutWithoutAStampFollowsTheStampsOfItsRow() throws RegionTooBusyException {
        assertThat(clock.follows(key("r"), 1_000)).isTrue();
        write("r");
        assertThat(clock.follows(key("r"), 1_000)).isTrue();
        write("r");
        assertThat(clock.follows(key("r"), 1_000)).isFalse();
        assertThat(clock.follows(key("another"), 1_000)).isTrue();
        assertThat(timeAfter("r", false)).isEqualTo(1_001);
        assertThat(timeAfter("r", false)).isEqualTo(1_001);
        assertThat(write("r").first()).isEqualTo(1_002);
    }

    @Test
    void aPutWithoutAStampIsLaterThanADelete() throws RegionTooBusyException {
        assertThat(timeAfter("r", true)).isEqualTo(1_000);
        assertThat(timeAfter("r", true)).isEqualTo(1_000);
        assertThat(clock.follows(key("r"), 1_000)).isFalse();
        assertThat(timeAfter("r", false)).isEqualTo(1_001);
        assertThat(timeAfter("r", false)).isEqualTo(1_001);
        assertThat(timeAfter("r", true)).isEqualTo(1_001);
        assertThat(write("r").first()).isEqualTo(1_002);
    }

    @Test
    void twoTimesWithoutAStampShareTheFirstOnly() throws RegionTooBusyException {
        write(clock, "r", 2);
        RowClock.Stamp two = clock.timeAfter(key("r"), 2, true, true);
        assertThat(two.first()).isEqualTo(1_001);
        assertThat(two.last()).isEqualTo(1_002);
        assertThat(clock.follows(key("r"), 1_001)).isFalse();
        assertThat(clock.follows(key("r"), 1_002)).isTrue();
    }

    /** Such a write is visible before it ends. */
    @Test
    void aPutWithoutAStampFollowsAWriteThatIsInFlight() throws RegionTooBusyException {
        RowClock.Stamp delete = clock.next(key("r"), 1);
        clock.announce(key("r"), delete, true);
        assertThat(clock.follows(key("r"), 1_000)).isFalse();
        assertThat(timeAfter("r", false)).isEqualTo(1_001);
        clock.passed(key("r"), delete);
        RowClock.Stamp put = clock.next(key("r"), 1);
        clock.announce(key("r"), put, false);
        assertThat(put.first()).isEqualTo(1_002);
        assertThat(timeAfter("r", false)).isEqualTo(1_002);
    }

    @Test
    void putsWithoutAStampAreRefusedOnlyAfterDeletes() throws RegionTooBusyException {
        for (int i = 0; i <= RowClock.MOST_AHEAD_MS; i++) {
            write("r");
        }
        long last = 1_000 + RowClock.MOST_AHEAD_MS;
        assertThat(timeAfter("r", false)).isEqualTo(last);
        assertThat(timeAfter("r", true)).isEqualTo(last);
        assertThatExceptionOfType(RegionTooBusyException.class).isThrownBy(() -> timeAfter("r", false));
        millis.addAndGet(1);
        assertThat(timeAfter("r", false)).isEqualTo(last + 1);
    }

    @Test
    void stampsAreLaterThanTimesFromBeforeTheClockJumpedBack() throws RegionTooBusyException {
        millis.set(5_000);
        clock.given(5_000);
        assertThat(clock.highest()).isEqualTo(5_000);
        assertThat(write("r").first()).isEqualTo(5_000);
        millis.set(1_000);
        assertThat(clock.follows(key("r"), 1_000)).isFalse();
        RowClock.Stamp stamp = write("another");
        assertThat(stamp.first()).isEqualTo(5_001);
        assertThat(stamp.isTimestamp()).isFalse();
        assertThat(clock.timeAfter(key("third"), 1, true, false).isTimestamp()).isFalse();
    }

    @Test
    void continuesTheTimesOfTheServerOnly() {
        clock.continued(key("r"), 1_001);
        clock.continued(key("r"), 1_002);
        assertThat(clock.follows(key("r"), 1_001)).isFalse();
        assertThat(clock.follows(key("r"), 1_002)).isTrue();
        clock.continued(key("r"), 1_004);
        assertThat(clock.follows(key("r"), 1_002)).isTrue();
        assertThat(clock.highest()).isEqualTo(1_002);
    }

    /** HBase dates a counter ahead without a bound. */
    @Test
    void aCounterDatesNoWriteFarAhead() throws RegionTooBusyException {
        for (long time = 1_000; time <= 90_000; time++) {
            clock.continued(key("r"), time);
        }
        long most = 1_000 + RowClock.MOST_AHEAD_MS;
        assertThat(clock.highest()).isEqualTo(most);
        assertThat(clock.follows(key("r"), most - 1)).isFalse();
        assertThat(clock.follows(key("r"), most)).isTrue();
        millis.addAndGet(1);
        assertThat(write("r").first()).isEqualTo(most + 1);
        for (int i = 0; i < 5_000; i++) {
            write("row " + i);
        }
        assertThat(write("another").first()).isLessThan(most + 20);
    }

    /** The row's stamps run ahead since the last increment only. */
    @Test
    void aRowMayBeWrittenAfterACounterAndAJumpBack() throws RegionTooBusyException {
        clock.continued(key("r"), 1_001);
        millis.set(5_000);
        clock.continued(key("r"), 5_001);
        millis.set(2_000);
        assertThat(write("r").first()).isEqualTo(5_002);
    }

    @Test
    void aCounterIsFollowedWhileTheClockIsBehind() throws RegionTooBusyException {
        clock.raise(9_000);
        for (long time = 9_001; time <= 90_000; time++) {
            clock.continued(key("r"), time);
        }
        assertThat(clock.highest()).isEqualTo(9_000 + RowClock.MOST_AHEAD_MS);
        assertThat(write("r").first()).isEqualTo(9_001 + RowClock.MOST_AHEAD_MS);
        assertThat(write("another").first()).isEqualTo(9_001);
    }

    /** While the clock is behind the floor, a sweep raises the floor to the last times of all rows. */
    @Test
    void aCounterTakesNoFloorAlong() throws RegionTooBusyException {
        clock.raise(9_000);
        int others = 0;
        for (long time = 9_001; time <= 90_000; time++) {
            clock.continued(key("counter"), time);
            if (time % 500 == 0) {
                for (int i = 0; i < 130; i++) {
                    write("row " + others++);
                }
            }
        }
        long sweeps = others / 128;
        assertThat(clock.highest()).isLessThan(9_000 + RowClock.MOST_AHEAD_MS + 2 * sweeps);
    }

    @Property
    void everyStampIsLaterThanTheOnesBefore(
            @ForAll @Size(min = 2, max = 50) List<@LongRange(min = 0, max = 20) Long> clockReadings,
            @ForAll @LongRange(min = 0, max = 20) long floor,
            @ForAll @IntRange(min = 0, max = 300) int others)
            throws RegionTooBusyException {
        AtomicLong now = new AtomicLong();
        RowClock jumping = new RowClock(() -> Instant.ofEpochMilli(now.get()));
        long last = -1;
        for (int i = 0; i < clockReadings.size(); i++) {
            now.set(clockReadings.get(i));
            if (i == clockReadings.size() / 2) {
                jumping.raise(floor);
                last = Math.max(last, floor);
                for (int other = 0; other < others; other++) {
                    write(jumping, "other" + other, 1);
                }
            }
            RowClock.Stamp next = write(jumping, "r", 1 + i % 2);
            assertThat(next.first()).isGreaterThan(last).isGreaterThanOrEqualTo(now.get());
            last = next.last();
            assertThat(jumping.highest()).isGreaterThanOrEqualTo(last);
        }
    }
}
