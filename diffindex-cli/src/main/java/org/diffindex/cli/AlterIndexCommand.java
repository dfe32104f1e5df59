package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.SchemeChange;
import org.diffindex.verify.SchemeChangeOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex alter-index}: changes the scheme of an index. */
@Command(
        name = "alter-index",
        description = {
            "Change the scheme of an ACTIVE index, while readers and writers continue. Returns when the promise of the new"
                    + " scheme holds; until then that of the weaker of both schemes does.",
            "If the command ends before, the same command again completes the change; a command with another scheme, the"
                    + " former one among them, takes its place."
        },
        footer = {
            "",
            "From sync-insert to another scheme, the index is compared with its table, and entries of old values are removed:"
                    + " run the command as a user from whom no cell is hidden.",
            "The regions of the index table are opened again twice or three times, those of the table once. Only the scheme can"
                    + " be changed. For another name, other columns or other types, create a second index, let readers use it,"
                    + " and drop the first.",
            "",
            "Example:",
            "  diffindex alter-index flights by_origin --scheme sync-full"
        })
final class AlterIndexCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Mixin
    private Progress progress;

    @Option(
            names = "--scheme",
            paramLabel = "SCHEME",
            required = true,
            description = "The new scheme, one of ${COMPLETION-CANDIDATES}.")
    private IndexScheme scheme;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "How long to wait for index updates in flight, each time; default: ${DEFAULT-VALUE}.")
    private long timeout;

    @Option(
            names = "--rate",
            paramLabel = "ROWS",
            description =
                    "The most rows of both tables to read per second when the index is compared; default: no limit.")
    private Double rate;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        SchemeChangeOptions options = options();
        PrintWriter err = spec.commandLine().getErr();
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            IndexDefinition index = admin.describeIndex(name.table(), name.index());
            try (SchemeChangeLines lines = new SchemeChangeLines(new ScrubBars(progress, index, err), err)) {
                SchemeChange.run(connection, name.table(), name.index(), scheme, options, lines);
            }
        }
        spec.commandLine()
                .getOut()
                .println("Index " + name.index() + " on " + name.table() + " is " + scheme
                        + ": it promises what that scheme does");
        return 0;
    }

    private SchemeChangeOptions options() {
        if (rate != null && rate == 0) {
            throw new ParameterException(
                    spec.commandLine(), "A rate of 0 would read nothing; omit --rate for no limit");
        }
        try {
            return new SchemeChangeOptions(Duration.ofSeconds(timeout), rate == null ? 0 : rate);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
