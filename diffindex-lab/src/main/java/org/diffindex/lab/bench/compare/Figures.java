package org.diffindex.lab.bench.compare;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.diffindex.lab.bench.compare.FigureName.Basis;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Spread;

/**
 * Collects the figures of a run: for each contender with an index the ratios of its values to those without an index in
 * the same round, or the values where there is nothing to relate them to.
 */
final class Figures {
    private final Map<FigureName, Spread> figures = new LinkedHashMap<>();

    private Figures() {}

    /** Returns the figures by name, in the order of the report; without those that are zero. */
    static Map<FigureName, Spread> of(RecordedRun run) {
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
        Optional<Spread> spread = reference.isPresent()
                ? contender.ratioTo(reference.get(), value.valueName())
                : contender.spread(value.valueName());
        FigureName name = new FigureName(
                experiment.name(),
                contender.cell().load(),
                contender.cell().contender().label(),
                value,
                reference.isPresent() ? Basis.NO_INDEX : Basis.ABSOLUTE);
        spread.filter(each -> each.median() > 0).ifPresent(each -> figures.put(name, each));
    }
}
