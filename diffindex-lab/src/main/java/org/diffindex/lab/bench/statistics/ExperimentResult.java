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
 * @param notes what makes its figures less certain than those of other experiments
 */
public record ExperimentResult(
        ExperimentDescription experiment, List<CellResult> cells, Optional<String> failure, List<String> notes) {
    /** Copies the lists. */
    public ExperimentResult {
        cells = List.copyOf(cells);
        notes = List.copyOf(notes);
    }

    /** Creates a result without notes. */
    public ExperimentResult(ExperimentDescription experiment, List<CellResult> cells, Optional<String> failure) {
        this(experiment, cells, failure, List.of());
    }

    /** Returns the first cell that matches; empty if none does. */
    public Optional<CellResult> cell(Predicate<BenchCell> which) {
        return cells.stream().filter(result -> which.test(result.cell())).findFirst();
    }
}
