package org.diffindex.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;

/** Ends the processes of a cluster: HBase first, while its file system still serves, then the others. */
final class ClusterStopper {
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final Duration STORAGE_GRACE = Duration.ofSeconds(10);

    private final List<ClusterProcess> processes;
    private final ConfigurationSource configuration;
    private final Consumer<String> progress;

    /** Supplies the client's configuration; called only if the master is to be asked to shut down. */
    @FunctionalInterface
    interface ConfigurationSource {
        Configuration read() throws IOException;
    }

    ClusterStopper(List<ClusterProcess> processes, ConfigurationSource configuration, Consumer<String> progress) {
        this.processes = processes;
        this.configuration = configuration;
        this.progress = progress;
    }

    void stop() throws IOException {
        List<ClusterProcess> regionServers = of(ServerRole.REGION_SERVER);
        List<ClusterProcess> master = of(ServerRole.MASTER);
        if (allAlive() && askMaster()) {
            awaitEnd(regionServers, GRACE);
            awaitEnd(master, GRACE);
        }
        end(regionServers, GRACE);
        end(master, GRACE);
        end(of(ServerRole.DATANODE), STORAGE_GRACE);
        end(of(ServerRole.NAMENODE), STORAGE_GRACE);
        end(of(ServerRole.ZOOKEEPER), STORAGE_GRACE);
    }

    private boolean allAlive() throws IOException {
        for (ClusterProcess process : processes) {
            if (!process.isAlive()) {
                return false;
            }
        }
        return true;
    }

    /** Asks the master to shut the cluster down; returns whether it accepted. If not, the servers are sent signals. */
    private boolean askMaster() {
        try (HBaseProbe hbase = new HBaseProbe(configuration.read())) {
            hbase.shutDown();
            return true;
        } catch (IOException e) {
            progress.accept("the master does not accept the request to shut down; sending a signal to each server");
            return false;
        }
    }

    private void end(List<ClusterProcess> some, Duration grace) throws IOException {
        for (ClusterProcess process : some) {
            process.terminate();
        }
        awaitEnd(some, grace);
        for (ClusterProcess process : some) {
            if (process.isAlive()) {
                progress.accept(process.name() + " did not end in time; killing it");
            }
            if (process.startInstant().isPresent()) {
                process.kill();
                progress.accept("stopped " + process.name());
            }
        }
    }

    private static void awaitEnd(List<ClusterProcess> some, Duration grace) throws IOException {
        Conditions.await(grace, () -> {
            for (ClusterProcess process : some) {
                if (process.isAlive()) {
                    return false;
                }
            }
            return true;
        });
    }

    private List<ClusterProcess> of(ServerRole role) {
        return processes.stream()
                .filter(process -> process.spec().role() == role)
                .toList();
    }
}
