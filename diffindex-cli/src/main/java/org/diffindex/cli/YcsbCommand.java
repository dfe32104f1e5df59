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

/** {@code diffindex ycsb}: the paper's workload, by YCSB in a process of its own. */
@Command(
        name = "ycsb",
        description = {
            "Run YCSB with the Diff-Index paper's item table; exit code 0 only if every operation succeeded.",
            "load makes the table with its indexes by_title and by_price if it is missing, and inserts the items; run"
                    + " does operations on them. The scheme of run is that of load. A property of -p goes over one of -P,"
                    + " and an option over both.",
            "Under an asynchronous scheme the indexes are drained after the last operation, and the rate is printed with and"
                    + " without the time for that. With --target the latency of an operation counts from when it should have"
                    + " started."
        },
        footer = {
            "",
            "Properties of -p and -P, beside YCSB's own, and what they are unless set:",
            "  updateproportion=0.5, readbyindexproportion=0.5, and rangebyindexproportion, readproportion,"
                    + " insertproportion, deleteproportion=0; they sum to 1",
            "  table=item, columnfamily=cf, fieldlength=100, requestdistribution=uniform (or zipfian, latest),"
                    + " diffindex.regions=3",
            "  diffindex.selectivity=0.001: the share of all items that a range read asks for",
            "  diffindex.verify=true: a read by index that misses what this process wrote is a failure",
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

    @Parameters(index = "0", paramLabel = "load|run", description = "Which of YCSB's phases.")
    private Phase phase;

    @Option(
            names = "--scheme",
            paramLabel = "SCHEME",
            description = "Scheme of the two indexes, or none for a table without; sync-full unless given.")
    private String scheme;

    @Option(names = "--records", paramLabel = "N", description = "Items in the table; 1000 unless given.")
    private Integer records;

    @Option(names = "--operations", paramLabel = "N", description = "Operations of run; 1000 unless given.")
    private Integer operations;

    @Option(names = "--threads", paramLabel = "N", description = "Threads of YCSB; 1 unless given.")
    private Integer threads;

    @Option(
            names = "--target",
            paramLabel = "OPS",
            description = "Operations per second to keep to; no limit unless given.")
    private Integer target;

    @Option(names = "--session", description = "Let each thread write and read by index in a session.")
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
            // YCSB would try a cluster that is down for minutes, and then say less.
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

    /** This JVM's arguments that are YCSB's too: where it logs, how much memory it has, what it may reflect on. */
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
