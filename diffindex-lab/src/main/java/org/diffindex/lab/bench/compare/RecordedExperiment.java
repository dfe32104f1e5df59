package org.diffindex.lab.bench.compare;

import java.util.List;
import java.util.Optional;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;

/**
 * An experiment of a report.
 *
 * @param name its name
 * @param failure the reason why it failed; empty if it completed
 * @param cells its cells, with the rounds measured until then
 */
record RecordedExperiment(String name, Optional<String> failure, List<CellResult> cells) {
    /** Copies the list. */
    RecordedExperiment {
        cells = List.copyOf(cells);
    }

    /** Returns the cells without an index. */
    List<CellResult> baselines() {
        return cells.stream().filter(RecordedExperiment::isBaseline).toList();
    }

    /** Returns the cells that are compared with those without an index, if there are any. */
    List<CellResult> contenders() {
        return cells.stream().filter(cell -> !isBaseline(cell)).toList();
    }

    /** Returns the cell without an index under the same load, or else the only one; empty if there is none. */
    Optional<CellResult> baselineOf(CellResult contender) {
        List<CellResult> baselines = baselines();
        return baselines.stream()
                .filter(cell -> cell.cell().load().equals(contender.cell().load()))
                .findFirst()
                .or(() ->
                        baselines.stream().filter(only -> baselines.size() == 1).findFirst());
    }

    private static boolean isBaseline(CellResult cell) {
        return cell.cell().contender().equals(Contender.NO_INDEX);
    }
}
