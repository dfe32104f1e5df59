package org.diffindex.cli;

import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command after which an existing index is BUILDING, or, if it waits, ACTIVE. */
abstract class BuildingCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Mixin
    private BuildArguments build;

    @Mixin
    private Progress progress;

    @Spec
    private CommandSpec spec;

    IndexArguments name() {
        return name;
    }

    /** Makes the index BUILDING. */
    abstract void begin(DiffIndexAdmin admin, BuildOptions options) throws IOException;

    @Override
    public Integer call() throws IOException {
        BuildOptions options = build.options(spec, OptionalInt.empty());
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            begin(admin, options);
            spec.commandLine().getOut().println(build.outcome(admin, name, progress, spec));
        }
        return 0;
    }
}
