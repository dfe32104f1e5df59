package org.diffindex.lab.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A load under which figures cannot be compared, since they were not all measured at the same rate, or because a round
 * did not reach the rate requested of it. A load that is a share of the highest rate is another one in a run whose
 * highest rate is another.
 *
 * @param experiment the experiment
 * @param load the load
 * @param schemes the contenders' names in the report
 * @param a the rates of these contenders in the first run, with those of no index if they are related to it
 * @param b the same in the second run
 */
record RateDifference(String experiment, String load, List<String> schemes, RequestedRates a, RequestedRates b) {
    /** Copies the list. */
    RateDifference {
        schemes = List.copyOf(schemes);
    }

    /** Returns the differences that keep figures from being compared, in the order of the figures. */
    static List<RateDifference> among(List<FigureChange> figures) {
        Map<List<String>, List<FigureChange>> loads = new LinkedHashMap<>();
        figures.stream().filter(each -> each.verdict().isOfRates()).forEach(each -> loads.computeIfAbsent(
                        List.of(each.name().experiment(), each.name().load()), load -> new ArrayList<>())
                .add(each));
        return loads.values().stream().map(RateDifference::of).toList();
    }

    private static RateDifference of(List<FigureChange> ofOneLoad) {
        FigureName first = ofOneLoad.get(0).name();
        return new RateDifference(
                first.experiment(),
                first.load(),
                ofOneLoad.stream().map(each -> each.name().scheme()).distinct().toList(),
                rates(ofOneLoad, FigureChange::a),
                rates(ofOneLoad, FigureChange::b));
    }

    private static RequestedRates rates(
            List<FigureChange> figures, Function<FigureChange, Optional<Figure>> inOneOfTheRuns) {
        return figures.stream()
                .map(each -> inOneOfTheRuns.apply(each).orElseThrow().rates())
                .reduce(RequestedRates::and)
                .orElseThrow();
    }
}
