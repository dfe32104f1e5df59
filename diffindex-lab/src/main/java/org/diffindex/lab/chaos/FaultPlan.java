package org.diffindex.lab.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * The endless sequence of faults that a seed determines. It consists of rounds; a round contains every kind as often as
 * its share, in random order. For one thread.
 */
final class FaultPlan {
    private static final Set<FaultKind> MEANWHILE = Set.of(
            FaultKind.KILL_INDEX_SERVER,
            FaultKind.KILL_BASE_SERVER,
            FaultKind.STALL_SHORT,
            FaultKind.KILL_MASTER,
            FaultKind.FLUSH,
            FaultKind.MOVE_BASE,
            FaultKind.MOVE_INDEX,
            FaultKind.SPLIT_BASE);

    private static final Set<FaultKind> CLOCKS =
            Set.of(FaultKind.CLOCK_AHEAD, FaultKind.CLOCK_BACK, FaultKind.CLOCK_WANDERS);

    private final Random random;
    private final List<FaultKind> kinds;
    private final List<FaultKind> second;
    private final long sessionMillis;
    private final Deque<FaultKind> round = new ArrayDeque<>();

    /**
     * Creates a plan.
     *
     * @param seed the seed that determines the sequence, given the kinds and the session timeout
     * @param kinds the kinds that may occur, at least one
     * @param sessionMillis the session timeout of region servers
     */
    FaultPlan(long seed, Collection<FaultKind> kinds, long sessionMillis) {
        this.random = new Random(seed);
        this.kinds = kinds.stream().sorted().distinct().toList();
        this.second = this.kinds.stream().filter(MEANWHILE::contains).toList();
        this.sessionMillis = sessionMillis;
        if (this.kinds.isEmpty()) {
            throw new IllegalArgumentException("A plan needs at least one kind of fault");
        }
    }

    /** Returns the next fault. */
    PlannedFault next() {
        if (round.isEmpty()) {
            List<FaultKind> next = new ArrayList<>();
            kinds.forEach(kind -> next.addAll(Collections.nCopies(kind.share(), kind)));
            Collections.shuffle(next, random);
            round.addAll(next);
        }
        PlannedFault fault = fault(round.remove(), between(1_000, 8_000));
        boolean two = fault.kind().isLasting() && !second.isEmpty() && random.nextInt(oneIn(fault.kind())) == 0;
        return two
                ? with(fault, fault(second.get(random.nextInt(second.size())), between(200, fault.holdMillis())))
                : fault;
    }

    /**
     * Returns the number of lasting faults of a kind per concurrent fault. Shifted clocks matter most to regions that
     * move.
     */
    private static int oneIn(FaultKind kind) {
        return CLOCKS.contains(kind) ? 2 : 4;
    }

    private static PlannedFault with(PlannedFault first, PlannedFault meanwhile) {
        return new PlannedFault(
                first.kind(), first.gapMillis(), first.holdMillis(), first.choice(), Optional.of(meanwhile));
    }

    private PlannedFault fault(FaultKind kind, long gapMillis) {
        return new PlannedFault(kind, gapMillis, hold(kind), random.nextInt(Integer.MAX_VALUE), Optional.empty());
    }

    private long hold(FaultKind kind) {
        return switch (kind) {
            case STALL_SHORT -> between(500, sessionMillis / 2);
            case STALL_LONG -> between(sessionMillis + 4_000, sessionMillis + 14_000);
            case KILL_TWO_SERVERS -> between(5_000, 25_000);
            case DISABLE_INDEX -> between(1_000, 10_000);
            default -> between(1_000, 20_000);
        };
    }

    private long between(long low, long high) {
        return low + (long) (random.nextDouble() * (high - low));
    }
}
