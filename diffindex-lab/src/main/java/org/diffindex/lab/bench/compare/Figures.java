package org.diffindex.lab.bench.compare;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.diffindex.lab.bench.compare.FigureName.Basis;
import org.diffindex.lab.bench.statistics.CellResult;

/**
 * Collects the figures of a run: for each contender with an index the ratios of its values to those without an index in
 * the same round, or the values where there is nothing to relate them to.
 */
final class Figures {
    private final Map<FigureName, Figure> figures = new LinkedHashMap<>();

    private Figures() {}

    /** Returns the figures by name, in the order of the report. */
    static Map<FigureName, Figure> of(RecordedRun run) {
        Figures all = new Figures();
        for (RecordedExperiment experiment : run.experiments()) {
            for (CellResult contender : experiment.contenders()) {
                for (ComparedValue value : ComparedValue.values()) {
                    all.add(experiment, contender, value);
                }
            }
        }
        return all.figures;
    }

    private void add(RecordedExperiment experiment, CellResult contender, ComparedValue value) {
        if (!value.isMeasuredBy(contender)) {
            return;
        }
        Optional<CellResult> reference = value.referenceOf(contender, experiment);
        FigureName name = new FigureName(
                experiment.name(),
                contender.cell().load(),
                contender.cell().contender().label(),
                value,
                reference.isPresent() ? Basis.NO_INDEX : Basis.ABSOLUTE);
        value.spread(contender, reference)
                .map(spread -> new Figure(spread, RequestedRates.of(contender, reference)))
                .ifPresent(figure -> figures.put(name, figure));
    }
}
