package org.diffindex.lab.bench.compare;

import java.util.Optional;
import org.diffindex.lab.bench.statistics.Interval;
import org.diffindex.lab.bench.statistics.Spread;

/**
 * A figure in two runs.
 *
 * @param name the figure
 * @param a the figure in the first run; empty if it does not have it
 * @param b the figure in the second run; empty if it does not have it
 * @param verdict what the change means
 */
record FigureChange(FigureName name, Optional<Spread> a, Optional<Spread> b, Verdict verdict) {
    /** Judges a figure that at least one run has. */
    static FigureChange of(FigureName name, Optional<Spread> a, Optional<Spread> b, MachineDrift drift) {
        return new FigureChange(name, a, b, judge(name, a, b, drift));
    }

    private static Verdict judge(FigureName name, Optional<Spread> a, Optional<Spread> b, MachineDrift drift) {
        if (b.isEmpty()) {
            return Verdict.ONLY_IN_A;
        }
        if (a.isEmpty()) {
            return Verdict.ONLY_IN_B;
        }
        Optional<Interval> before = a.get().interval();
        Optional<Interval> after = b.get().interval();
        if (before.isEmpty() || after.isEmpty()) {
            return Verdict.NOT_JUDGED;
        }
        return name.isAbsolute()
                ? name.value().judgeAbsolute(before.get(), after.get(), drift.range())
                : name.value().judgeRatio(before.get(), after.get());
    }

    /** Returns the factor by which the median changed; only for a figure that both runs have. */
    double factor() {
        return b.orElseThrow().median() / a.orElseThrow().median();
    }
}
