package org.diffindex.server.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.Flights.row;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** A later write of a row has a later time, whatever the server's clock does. */
class RowClockTest {
    private final AtomicLong millis = new AtomicLong(1_000);
    private final RowClock clock = new RowClock(() -> java.time.Instant.ofEpochMilli(millis.get()));

    @Test
    void followsTheServersClock() {
        assertThat(clock.next(row("r"))).isEqualTo(1_000);
        millis.set(5_000);
        assertThat(clock.next(row("r"))).isEqualTo(5_000);
    }

    @Test
    void runsAheadWhileTheClockStandsStill() {
        assertThat(clock.next(row("r"))).isEqualTo(1_000);
        assertThat(clock.next(row("r"))).isEqualTo(1_001);
        assertThat(clock.next(row("r"))).isEqualTo(1_002);
    }

    @Test
    void oneRowDoesNotPushAnother() {
        clock.next(row("r"));
        clock.next(row("r"));
        assertThat(clock.next(row("another"))).isEqualTo(1_000);
    }

    @Test
    void aRegionsOldCellsAreEarlierThanAnyNewWrite() {
        clock.raise(9_000);
        assertThat(clock.next(row("r"))).isEqualTo(9_001);
        assertThat(clock.next(row("r"))).isEqualTo(9_002);
        clock.raise(2_000);
        assertThat(clock.next(row("another"))).isEqualTo(9_001);
    }

    @Property
    void everyTimeIsLaterThanTheOnesBefore(
            @ForAll @Size(min = 2, max = 50) List<@LongRange(min = 0, max = 20) Long> clockReadings,
            @ForAll @LongRange(min = 0, max = 20) long floor) {
        AtomicLong now = new AtomicLong();
        RowClock jumping = new RowClock(() -> java.time.Instant.ofEpochMilli(now.get()));
        long last = -1;
        for (int i = 0; i < clockReadings.size(); i++) {
            now.set(clockReadings.get(i));
            if (i == clockReadings.size() / 2) {
                jumping.raise(floor);
                last = Math.max(last, floor);
            }
            long next = jumping.next(row("r"));
            assertThat(next).isGreaterThan(last).isGreaterThanOrEqualTo(now.get());
            last = next;
        }
    }
}
