package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;

/**
 * Restarts processes of a local cluster, one after the other, each by an orderly stop: what {@code rolling-restart.sh}
 * does on a cluster of many machines. Arguments: the cluster's folder, the class path of its processes, their names.
 */
final class RollingRestart {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private RollingRestart() {}

    public static void main(String[] args) throws IOException {
        LocalCluster cluster = LocalCluster.open(Path.of(args[0]), args[1]);
        for (String name : Arrays.copyOfRange(args, 2, args.length)) {
            restart(cluster, name);
            System.out.println("restarted " + name);
        }
        System.exit(0); // threads of HBase's client would keep this JVM alive
    }

    /** Stops a process in an orderly way and starts it with the class path of the cluster object. */
    static void restart(LocalCluster cluster, String name) throws IOException {
        long pid = status(cluster, name).pid().orElseThrow();
        ProcessHandle.of(pid).orElseThrow().destroy();
        assertThat(Conditions.await(PATIENCE, () -> !status(cluster, name).isUp()))
                .as("%s ends after SIGTERM", name)
                .isTrue();
        cluster.restart(name);
    }

    private static ProcessStatus status(LocalCluster cluster, String name) throws IOException {
        return cluster.status().stream()
                .filter(process -> process.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
