package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Starts the processes of a cluster in order and waits until they serve. */
final class ClusterStarter {
    private final ClusterLayout layout;
    private final List<ClusterProcess> processes;
    private final ServerCommand commands;

    ClusterStarter(ClusterLayout layout, List<ClusterProcess> processes, ServerCommand commands) {
        this.layout = layout;
        this.processes = processes;
        this.commands = commands;
    }

    ServerCommand commands() {
        return commands;
    }

    void startAll(Duration atMost, Consumer<String> progress) throws IOException {
        long end = System.nanoTime() + atMost.toNanos();
        for (ClusterProcess process : processes) {
            process.forgetEnded();
            process.requirePortsFree();
        }
        formatNameNode(atMost);
        start(List.of(ServerRole.ZOOKEEPER, ServerRole.NAMENODE, ServerRole.DATANODE), progress);
        int dataNodes = (int) processes.stream()
                .filter(process -> process.spec().role() == ServerRole.DATANODE)
                .count();
        HdfsProbe hdfs = new HdfsProbe(SiteFile.readFolder(layout.conf()));
        await("HDFS accepted writes", left(end), this::storageAccepts);
        await("HDFS accepted writes", left(end), () -> hdfs.serves(dataNodes));
        progress.accept("HDFS and ZooKeeper serve");
        start(List.of(ServerRole.MASTER, ServerRole.REGION_SERVER), progress);
        awaitHBase(left(end));
        progress.accept("HBase serves");
    }

    /** Waits until a process that was just started serves. */
    void awaitServing(ClusterProcess process, Duration atMost) throws IOException {
        switch (process.spec().role()) {
            case MASTER, REGION_SERVER -> awaitHBase(atMost, List.of(process));
            case NAMENODE, DATANODE -> {
                HdfsProbe hdfs = new HdfsProbe(SiteFile.readFolder(layout.conf()));
                await("HDFS accepted writes", atMost, List.of(process), () -> accepts(process) && hdfs.serves(1));
            }
            case ZOOKEEPER -> await("ZooKeeper accepted connections", atMost, List.of(process), () -> accepts(process));
        }
    }

    private void formatNameNode(Duration atMost) throws IOException {
        if (Files.exists(layout.nameNodeData().resolve("current"))) {
            return;
        }
        ServerSpec nameNode = processes.stream()
                .map(ClusterProcess::spec)
                .filter(spec -> spec.role() == ServerRole.NAMENODE)
                .findFirst()
                .orElseThrow();
        Process format = commands.format(nameNode).start();
        try {
            if (!format.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS) || format.exitValue() != 0) {
                Path log = layout.log(nameNode.name());
                throw new ClusterException(
                        "The NameNode's folder could not be formatted; no process was started; find the cause in " + log
                                + ", which ends:" + LogTail.of(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("Interrupted while the NameNode's folder was formatted", e);
        } finally {
            format.destroyForcibly();
        }
    }

    private void start(List<ServerRole> roles, Consumer<String> progress) throws IOException {
        for (ClusterProcess process : processes) {
            if (roles.contains(process.spec().role())) {
                process.start(commands);
                progress.accept("started " + process.name());
            }
        }
    }

    private boolean storageAccepts() {
        return processes.stream()
                .filter(process -> process.spec().role().compareTo(ServerRole.MASTER) < 0)
                .allMatch(ClusterStarter::accepts);
    }

    private static boolean accepts(ClusterProcess process) {
        return Ports.accepts(process.spec().mainPort());
    }

    private void awaitHBase(Duration atMost) throws IOException {
        awaitHBase(atMost, processes);
    }

    /** Waits until HBase serves with the given processes, which must not end. */
    private void awaitHBase(Duration atMost, List<ClusterProcess> needed) throws IOException {
        long end = System.nanoTime() + atMost.toNanos();
        await("the servers accepted connections", atMost, needed, () -> needed.stream()
                .allMatch(ClusterStarter::accepts));
        try (HBaseProbe hbase = new HBaseProbe(SiteFile.readFolder(layout.conf()))) {
            Map<Integer, Instant> regionServers = regionServers(needed);
            await("HBase served", left(end), needed, () -> hbase.serves(regionServers));
        }
    }

    private static Map<Integer, Instant> regionServers(List<ClusterProcess> needed) throws IOException {
        Map<Integer, Instant> starts = new HashMap<>();
        for (ClusterProcess process : needed) {
            if (process.spec().role() == ServerRole.REGION_SERVER) {
                starts.put(process.spec().mainPort(), process.startInstant().orElse(Instant.EPOCH));
            }
        }
        return starts;
    }

    private void await(String goal, Duration atMost, Conditions.Condition condition) throws IOException {
        await(goal, atMost, started(), condition);
    }

    private void await(String goal, Duration atMost, List<ClusterProcess> needed, Conditions.Condition condition)
            throws IOException {
        boolean held = Conditions.await(atMost, () -> {
            for (ClusterProcess process : needed) {
                process.requireAlive();
            }
            return condition.holds();
        });
        if (!held) {
            ClusterProcess last = needed.get(needed.size() - 1);
            throw ClusterException.ofStart(
                    last.name(),
                    "The start timed out before " + goal
                            + "; the processes that it started were killed; see the logs in "
                            + layout.log(last.name()).getParent() + "; the end of " + layout.log(last.name()) + ":"
                            + LogTail.of(layout.log(last.name())),
                    null);
        }
    }

    private List<ClusterProcess> started() throws IOException {
        List<ClusterProcess> started = new ArrayList<>();
        for (ClusterProcess process : processes) {
            if (process.startInstant().isPresent()) {
                started.add(process);
            }
        }
        return started;
    }

    private static Duration left(long end) {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }
}
