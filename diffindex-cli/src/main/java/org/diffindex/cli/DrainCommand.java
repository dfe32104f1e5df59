package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.client.DiffIndexAdmin;
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
                "Wait until every index update that was accepted before is delivered; exit code 1 if some are not.",
        footer = {"", "Example:", "  diffindex drain flights --timeout 30"})
final class DrainCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The table, or namespace:table.")
    private TableName table;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "The longest time to wait; ${DEFAULT-VALUE} unless given.")
    private long timeout;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (timeout < 0) {
            throw new ParameterException(spec.commandLine(), "--timeout cannot be negative: " + timeout);
        }
        long left;
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            left = admin.drain(table, Duration.ofSeconds(timeout));
        }
        if (left > 0) {
            throw new IOException("%,d index updates of table %s are still waiting after %d s; the table is durable and"
                            .formatted(left, table, timeout)
                    + " its indexes will follow; drain again, or see what diffindex status says");
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("Table " + table + " is drained: every index update is delivered");
        return 0;
    }
}
