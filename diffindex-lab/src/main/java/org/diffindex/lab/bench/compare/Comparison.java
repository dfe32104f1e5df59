package org.diffindex.lab.bench.compare;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What changed between two runs.
 *
 * @param a the first run
 * @param b the second run
 * @param drift how much slower or faster the machine was in the second
 * @param figures all figures of both runs
 * @param goals all goals of both runs
 */
record Comparison(
        RecordedRun a, RecordedRun b, MachineDrift drift, List<FigureChange> figures, List<GoalChange> goals) {
    /**
     * The probability that the 95% intervals of two samples of the same normal distribution do not overlap, for 3 to 9
     * rounds. It is about 0.02 if the rounds of one run spread five times as much as those of the other.
     */
    private static final double BY_CHANCE = 0.0055;

    /** Copies the lists. */
    Comparison {
        figures = List.copyOf(figures);
        goals = List.copyOf(goals);
    }

    /** Compares two runs. */
    static Comparison of(RecordedRun a, RecordedRun b) {
        MachineDrift drift = MachineDrift.between(a, b);
        return new Comparison(a, b, drift, figures(a, b, drift), goals(a, b));
    }

    private static List<FigureChange> figures(RecordedRun a, RecordedRun b, MachineDrift drift) {
        Map<FigureName, Figure> before = Figures.of(a);
        Map<FigureName, Figure> after = Figures.of(b);
        return union(before.keySet(), after.keySet()).stream()
                .map(name -> FigureChange.of(
                        name, Optional.ofNullable(before.get(name)), Optional.ofNullable(after.get(name)), drift))
                .map(change ->
                        obstacle(change.name(), a, b).map(change::notCompared).orElse(change))
                .toList();
    }

    /** Returns why a figure that both runs have cannot be compared, whatever it is; empty if it can. */
    private static Optional<Verdict> obstacle(FigureName name, RecordedRun a, RecordedRun b) {
        if (a.failed(name.experiment()) || b.failed(name.experiment())) {
            return Optional.of(Verdict.EXPERIMENT_FAILED);
        }
        return name.isAbsolute() && !a.rival().equals(b.rival())
                ? Optional.of(Verdict.DIFFERENT_RIVALS)
                : Optional.empty();
    }

    private static List<GoalChange> goals(RecordedRun a, RecordedRun b) {
        Map<String, RecordedGoal> before = byFigure(a.goals());
        Map<String, RecordedGoal> after = byFigure(b.goals());
        return union(before.keySet(), after.keySet()).stream()
                .map(figure -> GoalChange.of(
                        figure, Optional.ofNullable(before.get(figure)), Optional.ofNullable(after.get(figure))))
                .toList();
    }

    private static Map<String, RecordedGoal> byFigure(List<RecordedGoal> goals) {
        return goals.stream()
                .collect(Collectors.toMap(
                        RecordedGoal::figure, Function.identity(), (first, second) -> first, LinkedHashMap::new));
    }

    private static <T> List<T> union(Set<T> some, Set<T> others) {
        Set<T> all = new LinkedHashSet<>(some);
        all.addAll(others);
        return List.copyOf(all);
    }

    /** Returns the number of figures with a verdict. */
    long count(Verdict verdict) {
        return figures.stream().filter(change -> change.verdict() == verdict).count();
    }

    /**
     * Returns the number of figures that were compared: both runs have them, at one rate and with enough rounds, and
     * nothing else keeps them from being compared.
     */
    long compared() {
        return figures.stream().filter(change -> change.verdict().isOfBoth()).count();
    }

    /** Returns the experiments that completed in the first run and failed in the second; each of them is worse. */
    List<RecordedExperiment> failedOnlyInB() {
        return b.failed().stream().filter(this::failedOnlyInB).toList();
    }

    /** Returns whether an experiment that failed in the second run completed in the first. */
    boolean failedOnlyInB(RecordedExperiment failed) {
        return a.completed(failed.name());
    }

    /** Returns whether nothing could be compared: no figure, no goal, and no experiment is worse since it failed. */
    boolean isEmpty() {
        return compared() == 0
                && goals.stream().noneMatch(change -> change.verdict().isOfBoth())
                && failedOnlyInB().isEmpty();
    }

    /** Returns how many of the compared figures are to be expected to change although nothing has. */
    double expectedByChance() {
        return compared() * BY_CHANCE;
    }

    /** Returns the number of goals with a verdict. */
    long countGoals(Verdict verdict) {
        return goals.stream().filter(change -> change.verdict() == verdict).count();
    }

    /**
     * Returns whether a figure or a goal of the second run is worse beyond the spread, or an experiment failed in it
     * that completed in the first.
     */
    boolean hasWorse() {
        return count(Verdict.WORSE) + countGoals(Verdict.WORSE) > 0
                || !failedOnlyInB().isEmpty();
    }
}
