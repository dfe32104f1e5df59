package org.diffindex.lab.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.lab.bench.experiments.Bench;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.experiments.BenchTables;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.experiments.GoalLoads;
import org.diffindex.lab.bench.report.BenchReport;
import org.diffindex.lab.bench.report.ReportFiles;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.model.IndexScheme;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex bench}: runs the experiments of the paper and compares their figures with the goals. */
@Command(
        name = "bench",
        description = {
            "Start a local cluster of real processes and run the experiments of section 8 of the Diff-Index paper, and some"
                    + " beyond it, with the paper's item table. They compare no index with the four schemes. Writes a report"
                    + " with plots and prints the figures next to the goals.",
            "The contenders take turns in short rounds; figures are medians over rounds.",
            "Exit code 0 if every experiment completed, whether or not the goals are met; 1 if one failed."
        },
        footer = {
            "",
            "Experiments: update, read, range, staleness (figures 7, 8, 9 and 11 of the paper), update-rate and read-rate"
                    + " (latency at target rates), read-rows (whole rows), batch (1,000 rows), plain (plain calls in place of an"
                    + " index), indexes (several per table), skewed (zipfian updates), scan (query by index and full scan),"
                    + " flush (the delay caused by draining), heap (of a full AUQ), recovery (with a full AUQ).",
            "",
            "Files in the folder: report.html, results.json, and an SVG for each plot. docs/benchmarks.md explains them.",
            "",
            "Examples:",
            "  diffindex bench --quick --out /tmp/bench",
            "  diffindex bench --out /tmp/bench --experiments update,read --threads 1,8,32 --rounds 9"
        })
public final class BenchCommand implements Callable<Integer> {
    private static final int FEWEST_ROWS = 2_000;
    private static final int MOST_ROWS = 50_000_000;
    private static final int MOST_THREADS = 1_000;
    private static final int MOST_PER_SECOND = 1_000_000;

    /** The limit of a quick run; the rest of the five minutes is for the report and for stopping the cluster. */
    private static final Duration QUICK = Duration.ofSeconds(272);

    private static final int QUICK_ROWS = 40_000;
    private static final int FULL_ROWS = 100_000;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            required = true,
            description = "Folder of the report; created if missing. Files of an earlier report are replaced.")
    private Path out;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "Folder of the cluster, which is kept: that of a stopped cluster, or a new one. Default: a temporary one.")
    private Path dir;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            description =
                    "Heap of each region server of a new cluster, such as 2g. Default: an eighth of this machine's"
                            + " memory, at least 1g and at most 4g.")
    private String heap;

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Rows per table. Default: 100000, for scan 1000000; with --quick 40000.")
    private Integer rows;

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description =
                    "Concurrent clients of update, read and read-rows, one load for each number. Default: 1,8,32; with --quick"
                            + " 1,8.")
    private List<Integer> threads;

    @Option(
            names = "--rates",
            paramLabel = "N",
            split = ",",
            description =
                    "Target rates of update-rate and read-rate in operations per second, the same for all schemes. Default:"
                            + " 50%% and 70%% of what each reaches in a closed loop, and 70%% of what the slowest reaches.")
    private List<Integer> rates;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description =
                    "Seconds for which each cell (a scheme under a load) is measured per round. Default: 8; with --quick 1.")
    private Double seconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Measured rounds. Default: 5; with --quick 3, or as many as fit.")
    private Integer rounds;

    @Option(
            names = "--experiments",
            paramLabel = "NAME",
            split = ",",
            description = "Only these experiments, separated by commas. Default: all.")
    private List<String> experiments;

    @Option(
            names = "--schemes",
            paramLabel = "SCHEME",
            split = ",",
            description = "Only these schemes, separated by commas, and no index. Default: all four.")
    private List<String> schemes;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Random seed for choosing rows (ignored by skewed). Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--quick", description = "Finish within five minutes: fewer rows, shorter rounds.")
    private boolean quick;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        BenchOptions options = options();
        ReportFiles files = new ReportFiles(options.out());
        files.check();
        BenchReport report = run(options, files);
        print(report, files.page());
        return report.isComplete() ? 0 : 1;
    }

    /**
     * Runs the experiments. Writes the report before it stops the cluster, so that a failure to stop does not lose the
     * report.
     */
    private BenchReport run(BenchOptions options, ReportFiles files) throws IOException {
        Map<String, String> machine = new LinkedHashMap<>(Machine.facts());
        ProgressLine progress = new ProgressLine(spec.commandLine().getErr(), Boolean.getBoolean("diffindex.terminal"));
        Timetable timetable = new Timetable(System::nanoTime, quick ? Optional.of(QUICK) : Optional.empty());
        progress.tell("starting a cluster of three region servers");
        try (BenchCluster cluster = BenchCluster.start(options.dir(), options.heap())) {
            machine.put("region_server_heap", cluster.cluster().regionServerHeap());
            Bench bench = new Bench(
                    cluster.cluster(), cluster.connection(), options, new BenchTables(cluster.connection(), options));
            List<ExperimentResult> results = new BenchRun(bench, timetable, progress).run(Experiments.of(bench));
            BenchReport report = new BenchReport(machine, options, timetable.secondsSinceStart(), results);
            files.write(report);
            progress.tell("stopping the cluster");
            return report;
        }
    }

    private void print(BenchReport report, Path page) {
        PrintWriter print = spec.commandLine().getOut();
        report.print(print);
        print.println("Report: " + page.toAbsolutePath());
        print.flush();
    }

    private BenchOptions options() {
        try {
            BenchOptions options = new BenchOptions(
                    out.toAbsolutePath().normalize(),
                    Optional.ofNullable(dir),
                    or(heap, Machine.heapOfRegionServer()),
                    or(rows, quick ? QUICK_ROWS : FULL_ROWS),
                    or(rows, quick ? QUICK_ROWS : GoalLoads.SCANNED_ROWS),
                    or(threads, quick ? List.of(1, 8) : List.of(1, 8, 32)),
                    or(rates, List.of()),
                    or(seconds, quick ? 1.0 : 8.0),
                    or(rounds, quick ? 3 : 5),
                    Experiments.inOrder(or(experiments, Experiments.names())),
                    schemes().stream().distinct().map(Contender::of).toList(),
                    seed,
                    quick);
            check(options);
            return options;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage() + "; nothing was run", e);
        }
    }

    private List<IndexScheme> schemes() {
        return schemes == null
                ? List.of(IndexScheme.values())
                : schemes.stream().map(IndexScheme::ofName).toList();
    }

    private static <T> T or(T given, T otherwise) {
        return given == null ? otherwise : given;
    }

    private void check(BenchOptions options) {
        ClusterOptions unused = ClusterOptions.defaults().withHeap(options.heap());
        List<String> wrong = new ArrayList<>();
        if (heap != null && dir != null && LocalCluster.exists(dir)) {
            wrong.add("--heap is for a new cluster, but " + dir.toAbsolutePath() + " holds an existing one");
        }
        if (options.rows() < FEWEST_ROWS || options.rows() > MOST_ROWS) {
            wrong.add("--rows must be from " + FEWEST_ROWS + " to " + MOST_ROWS + ", not " + options.rows());
        }
        if (!areDistinct(options.threads(), MOST_THREADS)) {
            wrong.add("--threads must be distinct numbers from 1 to " + MOST_THREADS + ", not " + options.threads());
        }
        if (!areDistinct(options.rates(), MOST_PER_SECOND)) {
            wrong.add("--rates must be distinct numbers from 1 to " + MOST_PER_SECOND + ", not " + options.rates());
        }
        if (!(options.seconds() > 0 && options.seconds() <= 3_600)) {
            wrong.add("--seconds must be above 0 and at most 3600, not " + options.seconds());
        }
        if (options.rounds() < 1) {
            wrong.add("--rounds must be at least 1, not " + options.rounds());
        }
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", wrong));
        }
    }

    private static boolean areDistinct(List<Integer> numbers, int most) {
        return numbers.stream().allMatch(number -> number >= 1 && number <= most)
                && numbers.stream().distinct().count() == numbers.size();
    }
}
