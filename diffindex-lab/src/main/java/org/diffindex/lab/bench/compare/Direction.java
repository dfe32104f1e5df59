package org.diffindex.lab.bench.compare;

import org.diffindex.lab.bench.statistics.Interval;

/** Which change of a figure is for the better. */
enum Direction {
    LESS_IS_BETTER(Verdict.WORSE, Verdict.BETTER),
    MORE_IS_BETTER(Verdict.BETTER, Verdict.WORSE);

    private final Verdict ofMore;
    private final Verdict ofLess;

    Direction(Verdict ofMore, Verdict ofLess) {
        this.ofMore = ofMore;
        this.ofLess = ofLess;
    }

    /** Judges a change by the confidence intervals, which must not overlap if the change is to count. */
    Verdict judge(Interval before, Interval after) {
        if (after.isAbove(before)) {
            return ofMore;
        }
        return before.isAbove(after) ? ofLess : Verdict.WITHIN_SPREAD;
    }
}
