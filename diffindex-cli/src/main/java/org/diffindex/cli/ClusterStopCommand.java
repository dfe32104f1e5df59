package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.diffindex.cluster.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code diffindex cluster stop}: stops all processes of a cluster and keeps its data. */
@Command(name = "stop", description = "Stop every process of a cluster; its data stays.")
final class ClusterStopCommand implements Callable<Integer> {
    @Mixin
    private ClusterFolder folder;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        LocalCluster cluster = LocalCluster.open(folder.dir()).onProgress(line -> {
            out.println(line);
            out.flush();
        });
        cluster.stop();
        out.println("The cluster is stopped; its data is in " + cluster.layout().dir());
        return 0;
    }
}
