package org.diffindex.lab.bench.compare;

import java.util.Optional;
import java.util.OptionalDouble;
import org.diffindex.lab.bench.statistics.Interval;

/**
 * A figure in two runs.
 *
 * @param name the figure
 * @param a the figure in the first run; empty if it does not have it
 * @param b the figure in the second run; empty if it does not have it
 * @param verdict what the change means
 */
record FigureChange(FigureName name, Optional<Figure> a, Optional<Figure> b, Verdict verdict) {
    /** Judges a figure that at least one run has. */
    static FigureChange of(FigureName name, Optional<Figure> a, Optional<Figure> b, MachineDrift drift) {
        return new FigureChange(name, a, b, judge(name, a, b, drift));
    }

    private static Verdict judge(FigureName name, Optional<Figure> a, Optional<Figure> b, MachineDrift drift) {
        if (b.isEmpty()) {
            return Verdict.ONLY_IN_A;
        }
        if (a.isEmpty()) {
            return Verdict.ONLY_IN_B;
        }
        if (!a.get().isOfTheRateOf(b.get())) {
            return Verdict.DIFFERENT_RATES;
        }
        if (!a.get().isAtItsRate() || !b.get().isAtItsRate()) {
            return Verdict.BELOW_RATE;
        }
        Optional<Interval> before = a.get().spread().interval();
        Optional<Interval> after = b.get().spread().interval();
        if (before.isEmpty() || after.isEmpty()) {
            return Verdict.NOT_JUDGED;
        }
        return name.isAbsolute()
                ? name.value().judgeAbsolute(before.get(), after.get(), drift.range())
                : name.value().judgeRatio(before.get(), after.get());
    }

    /** Returns this change with the reason why the runs cannot be compared; unchanged if they could not be anyway. */
    FigureChange notCompared(Verdict why) {
        return verdict.isOfBoth() ? new FigureChange(name, a, b, why) : this;
    }

    /** Returns the factor by which the median changed; empty if it was 0. Only for a figure that both runs have. */
    OptionalDouble factor() {
        double before = a.orElseThrow().spread().median();
        double after = b.orElseThrow().spread().median();
        return before == 0 ? OptionalDouble.empty() : OptionalDouble.of(after / before);
    }
}
