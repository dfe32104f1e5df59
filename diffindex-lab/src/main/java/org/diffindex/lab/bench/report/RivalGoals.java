package org.diffindex.lab.bench.report;

import java.util.List;
import java.util.Optional;
import org.diffindex.lab.bench.report.Goal.Bound;
import org.diffindex.lab.bench.rivals.Rival;
import org.diffindex.lab.bench.rivals.RivalGoal;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.RunResults;
import org.diffindex.lab.bench.statistics.Spread;

/** Judges the goals relative to another system by the results of a run, as {@link Goals} judges the others. */
final class RivalGoals {
    private RivalGoals() {}

    /** Returns all goals relative to a rival, including those without a figure. */
    static List<Goal> of(Rival rival, List<ExperimentResult> results) {
        return Goal.of(
                new RunResults(results),
                run -> rival.goals().stream().map(goal -> judged(goal, run)).toList());
    }

    private static Goal judged(RivalGoal goal, RunResults run) {
        Optional<CellResult> ours = run.cell(goal.experiment(), goal.ours(), goal.amount());
        Optional<CellResult> theirs = run.cell(goal.experiment(), goal.theirs(), goal.amount());
        Optional<Spread> times = ours.flatMap(our -> theirs.flatMap(their -> timesAsFast(goal.value(), our, their)));
        return Goal.of(goal.figure(), Bound.atLeast(goal.times()), "times as fast", times);
    }

    /** Returns how many times as fast a cell is as another: the ratio of rates, or the inverse ratio of durations. */
    private static Optional<Spread> timesAsFast(String value, CellResult ours, CellResult theirs) {
        return value.equals(Measurement.PER_SECOND) ? ours.ratioTo(theirs, value) : theirs.ratioTo(ours, value);
    }
}
