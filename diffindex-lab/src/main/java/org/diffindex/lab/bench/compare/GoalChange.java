package org.diffindex.lab.bench.compare;

import java.util.Optional;

/**
 * A goal in two runs. A verdict on a goal leaves no doubt by itself, so that two opposite ones are a change beyond the
 * spread.
 *
 * @param figure the name of the goal's figure
 * @param a the goal in the first run; empty if it does not have it
 * @param b the goal in the second run; empty if it does not have it
 * @param verdict what the change means
 */
record GoalChange(String figure, Optional<RecordedGoal> a, Optional<RecordedGoal> b, Verdict verdict) {
    /** Judges a goal that at least one run has. */
    static GoalChange of(String figure, Optional<RecordedGoal> a, Optional<RecordedGoal> b) {
        return new GoalChange(figure, a, b, judge(a, b));
    }

    private static Verdict judge(Optional<RecordedGoal> a, Optional<RecordedGoal> b) {
        if (b.isEmpty()) {
            return Verdict.ONLY_IN_A;
        }
        if (a.isEmpty()) {
            return Verdict.ONLY_IN_B;
        }
        Optional<Boolean> before = a.get().met();
        Optional<Boolean> after = b.get().met();
        if (before.isEmpty()
                || after.isEmpty()
                || !a.get().bound().equals(b.get().bound())) {
            return Verdict.NOT_JUDGED;
        }
        if (before.equals(after)) {
            return Verdict.WITHIN_SPREAD;
        }
        return after.get() ? Verdict.BETTER : Verdict.WORSE;
    }
}
