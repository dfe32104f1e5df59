package org.diffindex.lab.bench.statistics;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Finds cells in the results of a run.
 *
 * @param experiments the results of all experiments of the run
 */
public record RunResults(List<ExperimentResult> experiments) {
    /** Copies the list. */
    public RunResults {
        experiments = List.copyOf(experiments);
    }

    /** Returns the results without the experiments that failed. */
    public RunResults completed() {
        return new RunResults(experiments.stream()
                .filter(result -> result.failure().isEmpty())
                .toList());
    }

    /**
     * Returns the first cell of an experiment that matches; empty if the experiment was not run or has no such cell.
     */
    public Optional<CellResult> cell(String experiment, Predicate<BenchCell> which) {
        return named(experiment).flatMap(result -> result.cell(which).stream()).findFirst();
    }

    /** Returns the cell of a contender under the load of that amount. */
    public Optional<CellResult> cell(String experiment, Contender contender, double amount) {
        return cell(experiment, cell -> cell.contender().equals(contender) && cell.amount() == amount);
    }

    /** Returns the largest amount of load in an experiment; 0 if the experiment was not run. */
    public double largestAmount(String experiment) {
        return named(experiment)
                .flatMap(result -> result.cells().stream())
                .mapToDouble(result -> result.cell().amount())
                .max()
                .orElse(0);
    }

    private Stream<ExperimentResult> named(String experiment) {
        return experiments.stream().filter(result -> result.experiment().name().equals(experiment));
    }
}
