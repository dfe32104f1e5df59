package org.diffindex.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code diffindex drop-index}: drops an index, or the remains of one. */
@Command(
        name = "drop-index",
        description = {
            "Drop an index and its table, or the remains of an incomplete one; the base table does not change.",
            "First the regions of the index table are opened again, so that they refuse readers. While one of them cannot be"
                    + " opened, that fails: use --force then."
        },
        footer = {"", "Example:", "  diffindex drop-index flights by_origin"})
final class DropIndexCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Option(
            names = "--force",
            description =
                    "Let writes stop maintaining the index before readers are refused. Clients that have read by the"
                            + " index may then get answers that lack later writes, until its table is deleted.")
    private boolean force;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.dropIndex(name.table(), name.index(), force);
        }
        spec.commandLine().getOut().println("Index " + name.index() + " of " + name.table() + " was dropped");
        return 0;
    }
}
