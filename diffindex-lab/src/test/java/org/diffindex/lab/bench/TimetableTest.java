package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TimetableTest {
    private final AtomicLong nanos = new AtomicLong(42);

    private void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void theTimeLeftIsThatOfPlannedWorkThatIsNotDone() {
        Timetable table = new Timetable(nanos::get, Optional.empty());
        table.plan("update", 3, 10, 10);
        table.plan("read", 2, 5, 5);
        assertThat(table.secondsLeft(0)).isEqualTo(40);
        assertThat(table.secondsLeft(4)).isEqualTo(36);
        table.roundDone("update");
        assertThat(table.secondsLeft(0)).isEqualTo(30);
        table.end("update");
        assertThat(table.secondsLeft(0)).isEqualTo(10);
    }

    @Test
    void expectsTheRestToTakeLongerAfterWorkThatTookLonger() {
        Timetable table = new Timetable(nanos::get, Optional.empty());
        table.plan("update", 2, 10, 10);
        table.done(1, 3);
        assertThat(table.secondsLeft(0))
                .as("after one second, too little to judge by")
                .isEqualTo(20);
        table.done(4, 7);
        assertThat(table.secondsLeft(0)).as("after five seconds").isEqualTo(40);
        table.done(5, 5);
        assertThat(table.secondsLeft(0)).isEqualTo(30);
    }

    @Test
    void hasLessTimeForAnotherRoundAfterWorkThatTookLonger() {
        Timetable table = new Timetable(nanos::get, Optional.of(Duration.ofSeconds(100)));
        table.plan("update", 3, 10, 10);
        table.done(10, 20);
        pass(80);
        assertThat(table.hasTimeFor("update")).as("20 seconds of work in 20").isTrue();
        pass(1);
        assertThat(table.hasTimeFor("update")).isFalse();
    }

    @Test
    void shortensMeasurementsFurtherAfterWorkThatTookLonger() {
        Timetable table = new Timetable(nanos::get, Optional.of(Duration.ofSeconds(100)));
        table.plan("update", 3, 20, 30);
        table.done(10, 20);
        pass(40);
        assertThat(table.pace()).as("60 seconds of work in 60").isEqualTo(1);
        pass(30);
        assertThat(table.pace()).as("60 seconds of work in 30").isEqualTo(0.5);
        assertThat(table.secondsLeft(0))
                .as("the fewest rounds are run in any case")
                .isEqualTo(60);
    }

    @Test
    void withoutALimitThereIsTimeForEveryRound() {
        Timetable table = new Timetable(nanos::get, Optional.empty());
        table.plan("update", 2, 1_000_000, 1_000_000);
        assertThat(table.hasTimeFor("update")).isTrue();
    }

    @Test
    void anotherRoundMustLeaveTimeForTheFirstRoundOfLaterExperiments() {
        Timetable table = new Timetable(nanos::get, Optional.of(Duration.ofSeconds(100)));
        table.plan("update", 3, 10, 10);
        table.plan("read", 3, 20, 20);
        table.plan("recovery", 2, 40, 40);
        assertThat(table.hasTimeFor("update")).isTrue();
        pass(30);
        assertThat(table.hasTimeFor("update"))
                .as("10 + 20 + 40 seconds of work in 70")
                .isTrue();
        pass(1);
        assertThat(table.hasTimeFor("update")).isFalse();
        assertThat(table.hasTimeFor("read"))
                .as("earlier experiments no longer count")
                .isTrue();
        table.end("recovery");
        assertThat(table.hasTimeFor("update")).isTrue();
    }

    @Test
    void leavesTimeForTheWarmUpOfLaterExperiments() {
        Timetable table = new Timetable(nanos::get, Optional.of(Duration.ofSeconds(40)));
        table.plan("update", 3, 10, 10);
        table.plan("read", 4, 20, 30);
        assertThat(table.hasTimeFor("update")).isTrue();
        pass(1);
        assertThat(table.hasTimeFor("update")).isFalse();
    }

    @Test
    void theTimeLeftIsAtMostTheLimitsUnlessTheFewestRoundsTakeLonger() {
        Timetable table = new Timetable(nanos::get, Optional.of(Duration.ofSeconds(100)));
        table.plan("update", 30, 20, 20);
        pass(30);
        assertThat(table.secondsLeft(0)).isEqualTo(70);
        pass(60);
        assertThat(table.secondsLeft(0))
                .as("its first round is run in any case")
                .isEqualTo(20);
        table.roundDone("update");
        assertThat(table.secondsLeft(0)).isEqualTo(10);
    }

    @Test
    void shortensMeasurementsIfNotEvenTheFewestRoundsFit() {
        Timetable table = new Timetable(nanos::get, Optional.of(Duration.ofSeconds(100)));
        table.plan("update", 3, 20, 30);
        table.plan("recovery", 3, 30, 30);
        assertThat(table.pace()).isEqualTo(1);
        pass(40);
        assertThat(table.pace()).isEqualTo(1);
        pass(15);
        assertThat(table.pace()).as("60 seconds of work in 45").isEqualTo(0.75);
        pass(100);
        assertThat(table.pace()).as("too late, but measurements keep a minimum").isEqualTo(0.3);
        Timetable unlimited = new Timetable(nanos::get, Optional.empty());
        unlimited.plan("update", 3, 20, 30);
        assertThat(unlimited.pace()).isEqualTo(1);
    }
}
