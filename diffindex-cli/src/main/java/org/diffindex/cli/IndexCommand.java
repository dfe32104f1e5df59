package org.diffindex.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command about one index, which prints a result. */
abstract class IndexCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Spec
    private CommandSpec spec;

    IndexArguments name() {
        return name;
    }

    CommandSpec spec() {
        return spec;
    }

    /** Carries out the command; returns what it prints. */
    abstract String run(DiffIndexAdmin admin) throws IOException;

    @Override
    public Integer call() throws IOException {
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            spec.commandLine().getOut().println(run(admin));
        }
        return 0;
    }
}
