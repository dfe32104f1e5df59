package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code diffindex cluster status}: prints a line for each process; exit code 0 only if all are running. */
@Command(
        name = "status",
        description = "Print the name, pid, state and ports of every process. Exit code 0 only if all are up.")
final class ClusterStatusCommand implements Callable<Integer> {
    @Mixin
    private ClusterFolder folder;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        List<ProcessStatus> all = LocalCluster.open(folder.dir()).status();
        all.forEach(process -> out.println(line(process)));
        return all.stream().allMatch(ProcessStatus::isUp) ? 0 : 1;
    }

    static String line(ProcessStatus process) {
        String pid = process.isUp() ? Long.toString(process.pid().getAsLong()) : "-";
        String ports = process.ports().entrySet().stream()
                .map(port -> port.getKey() + "=" + port.getValue())
                .collect(Collectors.joining(" "));
        return String.format("%-9s  %7s  %-4s  %s", process.name(), pid, process.isUp() ? "up" : "down", ports);
    }
}
