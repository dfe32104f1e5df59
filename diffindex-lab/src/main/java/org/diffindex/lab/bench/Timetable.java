package org.diffindex.lab.bench;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Estimates the time that the rest of a run will take, and decides whether another round fits. The ratio of actual to
 * expected time of the steps completed so far scales the estimates of the others. For one thread.
 */
final class Timetable {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Completed steps that were expected to take less than this in total do not scale the estimates. */
    private static final double FIRST_SECONDS = 5;

    /** The smallest pace; a shorter measurement would be meaningless. */
    private static final double SHORTEST = 0.3;

    private final LongSupplier nanos;
    private final Optional<Duration> limit;
    private final long start;
    private final Map<String, Rounds> planned = new LinkedHashMap<>();
    private double expectedOfDone;
    private double secondsOfDone;

    /**
     * The remaining rounds of an experiment.
     *
     * @param left the number of rounds left
     * @param seconds the expected time of each, in seconds
     * @param fewestSeconds the expected time of the rounds that run regardless of the limit, in seconds
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
     * Creates an empty timetable; the time starts now.
     *
     * @param nanos a clock in nanoseconds
     * @param limit the bound on the time of the run; empty for none
     */
    Timetable(LongSupplier nanos, Optional<Duration> limit) {
        this.nanos = nanos;
        this.limit = limit;
        this.start = nanos.getAsLong();
    }

    /**
     * Appends rounds of an experiment, or of other work.
     *
     * @param secondsOfFewest the expected time of the rounds that run regardless of the limit
     */
    void plan(String experiment, int rounds, double secondsOfRound, double secondsOfFewest) {
        planned.put(experiment, new Rounds(rounds, secondsOfRound, secondsOfFewest));
    }

    /**
     * Returns whether another round fits within the limit together with the fewest rounds of every later experiment.
     */
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
     * Returns the share of its intended time that a measurement may take: 1, or less, down to 0.3, once even the fewest
     * remaining rounds do not fit within the limit.
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

    /** Records that a part of a round is complete, with its expected and its actual time. */
    void done(double expectedSeconds, double seconds) {
        expectedOfDone += expectedSeconds;
        secondsOfDone += seconds;
    }

    /** Records that a round is complete. */
    void roundDone(String experiment) {
        planned.computeIfPresent(experiment, (name, rounds) -> rounds.oneDone());
    }

    /** Records that an experiment runs no more rounds. */
    void end(String experiment) {
        planned.remove(experiment);
    }

    /** Returns the estimated seconds left, given the expected time of the completed part of the current round. */
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

    /** Returns the ratio of actual to expected time so far; 1 if too little is completed. */
    private double slowness() {
        return expectedOfDone < FIRST_SECONDS ? 1 : secondsOfDone / expectedOfDone;
    }
}
