package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
    private static final long SESSION_MILLIS = 8_000;
    private static final int ROUND =
            Arrays.stream(FaultKind.values()).mapToInt(FaultKind::share).sum();

    private static List<PlannedFault> plan(long seed, List<FaultKind> kinds, int count) {
        FaultPlan plan = new FaultPlan(seed, kinds, SESSION_MILLIS);
        List<PlannedFault> faults = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            faults.add(plan.next());
        }
        return faults;
    }

    private static List<PlannedFault> plan(long seed, int count) {
        return plan(seed, List.of(FaultKind.values()), count);
    }

    @Test
    void isDeterminedByItsSeed() {
        assertThat(plan(5, 200)).isEqualTo(plan(5, 200)).isNotEqualTo(plan(6, 200));
    }

    @Test
    void hasEveryKindInEachRoundAsOftenAsItsShare() {
        Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
        plan(5, ROUND).forEach(fault -> counts.merge(fault.kind(), 1, Integer::sum));

        assertThat(counts).hasSize(FaultKind.values().length);
        counts.forEach((kind, count) -> assertThat(count).as(kind.toString()).isEqualTo(kind.share()));
    }

    @Test
    void hasOnlyTheGivenKinds() {
        List<FaultKind> kinds = List.of(FaultKind.STALL_LONG, FaultKind.FLUSH);

        assertThat(plan(5, kinds, 100)).allSatisfy(fault -> {
            assertThat(kinds).contains(fault.kind());
            fault.meanwhile().ifPresent(second -> assertThat(kinds).contains(second.kind()));
        });
    }

    @Test
    void appliesSomeFaultsDuringOthers() {
        List<PlannedFault> two = plan(5, 10 * ROUND).stream()
                .filter(fault -> fault.meanwhile().isPresent())
                .toList();

        assertThat(two).isNotEmpty().allSatisfy(fault -> {
            assertThat(fault.kind().isLasting()).isTrue();
            assertThat(fault.meanwhile().get().gapMillis()).isLessThanOrEqualTo(fault.holdMillis());
        });
    }

    @Test
    void stallsServersForLessThanASessionOrForMoreButNeverForAnRpc() {
        for (PlannedFault fault : plan(5, 10 * ROUND)) {
            if (fault.kind() == FaultKind.STALL_SHORT) {
                assertThat(fault.holdMillis()).isLessThan(SESSION_MILLIS);
            } else if (fault.kind() == FaultKind.STALL_LONG) {
                assertThat(fault.holdMillis()).isBetween(SESSION_MILLIS + 1, ChaosCluster.RPC_TIMEOUT.toMillis() - 1);
            }
        }
    }

    @Test
    void appliesMoreFaultsWhileAClockIsShifted() {
        List<PlannedFault> shifts = plan(5, 10 * ROUND).stream()
                .filter(fault -> fault.kind().toString().startsWith("clock-"))
                .toList();

        assertThat(shifts).hasSize(80);
        assertThat(shifts).filteredOn(fault -> fault.meanwhile().isPresent()).hasSizeBetween(25, 55);
    }

    @Test
    void appliesAnotherFaultDuringOneOfFour() {
        List<PlannedFault> lasting = plan(5, 10 * ROUND).stream()
                .filter(fault -> fault.kind().isLasting())
                .filter(fault -> !fault.kind().toString().startsWith("clock-"))
                .toList();

        assertThat(lasting).hasSize(260);
        assertThat(lasting).filteredOn(fault -> fault.meanwhile().isPresent()).hasSizeBetween(45, 90);
    }

    @Test
    void shufflesEachRound() {
        List<FaultKind> kinds =
                plan(5, 2 * ROUND).stream().map(PlannedFault::kind).toList();
        assertThat(kinds.subList(0, ROUND)).isNotEqualTo(kinds.subList(ROUND, 2 * ROUND));
    }

    @Test
    void spreadsTheFaultsOverTimeAndVariesTheirDuration() {
        List<PlannedFault> faults = plan(5, List.of(FaultKind.KILL_MASTER), 1_000);

        assertThat(faults).extracting(PlannedFault::gapMillis).allSatisfy(gap -> assertThat(gap)
                .isBetween(1_000L, 8_000L));
        assertThat(faults).filteredOn(fault -> fault.gapMillis() < 4_500).hasSizeBetween(400, 600);
        assertThat(faults).filteredOn(fault -> fault.holdMillis() < 10_500).hasSizeBetween(400, 600);
    }

    @Test
    void findsFaultsByNameAndNamesThemAllInTheError() {
        assertThat(FaultKind.ofName("stall-long")).isEqualTo(FaultKind.STALL_LONG);
        assertThatThrownBy(() -> FaultKind.ofName("earthquake"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kill-two-servers");
    }
}
