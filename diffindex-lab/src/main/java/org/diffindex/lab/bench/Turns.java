package org.diffindex.lab.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.steps.Rotation;

/**
 * The order in which the cells of an experiment are measured in a round: load by load, rotating the contenders of each.
 */
final class Turns {
    private Turns() {}

    /** Returns the order in a round; rounds count from 0. */
    static List<BenchCell> order(List<BenchCell> cells, int round) {
        Map<String, List<BenchCell>> byLoad = new LinkedHashMap<>();
        cells.forEach(cell ->
                byLoad.computeIfAbsent(cell.load(), load -> new ArrayList<>()).add(cell));
        return byLoad.values().stream()
                .flatMap(ofLoad -> Rotation.of(ofLoad, round).stream())
                .toList();
    }
}
