package org.diffindex.lab.bench.compare;

import org.diffindex.lab.bench.statistics.Spread;

/**
 * A figure of a run.
 *
 * @param spread the figure in the rounds
 * @param rates the rates at which it was measured
 */
record Figure(Spread spread, RequestedRates rates) {
    /** Returns whether this figure and that of another run were measured at the same rate. */
    boolean isAtTheRateOf(Figure other) {
        return rates.and(other.rates).areAlike();
    }
}
