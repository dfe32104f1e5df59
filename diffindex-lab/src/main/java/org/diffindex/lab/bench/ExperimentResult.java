package org.diffindex.lab.bench;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What one experiment gave.
 *
 * @param experiment which one
 * @param cells its cells that were measured, in their order
 * @param failure why it ended before its end; empty if it did not. What was measured until then is there.
 */
record ExperimentResult(Experiment experiment, List<CellResult> cells, Optional<String> failure) {
    /** Copies the list. */
    ExperimentResult {
        cells = List.copyOf(cells);
    }

    /** The first cell for which this holds. */
    Optional<CellResult> cell(Predicate<Cell> which) {
        return cells.stream().filter(result -> which.test(result.cell())).findFirst();
    }
}
