package org.diffindex.lab.bench.compare;

import org.diffindex.lab.bench.statistics.Spread;

/**
 * A figure of a run.
 *
 * @param spread the figure in the rounds
 * @param rates the rates at which it was to be measured
 */
record Figure(Spread spread, RequestedRates rates) {
    /** Returns whether the same rate was requested of this figure and of that of another run. */
    boolean isOfTheRateOf(Figure other) {
        return rates.and(other.rates).areAlike();
    }

    /** Returns whether every round of this figure was at the rate requested of it. */
    boolean isAtItsRate() {
        return rates.areReached();
    }
}
