package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.lab.bench.experiments.Bench;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.experiments.BenchTables;
import org.diffindex.lab.bench.experiments.Experiment;
import org.diffindex.lab.bench.experiments.Procedure.Tables;
import org.diffindex.lab.bench.experiments.Procedure.WarmUp;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;

/**
 * Runs experiments one after the other, each in rounds in which the contenders take turns. For one use, by one thread.
 */
final class BenchRun {
    private static final String TABLES = "tables";

    /** The approximate time to create a shared table, without its rows. */
    private static final double SECONDS_OF_A_TABLE = 3;

    /** The approximate time to load one row of a shared table. */
    private static final double SECONDS_OF_A_ROW = 1.5e-4;

    /** The length of a warm-up round, as a share of a measured round. */
    private static final double WARM_UP = 0.5;

    /** The number of rounds after which warm-up may end, even if the figures have not settled. */
    private static final int MOST_WARM_UPS = 6;

    /** The time after which warm-up may end, even if the figures have not settled; both bounds must be reached. */
    private static final double SECONDS_OF_WARM_UPS = 90;

    private final LocalCluster cluster;
    private final BenchOptions options;
    private final BenchTables tables;
    private final Timetable timetable;
    private final ProgressLine progress;

    /** What makes the figures of the current experiment less certain. */
    private final List<String> notes = new ArrayList<>();

    /** How many turns of the current experiment were measured while regions were being compacted. */
    private int besideCompactions;

    BenchRun(Bench bench, Timetable timetable, ProgressLine progress) {
        this.cluster = bench.cluster();
        this.options = bench.options();
        this.tables = bench.tables();
        this.timetable = timetable;
        this.progress = progress;
    }

    /**
     * Runs the experiments that have cells. If one fails, the next one starts.
     *
     * @throws IOException if the shared tables cannot be created or loaded
     */
    List<ExperimentResult> run(List<Experiment> experiments) throws IOException {
        List<Experiment> asked =
                experiments.stream().filter(each -> !each.cells().isEmpty()).toList();
        experiments.stream()
                .filter(each -> !asked.contains(each))
                .forEach(each -> progress.tell(
                        "experiment " + each.name() + " is left out: the options exclude all that it measures"));
        plan(asked);
        tables.begin();
        if (asked.stream().anyMatch(experiment -> experiment.procedure().usesSharedTables())) {
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
        int shared = options.contenders().size() + options.ofRival().size();
        once(TABLES, shared * (SECONDS_OF_A_TABLE + options.rows() * SECONDS_OF_A_ROW));
        for (Experiment experiment : experiments) {
            once(preparation(experiment), experiment.secondsToPrepare());
            int warmUps = experiment.procedure().warmsUp() ? 1 : 0;
            double seconds = experiment.cells().stream()
                    .mapToDouble(experiment::expectedSeconds)
                    .sum();
            timetable.plan(
                    experiment.name(),
                    experiment.procedure().rounds(options.rounds()) + warmUps,
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
        Map<BenchCell, List<Measurement>> measured = new LinkedHashMap<>();
        experiment.cells().forEach(cell -> measured.put(cell, new ArrayList<>()));
        notes.clear();
        besideCompactions = 0;
        Optional<String> failure = Optional.empty();
        try {
            prepareAndMeasure(experiment, measured);
        } catch (IOException | RuntimeException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            progress.tell("experiment " + experiment.name() + " failed: " + why);
            failure = Optional.of(why);
        }
        if (besideCompactions > 0) {
            note(
                    experiment,
                    besideCompactions + " turns were run beside compactions that took longer than a minute, and may be"
                            + " too slow");
        }
        timetable.end(preparation(experiment));
        timetable.end(experiment.name());
        List<CellResult> cells = new ArrayList<>();
        measured.forEach((cell, rounds) -> cells.add(new CellResult(cell, rounds)));
        return new ExperimentResult(experiment.description(), cells, failure, notes);
    }

    private void note(Experiment experiment, String note) {
        notes.add(note);
        progress.tell("experiment " + experiment.name() + ": " + note);
    }

    private void prepareAndMeasure(Experiment experiment, Map<BenchCell, List<Measurement>> measured)
            throws IOException {
        progress.show(timetable.secondsLeft(0), experiment.name() + ": preparing");
        try {
            boolean isToCompact = experiment.procedure().tables() == Tables.SHARED_COMPACTED && !options.quick();
            if (isToCompact && !tables.compact()) {
                note(experiment, "the tables were not compacted within a minute before the first turn");
            }
            experiment.prepare();
            timetable.end(preparation(experiment));
            rounds(experiment, warmUp(experiment), measured);
            if (!options.quick()) {
                tables.dropOthers();
            }
        } finally {
            experiment.finish();
        }
    }

    /** Runs the warm-up rounds, and returns their number. */
    private int warmUp(Experiment experiment) throws IOException {
        if (!experiment.procedure().warmsUp()) {
            return 0;
        }
        boolean untilSettled = experiment.procedure().warmUp() == WarmUp.UNTIL_SETTLED && !options.quick();
        Settling settling = new Settling();
        double begin = timetable.secondsSinceStart();
        int round = 0;
        while (round < MOST_WARM_UPS || timetable.secondsSinceStart() - begin < SECONDS_OF_WARM_UPS) {
            Map<BenchCell, Measurement> figures = new LinkedHashMap<>();
            round(experiment, round, "warming up", WARM_UP, figures::put);
            if (round == 0) {
                timetable.roundDone(experiment.name()); // only the first round is planned
            }
            round++;
            figures.keySet().retainAll(longest(experiment));
            if (!untilSettled || settling.isSettledBy(figures)) {
                return round;
            }
        }
        note(
                experiment,
                "the figures had not settled after " + round + " warm-up rounds, and were measured nevertheless");
        return round;
    }

    /** Returns the cells that are measured longest in a round; the figures of shorter ones fluctuate more. */
    private static List<BenchCell> longest(Experiment experiment) {
        double most =
                experiment.cells().stream().mapToDouble(experiment::share).max().orElseThrow();
        return experiment.cells().stream()
                .filter(cell -> experiment.share(cell) == most)
                .toList();
    }

    private void rounds(Experiment experiment, int first, Map<BenchCell, List<Measurement>> measured)
            throws IOException {
        int rounds = experiment.procedure().rounds(options.rounds());
        for (int number = 1; number <= rounds; number++) {
            if (number > 1 && !timetable.hasTimeFor(experiment.name())) {
                return; // at least one round is measured
            }
            String text = "round " + number + " of " + rounds;
            round(experiment, first + number - 1, text, 1, (cell, measurement) -> measured.get(cell)
                    .add(measurement));
            timetable.roundDone(experiment.name());
        }
    }

    private void round(
            Experiment experiment, int round, String text, double share, BiConsumer<BenchCell, Measurement> taken)
            throws IOException {
        double expectedDone = 0;
        for (BenchCell cell : Turns.order(experiment.cells(), round)) {
            progress.show(timetable.secondsLeft(expectedDone), experiment.name() + ", " + text + ": " + cell);
            boolean isToBeQuiet = experiment.procedure().usesSharedTables() && !options.quick();
            if (isToBeQuiet && !tables.awaitCompactions()) {
                besideCompactions++;
            }
            double before = timetable.secondsSinceStart();
            double seconds = options.seconds() * experiment.share(cell) * share * timetable.pace();
            taken.accept(cell, measured(experiment, cell, round, seconds));
            timetable.done(experiment.expectedSeconds(cell) * share, timetable.secondsSinceStart() - before);
            expectedDone += experiment.expectedSeconds(cell);
        }
    }

    /**
     * Runs one round of one cell, and adds what the processes used and the regions counted meanwhile. The CPU times
     * exclude those of asking the regions.
     */
    private Measurement measured(Experiment experiment, BenchCell cell, int round, double seconds) throws IOException {
        RowMemoryUse memory = rowMemory(experiment, cell);
        CpuTimes cpu = CpuTimes.now(cluster);
        Measurement measurement = experiment.run(cell, round, seconds);
        Measurement withCpu = CpuTimes.now(cluster).perOperation(measurement, cpu);
        return rowMemory(experiment, cell).shareSince(memory, withCpu);
    }

    private RowMemoryUse rowMemory(Experiment experiment, BenchCell cell) throws IOException {
        Optional<TableName> table = experiment.updatedTable(cell);
        return table.isPresent() ? RowMemoryUse.of(tables.status(table.get())) : RowMemoryUse.NONE;
    }
}
