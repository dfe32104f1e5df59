package org.diffindex.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.diffindex.cluster.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code diffindex cluster kill}: kills one process. */
@Command(name = "kill", description = "Kill one process (SIGKILL); start it again with: cluster start --process.")
final class ClusterKillCommand implements Callable<Integer> {
    @Mixin
    private ClusterFolder folder;

    @Option(names = "--process", paramLabel = "NAME", required = true, description = "The process, such as rs2.")
    private String process;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        LocalCluster.open(folder.dir()).kill(process);
        spec.commandLine().getOut().println(process + " was killed");
        return 0;
    }
}
