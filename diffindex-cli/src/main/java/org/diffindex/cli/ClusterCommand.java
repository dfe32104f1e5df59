package org.diffindex.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex cluster}: a real HBase cluster on this machine. */
@Command(
        name = "cluster",
        description = "Run a real HBase cluster on this machine, each server in its own process.",
        subcommands = {
            ClusterStartCommand.class,
            ClusterStopCommand.class,
            ClusterStatusCommand.class,
            ClusterKillCommand.class
        })
final class ClusterCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Specify a subcommand of cluster");
    }
}
