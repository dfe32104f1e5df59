package org.diffindex.lab.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Spread;

/**
 * The data of a plot: series of points with the spread of their y-values.
 *
 * @param plot the title and the axes
 * @param categories the labels of the x-axis; empty if the x-axis is numeric
 * @param series one series for each contender that has a point
 */
record Chart(Plot plot, List<String> categories, List<Series> series) {
    /** Copies the lists. */
    Chart {
        categories = List.copyOf(categories);
        series = List.copyOf(series);
    }

    /** The points of a contender, in the order of the loads. */
    record Series(String label, List<Point> points) {
        /** Copies the list. */
        Series {
            points = List.copyOf(points);
        }
    }

    /** A point. On an axis of categories, x is the number of the category, from 0. */
    record Point(double x, Spread y) {}

    /** Returns the chart of a plot of an experiment. */
    static Chart of(Plot plot, ExperimentResult result) {
        List<String> categories = plot.x().isPresent()
                ? List.of()
                : result.cells().stream()
                        .map(cell -> cell.cell().load())
                        .distinct()
                        .toList();
        Map<String, List<Point>> points = new LinkedHashMap<>();
        for (CellResult cell : result.cells()) {
            Optional<Double> x = plot.x().isPresent()
                    ? cell.spread(plot.x().get().value())
                            .map(spread -> spread.median() * plot.x().get().factor())
                    : Optional.of((double) categories.indexOf(cell.cell().load()));
            Optional<Spread> y = cell.spread(plot.y().value())
                    .map(spread -> spread.times(plot.y().factor()));
            if (x.isPresent() && y.isPresent()) {
                points.computeIfAbsent(cell.cell().contender().label(), label -> new ArrayList<>())
                        .add(new Point(x.get(), y.get()));
            }
        }
        List<Series> series = new ArrayList<>();
        points.forEach((label, ofLabel) -> series.add(new Series(label, ofLabel)));
        return new Chart(plot, categories, series);
    }
}
