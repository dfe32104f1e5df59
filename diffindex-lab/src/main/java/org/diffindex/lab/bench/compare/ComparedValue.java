package org.diffindex.lab.bench.compare;

import java.util.Optional;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Interval;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Spread;

/**
 * The values that are compared. Others of a report say the same less steadily, such as the slowest operation, or are set
 * by the run and not by what it measures, such as the number of operations.
 */
enum ComparedValue {
    P50(Measurement.P50, Kind.TIME, Reference.BASELINE),
    P99(Measurement.P99, Kind.TIME, Reference.BASELINE),
    PER_SECOND(Measurement.PER_SECOND, Kind.RATE, Reference.BASELINE),
    DRAIN(Measurement.DRAIN, Kind.TIME, Reference.NONE),
    CLIENT_CPU(Measurement.CLIENT_CPU, Kind.TIME, Reference.BASELINE),
    SERVER_CPU(Measurement.SERVER_CPU, Kind.TIME, Reference.BASELINE),
    ROW_MEMORY_HIT_SHARE(Measurement.ROW_MEMORY_HIT_SHARE, Kind.SHARE, Reference.NONE),
    STALENESS_P50(Measurement.STALENESS_P50, Kind.TIME, Reference.NONE),
    STALENESS_P99(Measurement.STALENESS_P99, Kind.TIME, Reference.NONE),
    FLUSH_P50(Measurement.FLUSH_P50, Kind.TIME, Reference.BASELINE),
    HEAP_RATIO(Measurement.HEAP_RATIO, Kind.COST, Reference.NONE),
    ONLINE(Measurement.ONLINE, Kind.TIME, Reference.BASELINE),
    DRAINED(Measurement.DRAINED, Kind.TIME, Reference.BASELINE);

    /** What a value is, and how a slower machine changes it. */
    private enum Kind {
        /** A time: less is better; a slower machine needs more. */
        TIME(Direction.LESS_IS_BETTER),
        /** Operations in a time: more is better; a slower machine reaches fewer. */
        RATE(Direction.MORE_IS_BETTER),
        /** A share of a good outcome: more is better, on any machine. */
        SHARE(Direction.MORE_IS_BETTER),
        /** A cost without a unit: less is better, on any machine. */
        COST(Direction.LESS_IS_BETTER);

        private final Direction direction;

        Kind(Direction direction) {
            this.direction = direction;
        }
    }

    /** What a value can be related to within a round. */
    private enum Reference {
        /** The same value without an index, if the experiment measures that. */
        BASELINE,
        /** Nothing: without an index the value is zero or does not exist. */
        NONE
    }

    /**
     * The width of the narrowest interval, relative to its middle unless that is a share: staleness is counted in a
     * histogram of two digits, and differences below 1% are none.
     */
    private static final double RESOLUTION = 0.01;

    private final String valueName;
    private final Kind kind;
    private final Reference reference;

    ComparedValue(String valueName, Kind kind, Reference reference) {
        this.valueName = valueName;
        this.kind = kind;
        this.reference = reference;
    }

    /** Returns the name of the value in results.json. */
    String valueName() {
        return valueName;
    }

    /** Returns the cell to whose value that of a contender is related; empty if it can only be taken absolutely. */
    Optional<CellResult> referenceOf(CellResult contender, RecordedExperiment experiment) {
        return reference == Reference.BASELINE ? experiment.baselineOf(contender) : Optional.empty();
    }

    /**
     * Returns whether a cell measures this value: does not only repeat the requested rate, or time a drain without
     * anything to drain.
     */
    boolean isMeasuredBy(CellResult cell) {
        return cell.names().contains(valueName)
                && switch (this) {
                    case PER_SECOND -> !cell.names().contains(Measurement.TARGET);
                    case DRAIN -> cell.cell().contender().isAsynchronous();
                    default -> true;
                };
    }

    /** Returns this value of a contender, related to a reference if there is one; empty if no round has it. */
    Optional<Spread> spread(CellResult contender, Optional<CellResult> reference) {
        if (kind == Kind.SHARE) {
            return contender.spreadOfShares(valueName);
        }
        return reference.isPresent() ? contender.ratioTo(reference.get(), valueName) : contender.spread(valueName);
    }

    /** Judges a ratio to the baseline of its own run. */
    Verdict judgeRatio(Interval before, Interval after) {
        return kind.direction.judge(resolved(before), resolved(after));
    }

    /**
     * Judges an absolute value: it must have changed by more than the machine may explain.
     *
     * @param drift the factors by which times may have changed because the machine was slower or faster
     */
    Verdict judgeAbsolute(Interval before, Interval after, Interval drift) {
        Interval possible = resolved(before);
        Interval expected =
                switch (kind) {
                    case TIME -> new Interval(possible.low() * drift.low(), possible.high() * drift.high());
                    case RATE -> new Interval(possible.low() / drift.high(), possible.high() / drift.low());
                    case SHARE, COST -> possible;
                };
        return kind.direction.judge(expected, resolved(after));
    }

    /** Returns the interval, widened if it is narrower than the resolution, as that of equal rounds is. */
    private Interval resolved(Interval interval) {
        double middle = (interval.low() + interval.high()) / 2;
        double half = RESOLUTION / 2 * (kind == Kind.SHARE ? 1 : middle);
        return new Interval(Math.min(interval.low(), middle - half), Math.max(interval.high(), middle + half));
    }
}
