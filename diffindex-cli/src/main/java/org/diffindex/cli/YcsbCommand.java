package org.diffindex.cli;

import java.io.IOException;
import java.io.Reader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.GlobalOptions;
import org.diffindex.model.IndexScheme;
import org.diffindex.ycsb.YcsbFailedException;
import org.diffindex.ycsb.YcsbLauncher;
import org.diffindex.ycsb.YcsbResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex ycsb}: runs the paper's workload with YCSB, in a process of its own. */
@Command(
        name = "ycsb",
        description = {
            "Run YCSB with the item table of the Diff-Index paper. Exit code 0 only if every operation succeeded.",
            "load creates the table with its indexes by_title and by_price if it does not exist, and inserts the items; run"
                    + " operates on them. Give run the scheme of load. A property of -p overrides one of -P, and an option"
                    + " overrides both.",
            "Under an asynchronous scheme the indexes are drained after the last operation, and the rate is printed with and"
                    + " without the time for that. With --target the latency of an operation is measured from its scheduled"
                    + " start."
        },
        footer = {
            "",
            "Properties of -p and -P besides YCSB's own, with their defaults:",
            "  updateproportion=0.5, readbyindexproportion=0.5, and rangebyindexproportion, readproportion,"
                    + " insertproportion, deleteproportion=0; they sum to 1",
            "  table=item, columnfamily=cf, fieldlength=100, requestdistribution=uniform (or zipfian, latest),"
                    + " diffindex.regions=3",
            "  diffindex.selectivity=0.001: the share of all items that a range read requests",
            "  diffindex.verify=true: a read by index fails if it misses an item that this process wrote",
            "",
            "Examples:",
            "  diffindex ycsb load --records 100000 --scheme sync-insert --threads 4",
            "  diffindex ycsb run --records 100000 --scheme sync-insert --operations 50000 -p rangebyindexproportion=0.1"
                    + " -p readbyindexproportion=0.4"
        })
final class YcsbCommand implements Callable<Integer> {
    private static final List<String> JVM_ARGUMENTS = List.of("-Dlog4j", "-Ddiffindex", "-Xmx", "--add-");

    /** The two phases of YCSB. */
    enum Phase {
        LOAD,
        RUN
    }

    @Mixin
    private ClusterConnection cluster;

    @Parameters(index = "0", paramLabel = "load|run", description = "The phase of YCSB.")
    private Phase phase;

    @Option(
            names = "--scheme",
            paramLabel = "SCHEME",
            description = "Scheme of the two indexes, or none for a table without indexes; default: sync-full.")
    private String scheme;

    @Option(names = "--records", paramLabel = "N", description = "Number of items in the table; default: 1000.")
    private Integer records;

    @Option(names = "--operations", paramLabel = "N", description = "Number of operations of run; default: 1000.")
    private Integer operations;

    @Option(names = "--threads", paramLabel = "N", description = "Number of YCSB threads; default: 1.")
    private Integer threads;

    @Option(
            names = "--target",
            paramLabel = "OPS",
            description = "Target rate in operations per second; default: no limit.")
    private Integer target;

    @Option(names = "--session", description = "Write and read by index in a session for each thread.")
    private boolean session;

    @Option(names = "-p", paramLabel = "KEY=VALUE", description = "A property of YCSB or of the workload.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(names = "-P", paramLabel = "FILE", description = "A file of properties.")
    private Path file;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Properties all = allProperties();
        YcsbLauncher launcher = phase == Phase.LOAD ? YcsbLauncher.load() : YcsbLauncher.run();
        launcher.properties(all).jvmArguments(jvmArguments());
        try (Connection connection = cluster.open()) {
            // YCSB would retry for minutes if the cluster is down, and report less.
            connection.getAdmin().close();
        }
        if (GlobalOptions.of(spec).verbose()) {
            launcher.onOutput(spec.commandLine().getErr()::println);
        }
        try {
            print(launcher.launch(), launcher, all);
        } catch (YcsbFailedException e) {
            if (!e.result().operations().isEmpty()) {
                print(e.result(), launcher, all);
            }
            throw e;
        }
        return 0;
    }

    private Properties allProperties() throws IOException {
        Properties all = new Properties();
        all.setProperty("recordcount", "1000");
        all.setProperty("operationcount", "1000");
        if (file != null) {
            try (Reader reader = Files.newBufferedReader(file)) {
                all.load(reader);
            }
        }
        all.putAll(properties);
        set(all, "recordcount", records);
        set(all, "operationcount", operations);
        set(all, "threadcount", threads);
        set(all, "target", target);
        if (scheme != null) {
            all.setProperty("diffindex.scheme", knownScheme());
        }
        if (session) {
            all.setProperty("diffindex.session", "true");
        }
        cluster.folder().ifPresent(folder -> all.setProperty("hbase.conf", folder.toString()));
        return all;
    }

    private void set(Properties all, String property, Integer value) {
        if (value != null && value <= 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--records, --operations, --threads and --target must be positive, not " + value);
        }
        if (value != null) {
            all.setProperty(property, value.toString());
        }
    }

    private String knownScheme() {
        try {
            return scheme.equals("none") ? scheme : IndexScheme.ofName(scheme).schemeName();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage() + ", and none", e);
        }
    }

    /** Returns the arguments of this JVM that apply to YCSB too: logging, memory, access by reflection. */
    private static List<String> jvmArguments() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> JVM_ARGUMENTS.stream().anyMatch(argument::startsWith))
                .toList();
    }

    private void print(YcsbResult result, YcsbLauncher launcher, Properties all) {
        String name = all.getProperty("diffindex.scheme", "").strip();
        boolean asynchronous = Arrays.stream(IndexScheme.values())
                .anyMatch(known -> known.schemeName().equals(name) && known.isAsynchronous());
        YcsbText.print(
                result, asynchronous, launcher.hasTarget(), spec.commandLine().getOut());
    }
}
