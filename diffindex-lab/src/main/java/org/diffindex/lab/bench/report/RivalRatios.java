package org.diffindex.lab.bench.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.RunResults;
import org.diffindex.lab.bench.statistics.Spread;
import org.diffindex.lab.output.ReadableText;
import org.diffindex.lab.output.TextTable;

/**
 * The latencies and rates of all contenders in the experiments that a rival took part in, as ratios to plain HBase
 * without an index in the same round.
 *
 * @param contenders the contenders: the schemes, and those of the rival
 * @param rows one row for each load and value that was measured
 */
record RivalRatios(List<Contender> contenders, List<Row> rows) {
    static final String TITLE = "Relative to no index (plain HBase) in the same round";

    private static final List<String> VALUES = List.of(Measurement.P50, Measurement.PER_SECOND);

    /** Copies the lists. */
    RivalRatios {
        contenders = List.copyOf(contenders);
        rows = List.copyOf(rows);
    }

    /**
     * The ratios of one value under one load.
     *
     * @param experiment the name of the experiment
     * @param load the load in words
     * @param value the name of the value
     * @param ratios one ratio for each contender, in their order; empty if it was not measured
     */
    record Row(String experiment, String load, String value, List<Optional<Spread>> ratios) {
        /** Copies the list. */
        Row {
            ratios = List.copyOf(ratios);
        }

        String figure() {
            return experiment + ", " + load + ": " + value;
        }
    }

    /** Returns the ratios of the experiments of a run that did not fail. */
    static RivalRatios of(BenchOptions options, List<ExperimentResult> results) {
        List<Contender> contenders = new ArrayList<>(options.schemes());
        contenders.addAll(options.ofRival());
        List<Row> rows = new RunResults(results)
                .completed().experiments().stream()
                        .filter(result -> BenchOptions.WITH_RIVAL.contains(
                                result.experiment().name()))
                        .flatMap(result -> rows(result, contenders))
                        .filter(row -> row.ratios().stream().anyMatch(Optional::isPresent))
                        .toList();
        return new RivalRatios(contenders, rows);
    }

    private static Stream<Row> rows(ExperimentResult result, List<Contender> contenders) {
        RunResults run = new RunResults(List.of(result));
        String name = result.experiment().name();
        return result.cells().stream()
                .map(CellResult::cell)
                .filter(cell -> cell.contender().equals(Contender.NO_INDEX))
                .flatMap(baseline -> VALUES.stream()
                        .filter(result.experiment().columns()::contains)
                        .map(value ->
                                new Row(name, baseline.load(), value, ratios(run, name, baseline, value, contenders))));
    }

    private static List<Optional<Spread>> ratios(
            RunResults run, String experiment, BenchCell baseline, String value, List<Contender> contenders) {
        Optional<CellResult> basis = run.cell(experiment, baseline::equals);
        return contenders.stream()
                .map(contender -> run.cell(experiment, contender, baseline.amount())
                        .flatMap(cell -> basis.flatMap(to -> cell.ratioTo(to, value))))
                .toList();
    }

    /** Prints the medians as a table. */
    void print(PrintWriter out) {
        out.println(TITLE + ":");
        List<String> heading = new ArrayList<>(List.of("FIGURE"));
        contenders.forEach(contender -> heading.add(contender.label()));
        TextTable table = new TextTable(heading.toArray(String[]::new));
        for (Row row : rows) {
            List<String> cells = new ArrayList<>(List.of(row.figure()));
            row.ratios()
                    .forEach(ratio -> cells.add(ratio.map(spread -> ReadableText.number(spread.median()))
                            .orElse("-")));
            table.row(cells.toArray(String[]::new));
        }
        table.print(out, 1);
    }
}
