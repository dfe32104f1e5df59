package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.diffindex.cluster.Conditions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the clock of a server as it follows the requested shift. */
class ShiftedClockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private ClockShift shift;

    @BeforeEach
    void name() {
        shift = new ClockShift(folder, "rs1");
    }

    private void request(long millis) throws IOException {
        shift.request(millis);
        assertThat(Conditions.await(PATIENCE, shift::isInEffect)).isTrue();
    }

    private static void assertShifted(ShiftedClock clock, long millis) {
        long before = System.currentTimeMillis();
        long shown = clock.currentTime();
        assertThat(shown).isBetween(before + millis, System.currentTimeMillis() + millis);
    }

    @Test
    void showsTheMachinesTimeUnlessAShiftIsRequested() throws IOException {
        try (ShiftedClock clock = ShiftedClock.follow(shift)) {
            assertThat(shift.isInEffect()).isTrue();
            assertShifted(clock, 0);
        }
    }

    @Test
    void isShiftedAsSoonAsTheShiftIsConfirmed() throws IOException {
        try (ShiftedClock clock = ShiftedClock.follow(shift)) {
            for (long millis : new long[] {5_000, -3_000, 20, 0}) {
                request(millis);
                assertShifted(clock, millis);
            }
        }
    }

    @Test
    void isShiftedFromTheStartOfAServer() throws IOException {
        shift.request(-7_000);
        assertThat(shift.isInEffect()).isFalse();

        try (ShiftedClock clock = ShiftedClock.follow(shift)) {
            assertShifted(clock, -7_000);
            assertThat(shift.isInEffect()).isTrue();
        }
    }

    @Test
    void ignoresTheShiftOfAnotherServer() throws IOException {
        try (ShiftedClock clock = ShiftedClock.follow(new ClockShift(folder, "rs2"))) {
            shift.request(5_000);

            assertShifted(clock, 0);
            assertThat(shift.isInEffect()).isFalse();
        }
    }
}
