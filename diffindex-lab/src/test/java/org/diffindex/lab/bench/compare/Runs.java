package org.diffindex.lab.bench.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Measurement;

/** Creates reports of runs that did not take place. */
final class Runs {
    /** The report in the repository. */
    static final Path COMMITTED =
            Path.of("..", "docs", "benchmarks", "results.json").toAbsolutePath().normalize();

    /** Rounds whose 95% interval is 0.94 to 1.07. */
    static final double[] AROUND_ONE = {0.95, 1, 1.05, 1.02, 0.98};

    private Runs() {}

    static RecordedRun run(RecordedExperiment... experiments) {
        return run(Map.of(), experiments);
    }

    static RecordedRun run(Map<String, String> facts, RecordedExperiment... experiments) {
        return new RecordedRun(Path.of("results.json"), facts, List.of(), List.of(experiments));
    }

    static RecordedExperiment experiment(String name, CellResult... cells) {
        return new RecordedExperiment(name, Optional.empty(), List.of(cells));
    }

    /** Returns a run of {@code update} with a value of async-simple, given as ratios to no index. */
    static RecordedRun update(ComparedValue value, double... ratios) {
        return run(experiment("update", without(value, ratios.length), with(value, ratios)));
    }

    /** Returns a run of {@code staleness}, which does not measure no index, with a value of async-simple. */
    static RecordedRun staleness(ComparedValue value, double... rounds) {
        return run(staleCell(value, rounds));
    }

    static RecordedExperiment staleCell(ComparedValue value, double... rounds) {
        return experiment("staleness", Results.cell(Results.ASYNC, 1, value.valueName(), rounds));
    }

    /** Returns a cell in whose rounds this rate was requested. */
    static CellResult atRate(double rate, CellResult cell) {
        return new CellResult(
                cell.cell(),
                cell.rounds().stream()
                        .map(round -> round.with(Measurement.TARGET, rate))
                        .toList());
    }

    /** Returns a cell at a requested rate of which each round reached only some. */
    static CellResult below(double rate, double reached, CellResult cell) {
        CellResult requested = atRate(rate, cell);
        return new CellResult(
                requested.cell(),
                requested.rounds().stream()
                        .map(round -> round.with(Measurement.PER_SECOND, reached))
                        .toList());
    }

    private static CellResult without(ComparedValue value, int rounds) {
        double[] hundreds = new double[rounds];
        Arrays.fill(hundreds, 100);
        return Results.cell(Contender.NO_INDEX, 1, value.valueName(), hundreds);
    }

    private static CellResult with(ComparedValue value, double... ratios) {
        return Results.cell(Results.ASYNC, 1, value.valueName(), times(100, ratios));
    }

    /** Returns the numbers multiplied by a factor. */
    static double[] times(double factor, double... numbers) {
        return Arrays.stream(numbers).map(number -> number * factor).toArray();
    }

    /** Returns a run in which a value of a contender of an experiment is multiplied by a factor. */
    static RecordedRun changed(RecordedRun run, String experiment, String scheme, String value, double factor) {
        List<RecordedExperiment> experiments = new ArrayList<>();
        for (RecordedExperiment each : run.experiments()) {
            experiments.add(new RecordedExperiment(
                    each.name(),
                    each.failure(),
                    each.cells().stream()
                            .map(cell -> each.name().equals(experiment)
                                            && cell.cell().contender().label().equals(scheme)
                                    ? changed(cell, value, factor)
                                    : cell)
                            .toList()));
        }
        return new RecordedRun(run.file(), run.facts(), run.goals(), experiments);
    }

    private static CellResult changed(CellResult cell, String value, double factor) {
        List<Measurement> rounds = new ArrayList<>();
        for (Measurement round : cell.rounds()) {
            rounds.add(round.with(value, round.value(value).orElseThrow() * factor));
        }
        return new CellResult(cell.cell(), rounds);
    }
}
