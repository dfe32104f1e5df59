package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.DrainResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex drain}: waits until a table's indexes have caught up. */
@Command(
        name = "drain",
        description =
                "Wait until every index update accepted so far is delivered, to all indexes of a table or to one. Exit"
                        + " code 1 if one is not delivered in time.",
        footer = {"", "Examples:", "  diffindex drain flights --timeout 30", "  diffindex drain flights by_origin"})
final class DrainCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The table, or namespace:table.")
    private TableName table;

    @Parameters(index = "1", arity = "0..1", paramLabel = "INDEX", description = "The index; default: all.")
    private String index;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "The longest time to wait; default: ${DEFAULT-VALUE}.")
    private long timeout;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (timeout < 0) {
            throw new ParameterException(spec.commandLine(), "--timeout cannot be negative: " + timeout);
        }
        DrainResult result;
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            List<String> indexes = index == null ? List.of() : List.of(index);
            result = admin.drain(table, indexes, Duration.ofSeconds(timeout));
        }
        String what = index == null ? "Table " + table : "Index " + index + " of table " + table;
        if (!result.isDrained()) {
            throw new IOException(DrainText.failure(what, result, timeout));
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(what + " is drained: every index update is delivered");
        return 0;
    }
}
