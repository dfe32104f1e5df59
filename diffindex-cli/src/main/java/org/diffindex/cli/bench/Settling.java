package org.diffindex.cli.bench;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * Tells from rounds that warm up whether the figures have settled: no cell's median latency is far from that of the round
 * before. For one thread.
 */
final class Settling {
    /** So much of the round before's latency is not far. */
    private static final double NEAR = 0.1;

    private Map<Cell, Measurement> before = Map.of();

    /** Takes in a round, which replaces the one before; whether the figures have settled with it. The first never settles. */
    boolean isSettledBy(Map<Cell, Measurement> round) {
        boolean settled = !before.isEmpty()
                && round.entrySet().stream().allMatch(each -> isNear(before.get(each.getKey()), each.getValue()));
        before = Map.copyOf(round);
        return settled;
    }

    private static boolean isNear(Measurement before, Measurement now) {
        if (before == null) {
            return false;
        }
        OptionalDouble was = before.value(Measurement.P50);
        OptionalDouble is = now.value(Measurement.P50);
        return was.isPresent()
                && is.isPresent()
                && Math.abs(is.getAsDouble() - was.getAsDouble()) < NEAR * was.getAsDouble();
    }
}
