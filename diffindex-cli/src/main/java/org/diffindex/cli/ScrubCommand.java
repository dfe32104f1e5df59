package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import org.diffindex.lab.output.ResultFile;
import org.diffindex.mapreduce.ScrubJob;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.ScrubReport;
import org.diffindex.verify.Scrubber;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex scrub}: compares indexes with their table, and repairs them on request. */
@Command(
        name = "scrub",
        description = {
            "Compare a table's indexes, or one of them, with the table, entry by entry; writers may continue. While the"
                    + " columns of an index change, each of its generations is compared that is ACTIVE. A"
                    + " difference that the scheme does not allow counts only if it remains after the lag.",
            "Exit code 0 if no difference is left, except for those that the scheme allows; 1 if one is left, if nothing is"
                    + " known of a row because it was being written at every look, if an index cannot be loaded by this"
                    + " client, if the table has no index, or if the comparison failed."
        },
        footer = {
            "",
            "Differences: missing (a row has no entry), dangling (an entry has no row), stale (an entry has another value"
                    + " than its row), ahead (an entry's write was lost or is in flight), wrong_timestamp, future_stamp (the"
                    + " delete of an entry would not cover it), duplicate (an entry has further cells), undecodable (a row of"
                    + " the index table is not an entry).",
            "",
            "Example:",
            "  diffindex scrub flights by_origin --rate 50000 --repair"
        })
final class ScrubCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private Progress progress;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The table, or namespace:table.")
    private TableName table;

    @Parameters(index = "1", arity = "0..1", paramLabel = "INDEX", description = "The index; default: all.")
    private String index;

    @Option(
            names = "--repair",
            description = "Repair differences: derive the entries of these rows again and delete wrong ones.")
    private boolean repair;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of regions that are read at a time; default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--rate",
            paramLabel = "ROWS",
            description = "The most rows of both tables to read per second; default: no limit.")
    private Double rate;

    @Option(
            names = "--lag",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long a difference must last to count; default: ${DEFAULT-VALUE}.")
    private int lag;

    @Option(
            names = "--samples",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many differences of each kind to print; default: ${DEFAULT-VALUE}.")
    private int samples;

    @Option(
            names = "--mapreduce",
            description = "Compare by a MapReduce job for each index, with a mapper for each region of both tables. The"
                    + " environment's HADOOP_CONF_DIR names the folder of the engine's settings; without it the jobs run in"
                    + " this process.")
    private boolean isJob;

    @Mixin
    private Engine engine;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result to a file, as JSON.")
    private Path json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        ScrubOptions options = options();
        Optional<ResultFile> file = Optional.ofNullable(json).map(ResultFile::new);
        if (file.isPresent()) {
            file.get().check();
        }
        List<ScrubReport> reports = new ArrayList<>();
        PrintWriter out = spec.commandLine().getOut();
        ScrubTargets targets;
        try (Connection connection = cluster.open()) {
            targets = ScrubTargets.of(connection, table, Optional.ofNullable(index));
            for (IndexDefinition definition : targets.compared()) {
                scrubUnlessDropped(connection, definition, options).ifPresent(reports::add);
            }
        } catch (IOException | RuntimeException e) {
            ScrubText.printUnfinished(reports, out);
            throw e;
        }
        if (file.isPresent()) {
            file.get().write(ScrubText.json(table, reports, targets.unloaded()));
        }
        ScrubText.print(table, reports, targets.unloaded(), repair, out);
        targets.skipped().forEach(out::println);
        return ScrubText.isClean(reports, targets.unloaded()) ? 0 : 1;
    }

    private ScrubOptions options() {
        if (rate != null && rate == 0) {
            throw new ParameterException(
                    spec.commandLine(), "A rate of 0 would read nothing; omit --rate for no limit");
        }
        try {
            return ScrubOptions.DEFAULT
                    .withThreads(threads)
                    .withRowsPerSecond(rate == null ? 0 : rate)
                    .withLag(Duration.ofSeconds(lag))
                    .withSamples(samples)
                    .withRepair(repair);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** Compares a generation; empty if it was dropped meanwhile, and was not in service. */
    private Optional<ScrubReport> scrubUnlessDropped(
            Connection connection, IndexDefinition definition, ScrubOptions options) throws IOException {
        try {
            return Optional.of(scrub(connection, definition, options));
        } catch (IOException e) {
            if (!ScrubTargets.isDropped(connection, definition)) {
                throw e;
            }
            spec.commandLine()
                    .getOut()
                    .println("Generation " + definition.name() + " of index " + definition.logicalName()
                            + " was not compared completely: it was dropped meanwhile");
            return Optional.empty();
        }
    }

    private ScrubReport scrub(Connection connection, IndexDefinition definition, ScrubOptions options)
            throws IOException {
        if (isJob) {
            return ScrubJob.run(connection, Engine.configuration(cluster), definition, options, engine.maps());
        }
        try (ScrubBars bars =
                new ScrubBars(progress, definition, spec.commandLine().getErr())) {
            return Scrubber.scrub(connection, definition, options, bars);
        }
    }
}
