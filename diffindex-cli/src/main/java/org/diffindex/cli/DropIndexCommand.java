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

/** {@code diffindex drop-index}: drops an index, or the remains of one. */
@Command(
        name = "drop-index",
        description =
                "Drop an index and its table, or the remains of an incomplete one; the base table does not change.",
        footer = {"", "Example:", "  diffindex drop-index flights by_origin"})
final class DropIndexCommand implements Callable<Integer> {
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
            admin.dropIndex(name.table(), name.index());
        }
        spec.commandLine().getOut().println("Index " + name.index() + " of " + name.table() + " was dropped");
        return 0;
    }
}
