package org.diffindex.cli.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs experiments, one after the other, each in rounds in which the contenders take turns. For one thread, once. */
final class BenchRun {
    private static final String TABLES = "tables";

    /** What making and loading one shared table takes about: seconds, and seconds for each row. */
    private static final double SECONDS_OF_A_TABLE = 3;

    private static final double SECONDS_OF_A_ROW = 1.5e-4;

    /** A round that warms up is so much of one that counts. */
    private static final double WARM_UP = 0.5;

    private final BenchOptions options;
    private final BenchTables tables;
    private final Timetable timetable;
    private final ProgressLine progress;

    BenchRun(Bench bench, Timetable timetable, ProgressLine progress) {
        this.options = bench.options();
        this.tables = bench.tables();
        this.timetable = timetable;
        this.progress = progress;
    }

    /**
     * Runs them all. An experiment that fails ends there, and the next one begins.
     *
     * @throws IOException if the tables that they share cannot be made
     */
    List<ExperimentResult> run(List<Experiment> experiments) throws IOException {
        List<Experiment> asked =
                experiments.stream().filter(each -> !each.cells().isEmpty()).toList();
        plan(asked);
        tables.begin();
        if (asked.stream().anyMatch(Experiment::usesSharedTables)) {
            double before = timetable.secondsSinceStart();
            tables.load(step -> progress.show(timetable.secondsLeft(timetable.secondsSinceStart() - before), step));
        }
        timetable.end(TABLES);
        List<ExperimentResult> results = new ArrayList<>();
        for (Experiment experiment : asked) {
            results.add(run(experiment));
        }
        return results;
    }

    private void plan(List<Experiment> experiments) {
        int shared = options.contenders().size();
        once(TABLES, shared * (SECONDS_OF_A_TABLE + options.rows() * SECONDS_OF_A_ROW));
        for (Experiment experiment : experiments) {
            once(preparation(experiment), experiment.secondsToPrepare());
            int warmUps = experiment.warmsUp() ? 1 : 0;
            double seconds = experiment.expectedSeconds() * experiment.cells().size();
            timetable.plan(
                    experiment.name(),
                    experiment.rounds(options.rounds()) + warmUps,
                    seconds,
                    seconds * (1 + warmUps * WARM_UP));
        }
    }

    private void once(String work, double seconds) {
        timetable.plan(work, 1, seconds, seconds);
    }

    private static String preparation(Experiment experiment) {
        return experiment.name() + ", preparation";
    }

    private ExperimentResult run(Experiment experiment) {
        Map<Cell, List<Measurement>> measured = new LinkedHashMap<>();
        experiment.cells().forEach(cell -> measured.put(cell, new ArrayList<>()));
        Optional<String> failure = Optional.empty();
        try {
            rounds(experiment, measured);
        } catch (IOException | RuntimeException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            progress.tell("experiment " + experiment.name() + " failed: " + why);
            failure = Optional.of(why);
        }
        timetable.end(preparation(experiment));
        timetable.end(experiment.name());
        List<CellResult> cells = new ArrayList<>();
        measured.forEach((cell, rounds) -> cells.add(new CellResult(cell, rounds)));
        return new ExperimentResult(experiment, cells, failure);
    }

    private void rounds(Experiment experiment, Map<Cell, List<Measurement>> measured) throws IOException {
        progress.show(timetable.secondsLeft(0), experiment.name() + ": preparing");
        experiment.prepare();
        timetable.end(preparation(experiment));
        int warmUps = experiment.warmsUp() ? 1 : 0;
        int rounds = experiment.rounds(options.rounds());
        for (int round = 0; round < warmUps + rounds; round++) {
            if (round > warmUps && !timetable.hasTimeFor(experiment.name())) {
                return; // at least one round counts
            }
            round(experiment, round, round < warmUps, measured);
            timetable.roundDone(experiment.name());
        }
    }

    private void round(Experiment experiment, int round, boolean warmUp, Map<Cell, List<Measurement>> measured)
            throws IOException {
        double expected = experiment.expectedSeconds() * (warmUp ? WARM_UP : 1);
        double expectedDone = 0;
        for (Cell cell : Turns.order(experiment.cells(), round)) {
            progress.show(
                    timetable.secondsLeft(expectedDone),
                    experiment.name() + ", " + roundText(experiment, round, warmUp) + ": " + cell);
            double before = timetable.secondsSinceStart();
            Measurement measurement =
                    experiment.run(cell, round, options.seconds() * (warmUp ? WARM_UP : 1) * timetable.pace());
            timetable.done(expected, timetable.secondsSinceStart() - before);
            expectedDone += experiment.expectedSeconds();
            if (!warmUp) {
                measured.get(cell).add(measurement);
            }
        }
    }

    private String roundText(Experiment experiment, int round, boolean warmUp) {
        int number = experiment.warmsUp() ? round : round + 1;
        return warmUp ? "warming up" : "round " + number + " of " + experiment.rounds(options.rounds());
    }
}
