package org.diffindex.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;

/** Ends the processes of a cluster: HBase first, while its file system still serves, then the others. */
final class ClusterStopper {
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final List<ClusterProcess> processes;
    private final ConfigurationSource configuration;
    private final Consumer<String> progress;
    private final Duration grace;
    private final Map<String, Long> loggedBefore = new HashMap<>();
    private final Map<String, String> disorderly = new TreeMap<>();

    /** Supplies the client's configuration; called only if the master is to be asked to shut down. */
    @FunctionalInterface
    interface ConfigurationSource {
        Configuration read() throws IOException;
    }

    ClusterStopper(List<ClusterProcess> processes, ConfigurationSource configuration, Consumer<String> progress) {
        this(processes, configuration, progress, GRACE);
    }

    /**
     * Creates an instance for one stop.
     *
     * @param grace how long HBase's servers may take to end after each request; those of the storage a third of that
     */
    ClusterStopper(
            List<ClusterProcess> processes,
            ConfigurationSource configuration,
            Consumer<String> progress,
            Duration grace) {
        this.processes = processes;
        this.configuration = configuration;
        this.progress = progress;
        this.grace = grace;
    }

    /**
     * Ends the processes.
     *
     * @return those that did not end in time and were killed, and those whose logs report that they crashed meanwhile:
     *     by name, a text with the end of the log
     */
    Map<String, String> stop() throws IOException {
        processes.forEach(process -> loggedBefore.put(process.name(), process.logged()));
        List<ClusterProcess> regionServers = of(ServerRole.REGION_SERVER);
        List<ClusterProcess> master = of(ServerRole.MASTER);
        if (allAlive() && askMaster()) {
            awaitEnd(regionServers, grace);
            awaitEnd(master, grace);
        }
        end(regionServers, grace);
        end(master, grace);
        for (ServerRole storage : List.of(ServerRole.DATANODE, ServerRole.NAMENODE, ServerRole.ZOOKEEPER)) {
            end(of(storage), grace.dividedBy(3));
        }
        return disorderly;
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

    private void end(List<ClusterProcess> some, Duration atMost) throws IOException {
        for (ClusterProcess process : some) {
            process.terminate();
        }
        awaitEnd(some, atMost);
        for (ClusterProcess process : some) {
            Optional<String> crashed = process.crashedSince(loggedBefore.get(process.name()));
            if (process.isAlive()) {
                disorderly.put(process.name(), process.didNotEnd());
                progress.accept(process.name() + " did not end in time; killing it");
            } else if (crashed.isPresent()) {
                disorderly.put(process.name(), crashed.get());
                progress.accept(process.name() + " crashed while it was stopped");
            }
            if (process.startInstant().isPresent()) {
                process.kill();
                progress.accept("stopped " + process.name());
            }
        }
    }

    private static void awaitEnd(List<ClusterProcess> some, Duration atMost) throws IOException {
        Conditions.await(atMost, () -> {
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
