package org.diffindex.cli.bench;

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

    private final LongSupplier nanos;
    private final Optional<Duration> limit;
    private final long start;
    private final Map<String, Rounds> planned = new LinkedHashMap<>();
    private double expectedOfDone;
    private double secondsOfDone;

    /** Rounds of an experiment that are still to come, and how long each is expected to take. */
    private record Rounds(int left, double seconds) {
        private double total() {
            return left * seconds;
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

    /** Plans rounds of an experiment, or of some other work, after all that was planned before. */
    void plan(String experiment, int rounds, double secondsOfRound) {
        planned.put(experiment, new Rounds(rounds, secondsOfRound));
    }

    /**
     * Whether there is time for another round: no limit, or one that leaves every experiment after this one its first round.
     */
    boolean hasTimeFor(String experiment) {
        if (limit.isEmpty()) {
            return true;
        }
        double needed = planned.get(experiment).seconds();
        boolean later = false;
        for (Map.Entry<String, Rounds> each : planned.entrySet()) {
            if (later && each.getValue().left() > 0) {
                needed += each.getValue().seconds();
            }
            later |= each.getKey().equals(experiment);
        }
        return secondsSinceStart() + needed * slowness() <= limit.get().toMillis() / 1e3;
    }

    /** Notes that a part of a round is done. */
    void done(double expectedSeconds, double seconds) {
        expectedOfDone += expectedSeconds;
        secondsOfDone += seconds;
    }

    /** Notes that a round is done. */
    void roundDone(String experiment) {
        planned.computeIfPresent(experiment, (name, rounds) -> new Rounds(rounds.left() - 1, rounds.seconds()));
    }

    /** Notes that no more rounds of an experiment will come. */
    void end(String experiment) {
        planned.remove(experiment);
    }

    /** The seconds that are left, of which a part of this round of this experiment is done. */
    double secondsLeft(double expectedOfThisRoundDone) {
        double expected = planned.values().stream().mapToDouble(Rounds::total).sum() - expectedOfThisRoundDone;
        double left = Math.max(0, expected) * slowness();
        return limit.isEmpty() ? left : Math.min(left, Math.max(0, limit.get().toMillis() / 1e3 - secondsSinceStart()));
    }

    double secondsSinceStart() {
        return (nanos.getAsLong() - start) / NANOS_PER_SECOND;
    }

    /** How much longer than expected all took so far. */
    private double slowness() {
        return expectedOfDone < FIRST_SECONDS ? 1 : secondsOfDone / expectedOfDone;
    }
}
