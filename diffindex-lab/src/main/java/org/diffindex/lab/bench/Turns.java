package org.diffindex.lab.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.steps.Rotation;

/** In which order the cells of an experiment are measured in a round: load by load, the contenders of each in turns. */
final class Turns {
    private Turns() {}

    /** The order in a round; rounds count from 0. */
    static List<Cell> order(List<Cell> cells, int round) {
        Map<String, List<Cell>> byLoad = new LinkedHashMap<>();
        cells.forEach(cell ->
                byLoad.computeIfAbsent(cell.load(), load -> new ArrayList<>()).add(cell));
        return byLoad.values().stream()
                .flatMap(ofLoad -> Rotation.of(ofLoad, round).stream())
                .toList();
    }
}
