package org.diffindex.lab.bench.statistics;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The result of one experiment.
 *
 * @param experiment the experiment
 * @param cells its cells, in order; those of a failed experiment have the rounds measured until then
 * @param failure the reason why the experiment failed; empty if it completed
 */
public record ExperimentResult(ExperimentDescription experiment, List<CellResult> cells, Optional<String> failure) {
    /** Copies the list. */
    public ExperimentResult {
        cells = List.copyOf(cells);
    }

    /** Returns the first cell that matches; empty if none does. */
    public Optional<CellResult> cell(Predicate<BenchCell> which) {
        return cells.stream().filter(result -> which.test(result.cell())).findFirst();
    }
}
