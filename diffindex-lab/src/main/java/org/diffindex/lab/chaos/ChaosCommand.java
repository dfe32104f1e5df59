package org.diffindex.lab.chaos;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import org.diffindex.model.IndexScheme;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex chaos}: writes and reads by index while faults hit the cluster, and checks every answer. */
@Command(
        name = "chaos",
        description = {
            "Start a cluster of real processes; write to one table per scheme and read by index while servers are killed and"
                    + " stalled, clocks jump, and regions move, split and merge, and while one more index of each table is"
                    + " created, built and dropped; check every answer against what was written; at the end compare every index with its table, and every table with what was written.",
            "The seed determines the faults: the same seed gives the same kinds in the same order. With an even seed, writes,"
                    + " reads and scans have separate call queues.",
            "Exit code 0 only if every answer was as promised, every index equals its table, and nothing is unexplained:"
                    + " no process ended by itself, every kind of fault could be applied, checkpoints succeeded, and most"
                    + " reads and writes were answered."
        },
        footer = {
            "",
            "Files in the folder: chaos.json, the result; history.jsonl, every write; cluster, with the servers' logs. After"
                    + " a clean run only the first is kept.",
            "",
            "Examples:",
            "  diffindex chaos --dir /tmp/chaos --minutes 60 --seed 7",
            "  diffindex chaos --dir /tmp/chaos --scheme sync-full --faults kill-base-server,stall-long --keep"
        })
public final class ChaosCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            description = "Folder of the run; must be empty or not exist.")
    private Path dir;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            defaultValue = "10",
            description =
                    "Minutes of fault injection; the start and the final checks take extra time. Default: ${DEFAULT-VALUE}.")
    private int minutes;

    @Option(
            names = "--scheme",
            paramLabel = "SCHEME",
            defaultValue = "all",
            description = "One scheme, several separated by commas, or all. Default: ${DEFAULT-VALUE}.")
    private String scheme;

    @Option(names = "--seed", paramLabel = "S", description = "Seed that determines the faults. Default: random.")
    private Long seed;

    @Option(
            names = "--faults",
            paramLabel = "KIND,...",
            defaultValue = "all",
            description = "Only these kinds: kill-base-server, kill-index-server, kill-two-servers, stall-short,"
                    + " stall-long, slow-server, kill-master, kill-data-node, clock-ahead, clock-back, clock-wanders,"
                    + " move-base, move-index, split-base, split-index, merge-base, merge-index, flush, compact,"
                    + " disable-index, kill-all-servers, restart-cluster.")
    private String faults;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "6",
            description = "Writers per table; there are half as many readers. Default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "1200",
            description = "Rows per table that are in use at any time. Default: ${DEFAULT-VALUE}.")
    private int rows;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "120",
            description = "Write operations per second on each table. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--region-servers",
            paramLabel = "N",
            defaultValue = "3",
            description = "Number of region servers. Default: ${DEFAULT-VALUE}.")
    private int regionServers;

    @Option(
            names = "--scheme-changes",
            description = "Also change the schemes of indexes, one after the other, in every direction.")
    private boolean schemeChanges;

    @Option(names = "--keep", description = "Keep all files even after a clean run.")
    private boolean keep;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        ChaosOptions options = options();
        requireEmpty();
        Files.createDirectories(dir);
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        out.println("seed " + options.seed() + ", call queues " + options.callQueues());
        out.flush();
        ChaosRun run = new ChaosRun(options, line -> {
            synchronized (err) {
                err.println(LocalTime.now(ZoneId.systemDefault()).format(TIME) + " " + line);
                err.flush();
            }
        });
        ChaosResult result = run.run();
        ChaosReport report = new ChaosReport(result);
        report.write(options.report());
        report.print(out);
        if (result.isClean() && !keep) {
            run.clean();
        }
        return result.isClean() ? 0 : 1;
    }

    private ChaosOptions options() {
        if (minutes < 1 || clients < 1 || rows < clients || rate < 1 || regionServers < 2) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--minutes, --clients and --rate must be at least 1, --rows at least --clients, --region-servers at"
                            + " least 2; nothing was run");
        }
        try {
            return new ChaosOptions(
                    dir.toAbsolutePath().normalize(),
                    Duration.ofMinutes(minutes),
                    scheme.equals("all")
                            ? List.of(IndexScheme.values())
                            : parts(scheme).stream()
                                    .map(IndexScheme::ofName)
                                    .distinct()
                                    .toList(),
                    seed == null ? new Random().nextInt(Integer.MAX_VALUE) : seed,
                    faults.equals("all")
                            ? List.of(FaultKind.values())
                            : parts(faults).stream().map(FaultKind::ofName).toList(),
                    clients,
                    Math.max(1, clients / 2),
                    rows,
                    rate,
                    Math.max(1, rate / 3),
                    regionServers,
                    schemeChanges,
                    keep);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage() + "; nothing was run", e);
        }
    }

    private static List<String> parts(String list) {
        return Arrays.asList(list.split(",", -1));
    }

    private void requireEmpty() throws IOException {
        if (!Files.exists(dir)) {
            return;
        }
        try (var files = Files.list(dir)) {
            if (files.findAny().isPresent()) {
                throw new IOException("The folder " + dir + " is not empty; nothing was run; name a new one");
            }
        }
    }
}
