package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code diffindex cluster start}: creates a cluster and starts it, or starts an existing one with its data. */
@Command(
        name = "start",
        description = {
            "Start a cluster, or one of its processes with --process, and return when it serves.",
            "In a folder without a cluster, create one. A stopped cluster keeps its data, ports and size."
        })
final class ClusterStartCommand implements Callable<Integer> {
    @Mixin
    private ClusterFolder folder;

    @Option(
            names = "--region-servers",
            paramLabel = "N",
            description = "Number of region servers of a new cluster; default: 3.")
    private Integer regionServers;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            description = "Heap of each region server of a new cluster, such as 512m; default: 1g.")
    private String heap;

    @Option(names = "--plain", description = "Create a new cluster without Diff-Index, for comparison.")
    private boolean plain;

    @Option(names = "--process", paramLabel = "NAME", description = "Start only this process, such as rs2.")
    private String process;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (process != null) {
            cluster().restart(process);
            out.println(process + " serves");
            return 0;
        }
        LocalCluster cluster = cluster().onProgress(line -> {
            out.println(line);
            out.flush();
        });
        cluster.start();
        out.println(
                "The cluster serves; clients connect with " + cluster.layout().hbaseSite());
        return 0;
    }

    private LocalCluster cluster() throws IOException {
        if (process != null || LocalCluster.exists(folder.dir())) {
            if (regionServers != null || heap != null || plain) {
                throw new IllegalArgumentException(
                        "--region-servers, --heap and --plain apply to a new cluster only, but "
                                + folder.dir().toAbsolutePath()
                                + (process == null ? " contains one" : " must contain one for --process")
                                + "; nothing was started; omit these options, or choose another folder");
            }
            return LocalCluster.open(folder.dir());
        }
        return LocalCluster.create(folder.dir(), options());
    }

    private ClusterOptions options() {
        ClusterOptions options = ClusterOptions.defaults();
        if (regionServers != null) {
            options = options.withRegionServers(regionServers);
        }
        if (heap != null) {
            options = options.withHeap(heap);
        }
        return plain ? options.withoutDiffIndex() : options;
    }
}
