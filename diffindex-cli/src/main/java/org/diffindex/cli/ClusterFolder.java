package org.diffindex.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that names a local cluster's folder. */
final class ClusterFolder {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            description = "The folder of the cluster: its configuration, logs and data.")
    private Path dir;

    Path dir() {
        return dir;
    }
}
