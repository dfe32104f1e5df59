package org.diffindex.lab.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.experiments.GoalLoads;
import org.diffindex.lab.bench.rivals.Rivals;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexScheme;
import picocli.CommandLine.Option;

/** The arguments of a run. */
final class RunArguments {
    private static final int FEWEST_ROWS = 2_000;
    private static final int MOST_ROWS = 50_000_000;
    private static final int MOST_THREADS = 1_000;
    private static final int MOST_PER_SECOND = 1_000_000;

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
                    "Seconds for which each cell (a scheme under a load) by which a goal is judged is measured per round; the others"
                            + " a fifth of that, without --quick. Default: 5; with --quick 1.")
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
            names = "--against",
            paramLabel = "SYSTEM",
            description =
                    "Also measure the tables of another system: phoenix, if its comparison is built. In update, read, range"
                            + " and batch.")
    private String against;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description =
                    "A property of hbase-site.xml of a new cluster, such as diffindex.row.memory.bytes=1000000. Repeatable.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Random seed for choosing rows (ignored by skewed). Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--quick", description = "Finish within five minutes: fewer rows, shorter rounds.")
    private boolean quick;

    /**
     * Returns the options of the run, with defaults filled in.
     *
     * @throws IllegalArgumentException if some are wrong; the message says which
     */
    BenchOptions options() {
        BenchOptions options = new BenchOptions(
                out.toAbsolutePath().normalize(),
                Optional.ofNullable(dir),
                or(heap, Machine.heapOfRegionServer()),
                or(rows, quick ? QUICK_ROWS : FULL_ROWS),
                or(rows, quick ? QUICK_ROWS : GoalLoads.SCANNED_ROWS),
                or(threads, quick ? List.of(1, 8) : List.of(1, 8, 32)),
                or(rates, List.of()),
                or(seconds, quick ? 1.0 : 5.0),
                or(rounds, quick ? 3 : 5),
                Experiments.inOrder(or(experiments, Experiments.names())),
                schemes().stream().distinct().map(Contender::of).toList(),
                Optional.ofNullable(against).map(Rivals::named),
                settings,
                seed,
                quick);
        check(options);
        return options;
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
        if (!options.settings().isEmpty() && dir != null && LocalCluster.exists(dir)) {
            wrong.add("--set is for a new cluster, but " + dir.toAbsolutePath() + " holds an existing one");
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
        if (options.rival().isPresent() && Collections.disjoint(options.experiments(), BenchOptions.WITH_RIVAL)) {
            wrong.add(
                    "--against is measured in update, read, range and batch only; name one of them with --experiments,"
                            + " not only " + String.join(", ", options.experiments()));
        }
        if (options.rounds() < 1) {
            wrong.add("--rounds must be at least 1, not " + options.rounds());
        }
        if (wrong.isEmpty() && !Experiments.haveCells(options)) {
            List<String> labels =
                    options.schemes().stream().map(Contender::label).toList();
            wrong.add("with --schemes " + String.join(",", labels) + " there is nothing to measure in "
                    + String.join(", ", options.experiments())
                    + ", which need an asynchronous scheme; name one, or other experiments");
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
