package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.diffindex.cluster.Conditions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests shifts of the clocks of two servers, of which only the clocks exist. */
class ClockFaultsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private final List<String> running = new ArrayList<>(List.of("rs1", "rs2"));
    private final List<ShiftedClock> clocks = new ArrayList<>();
    private ClockFaults faults;

    @BeforeEach
    void start() throws IOException {
        faults = new ClockFaults(folder, List.of("rs1", "rs2"), () -> List.copyOf(running));
        clocks.add(ShiftedClock.follow(shift("rs1")));
        clocks.add(ShiftedClock.follow(shift("rs2")));
    }

    @AfterEach
    void stop() {
        clocks.forEach(ShiftedClock::close);
    }

    private ClockShift shift(String process) {
        return new ClockShift(folder, process);
    }

    private void kill(String process) {
        running.remove(process);
        clocks.get(process.equals("rs1") ? 0 : 1).close();
    }

    /** With an even choice it hits rs1, else rs2. */
    private static PlannedFault plan(FaultKind kind, int choice) {
        return new PlannedFault(kind, 0, 0, choice, Optional.empty());
    }

    @Test
    void aClockJumpsAheadAndBackAgain() throws IOException {
        long before = System.currentTimeMillis();
        Fault fault = faults.jump(plan(FaultKind.CLOCK_AHEAD, 6), true);

        long millis = shift("rs1").requested();
        assertThat(millis).isBetween(1L, ClockFaults.FARTHEST_MILLIS);
        assertThat(shift("rs1").isInEffect()).isTrue();
        assertThat(clocks.get(0).currentTime()).isGreaterThanOrEqualTo(before + millis);
        assertThat(fault.target()).isEqualTo("rs1 by +" + millis + " ms");

        assertThat(fault.undo().run()).isEmpty();
        assertThat(shift("rs1").requested()).isZero();
        assertThat(shift("rs1").isInEffect()).isTrue();
        assertThat(faults.mend()).isEmpty();
    }

    @Test
    void aClockJumpsBack() throws IOException {
        Fault fault = faults.jump(plan(FaultKind.CLOCK_BACK, 7), false);

        assertThat(shift("rs2").requested()).isBetween(-ClockFaults.FARTHEST_MILLIS, -1L);
        assertThat(shift("rs1").requested()).isZero();
        assertThat(fault.target()).matches("rs2 by -\\d+ ms");
    }

    @Test
    void aClockThatWandersIsAheadAndBehindAndRightInTheEnd() throws IOException {
        Set<Boolean> ahead = new HashSet<>();
        Fault fault = faults.wander(plan(FaultKind.CLOCK_WANDERS, 8));

        assertThat(Conditions.await(PATIENCE, () -> {
                    ahead.add(shift("rs1").requested() > 0);
                    return ahead.size() == 2;
                }))
                .isTrue();
        assertThat(fault.undo().run()).isEmpty();

        assertThat(shift("rs1").requested()).isZero();
        assertThat(shift("rs1").isInEffect()).isTrue();
    }

    @Test
    void doesNotHitAServerThatDoesNotFollowItsClock() throws IOException {
        clocks.get(1).close();
        ClockFaults impatient = new ClockFaults(folder, List.of("rs2"), () -> List.of("rs2"), Duration.ofMillis(60));

        assertThatThrownBy(() -> impatient.jump(plan(FaultKind.CLOCK_AHEAD, 7), true))
                .isInstanceOf(Fault.NothingToHit.class);
        assertThat(shift("rs2").requested()).isZero();
    }

    @Test
    void aServerThatIsKilledMeanwhileStartsWithTheRightClock() throws IOException {
        Fault fault = faults.jump(plan(FaultKind.CLOCK_AHEAD, 7), true);
        kill("rs2");

        assertThat(fault.undo().run()).isEmpty();

        try (ShiftedClock clock = ShiftedClock.follow(shift("rs2"))) {
            assertThat(clock.currentTime()).isLessThanOrEqualTo(System.currentTimeMillis());
        }
    }

    @Test
    void correctsAClockThatAnInterruptedFaultLeft() throws IOException {
        Fault fault = faults.jump(plan(FaultKind.CLOCK_BACK, 7), false);

        assertThat(faults.mend()).containsExactly("clock of rs2");
        assertThat(faults.mend()).isEmpty();
        assertThat(shift("rs2").isInEffect()).isTrue();
        assertThat(fault.undo().run()).isEmpty();
    }

    @Test
    void thereIsNothingToHitWhileAllServersAreDown() {
        kill("rs1");
        kill("rs2");

        assertThatThrownBy(() -> faults.wander(plan(FaultKind.CLOCK_WANDERS, 8)))
                .isInstanceOf(Fault.NothingToHit.class);
    }
}
