package org.diffindex.lab.bench;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How long what is left of a run will take, and whether another round fits into the time. The steps that are done tell how
 * much longer than expected the others will take. For one thread.
 */
final class Timetable {
    private static final double NANOS_PER_SECOND = 1e9;

    /** So little time says nothing about the rest. */
    private static final double FIRST_SECONDS = 5;

    /** A shorter measurement says nothing. */
    private static final double SHORTEST = 0.3;

    private final LongSupplier nanos;
    private final Optional<Duration> limit;
    private final long start;
    private final Map<String, Rounds> planned = new LinkedHashMap<>();
    private double expectedOfDone;
    private double secondsOfDone;

    /**
     * Rounds of an experiment that are still to come.
     *
     * @param left how many
     * @param seconds how long each is expected to take
     * @param fewestSeconds how long those are expected to take that are run in any case
     */
    private record Rounds(int left, double seconds, double fewestSeconds) {
        private double total() {
            return left * seconds;
        }

        private Rounds oneDone() {
            return new Rounds(left - 1, seconds, Math.max(0, fewestSeconds - seconds));
        }
    }

    /**
     * An empty timetable, which begins now.
     *
     * @param nanos a clock of nanoseconds
     * @param limit when all is to be done; empty for no limit
     */
    Timetable(LongSupplier nanos, Optional<Duration> limit) {
        this.nanos = nanos;
        this.limit = limit;
        this.start = nanos.getAsLong();
    }

    /**
     * Plans rounds of an experiment, or of some other work, after all that was planned before.
     *
     * @param secondsOfFewest how long the rounds take that are run whatever the limit is
     */
    void plan(String experiment, int rounds, double secondsOfRound, double secondsOfFewest) {
        planned.put(experiment, new Rounds(rounds, secondsOfRound, secondsOfFewest));
    }

    /** Whether there is time for another round: no limit, or one that leaves every later experiment its fewest rounds. */
    boolean hasTimeFor(String experiment) {
        if (limit.isEmpty()) {
            return true;
        }
        double needed = planned.get(experiment).seconds();
        boolean later = false;
        for (Map.Entry<String, Rounds> each : planned.entrySet()) {
            needed += later ? each.getValue().fewestSeconds() : 0;
            later |= each.getKey().equals(experiment);
        }
        return secondsSinceStart() + needed * slowness() <= limitSeconds();
    }

    /**
     * How much of the time that a measurement is meant to take it can have: less than all of it once not even the fewest
     * rounds of what is left fit into the limit.
     */
    double pace() {
        if (limit.isEmpty()) {
            return 1;
        }
        double needed =
                planned.values().stream().mapToDouble(Rounds::fewestSeconds).sum() * slowness();
        double left = limitSeconds() - secondsSinceStart();
        return needed <= left ? 1 : Math.max(SHORTEST, left / needed);
    }

    private double limitSeconds() {
        return limit.orElseThrow().toMillis() / 1e3;
    }

    /** Notes that a part of a round is done. */
    void done(double expectedSeconds, double seconds) {
        expectedOfDone += expectedSeconds;
        secondsOfDone += seconds;
    }

    /** Notes that a round is done. */
    void roundDone(String experiment) {
        planned.computeIfPresent(experiment, (name, rounds) -> rounds.oneDone());
    }

    /** Notes that no more rounds of an experiment will come. */
    void end(String experiment) {
        planned.remove(experiment);
    }

    /** The seconds that are left, of which a part of this round of this experiment is done. */
    double secondsLeft(double expectedOfThisRoundDone) {
        double expected = planned.values().stream().mapToDouble(Rounds::total).sum() - expectedOfThisRoundDone;
        double left = Math.max(0, expected) * slowness();
        if (limit.isEmpty()) {
            return left;
        }
        double fewest =
                planned.values().stream().mapToDouble(Rounds::fewestSeconds).sum() * slowness();
        return Math.min(left, Math.max(fewest, limitSeconds() - secondsSinceStart()));
    }

    double secondsSinceStart() {
        return (nanos.getAsLong() - start) / NANOS_PER_SECOND;
    }

    /** How much longer than expected all took so far. */
    private double slowness() {
        return expectedOfDone < FIRST_SECONDS ? 1 : secondsOfDone / expectedOfDone;
    }
}
