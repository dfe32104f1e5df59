package org.diffindex.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code diffindex disable-index}: takes an index out of service. */
@Command(
        name = "disable-index",
        description = {
            "Take an index out of service: reads by it are refused, and no write maintains it or waits for it any more. Its"
                    + " definition and its table stay.",
            "It is put into service again with enable-index, which builds it anew."
        },
        footer = {"", "Example:", "  diffindex disable-index flights by_origin"})
final class DisableIndexCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.disableIndex(name.table(), name.index());
        }
        spec.commandLine()
                .getOut()
                .println("Index " + name.index() + " on " + name.table()
                        + " is DISABLED: no write maintains it, and it cannot be read. Enable it with: enable-index "
                        + name.table() + " " + name.index());
        return 0;
    }
}
