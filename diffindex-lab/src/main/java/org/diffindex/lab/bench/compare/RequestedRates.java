package org.diffindex.lab.bench.compare;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Spread;
import org.diffindex.lab.output.ReadableText;

/**
 * The range of the rates at which a figure was to be measured: the one requested of the contender and, for a ratio, the
 * one requested of no index.
 *
 * @param lowest the lowest, in operations per second; 0 if none is recorded, as of a closed loop
 * @param highest the highest
 * @param missed the lowest rate of a round that was below the rate requested of it; empty if there is no such round
 */
record RequestedRates(double lowest, double highest, OptionalDouble missed) {
    /** The ratio of two rates from which on they are different loads. */
    private static final double TOLERANCE = 1.05;

    /** Returns the rate of a cell: the median, since a share of the highest rate may differ between rounds. */
    static RequestedRates of(CellResult cell) {
        double rate = cell.spread(Measurement.TARGET).map(Spread::median).orElse(0.0);
        return new RequestedRates(rate, rate, missed(cell.rounds()));
    }

    private static OptionalDouble missed(List<Measurement> rounds) {
        return rounds.stream()
                .filter(round -> !round.isAtItsRate())
                .mapToDouble(round -> round.value(Measurement.PER_SECOND).orElse(0))
                .min();
    }

    /** Returns the rates of a contender, and of the cell to which it is related. */
    static RequestedRates of(CellResult contender, Optional<CellResult> reference) {
        RequestedRates rates = of(contender);
        return reference.map(cell -> rates.and(of(cell))).orElse(rates);
    }

    /** Returns the range of these rates and the others. */
    RequestedRates and(RequestedRates other) {
        return new RequestedRates(
                Math.min(lowest, other.lowest),
                Math.max(highest, other.highest),
                DoubleStream.concat(missed.stream(), other.missed.stream()).min());
    }

    /** Returns whether these rates are so close to each other that what was measured at them can be compared. */
    boolean areAlike() {
        return highest <= TOLERANCE * lowest;
    }

    /** Returns whether every round was at the rate requested of it. */
    boolean areReached() {
        return missed.isEmpty();
    }

    /** Returns the rates for people. */
    String text() {
        String from = text(lowest);
        String to = text(highest);
        String requested = from.equals(to) ? to : from + " to " + to;
        return missed.isPresent() ? requested + ", a round at " + perSecond(missed.getAsDouble()) : requested;
    }

    private static String text(double rate) {
        return rate == 0 ? "none" : perSecond(rate);
    }

    private static String perSecond(double rate) {
        return ReadableText.number(Math.rint(rate)) + "/s";
    }
}
