package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexStatus;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.UnloadedIndex;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex status}: prints how far the indexes of tables are behind, and what index maintenance has cost. */
@Command(
        name = "status",
        description = {
            "Print, for a table or every indexed table, its indexes, the updates that wait in the AUQ, the staleness of"
                    + " delivered updates, and the reads and writes of index maintenance.",
            "Counts are sums over the table's regions since each was opened.",
            "With --watch the status is printed again and again, with rates since the last look, until Ctrl-C: in place on a"
                    + " terminal."
        },
        footer = {"", "Examples:", "  diffindex status flights --json", "  diffindex status flights --watch 5"})
final class StatusCommand implements Callable<Integer> {
    /** The system property by which {@code bin/diffindex} tells whether standard output is a terminal. */
    private static final String TERMINAL = "diffindex.terminal.out";

    private static final double LEAST_SECONDS = 0.1;
    private static final double MOST_SECONDS = 3_600;

    @Mixin
    private ClusterConnection cluster;

    @Parameters(index = "0", arity = "0..1", paramLabel = "TABLE", description = "The table; default: all.")
    private TableName table;

    @Option(
            names = "--json",
            description =
                    "Print a JSON object for each table, one per line. With --watch, one with the member \"error\" for"
                            + " a look that fails.")
    private boolean json;

    @Option(
            names = "--watch",
            arity = "0..1",
            fallbackValue = "2",
            paramLabel = "SECONDS",
            description = "Look again every so many seconds, 2 by default, until Ctrl-C. Name the table before it.")
    private Double seconds;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (seconds != null && !(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS)) {
            throw new ParameterException(
                    spec.commandLine(), "--watch must be between 0.1 and 3600 seconds, not " + seconds);
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            if (seconds == null) {
                look(admin).forEach(status -> out.println(text(status)));
            } else {
                watch(admin, out);
            }
        }
        return 0;
    }

    private String text(IndexStatus status) {
        return json ? StatusText.json(status) : StatusText.lines(status);
    }

    private List<IndexStatus> look(DiffIndexAdmin admin) throws IOException {
        List<IndexStatus> look = new ArrayList<>();
        for (TableName each : tables(admin)) {
            look.add(admin.status(each));
        }
        return look;
    }

    private void watch(DiffIndexAdmin admin, PrintWriter out) throws IOException {
        look(admin); // fails at once if the table does not exist
        // Ctrl-C is how this command ends, and no failure.
        Thread end = new Thread(() -> Runtime.getRuntime().halt(0), "end-watch");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            Duration interval = Duration.ofMillis(Math.round(seconds * 1_000));
            StatusWatch.Form form = json
                    ? StatusWatch.Form.JSON
                    : Boolean.getBoolean(TERMINAL) ? StatusWatch.Form.IN_PLACE : StatusWatch.Form.LINES;
            new StatusWatch(out, form, interval, System::nanoTime).run(() -> look(admin));
        } finally {
            Runtime.getRuntime().removeShutdownHook(end);
        }
    }

    private List<TableName> tables(DiffIndexAdmin admin) throws IOException {
        if (table != null) {
            return List.of(table);
        }
        return Stream.concat(
                        admin.listIndexes().stream().map(IndexDefinition::table),
                        admin.listUnloadedIndexes().stream().map(UnloadedIndex::table))
                .sorted()
                .distinct()
                .toList();
    }
}
