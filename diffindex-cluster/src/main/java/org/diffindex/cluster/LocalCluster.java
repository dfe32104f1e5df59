package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;

/**
 * A real HBase cluster in a folder of this machine: ZooKeeper, a NameNode, DataNodes, an HMaster and region servers, each
 * its own process, listening on the loopback address only. The processes are named {@code zookeeper}, {@code namenode},
 * {@code datanode} ({@code datanode2}...), {@code master}, {@code rs1}, {@code rs2}...
 *
 * <pre>{@code
 * try (LocalCluster cluster = LocalCluster.create(dir, ClusterOptions.defaults())) {
 *     cluster.start();
 *     try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {...}
 *     cluster.kill("rs2");
 *     cluster.restart("rs2");
 * }
 * }</pre>
 *
 * <p>All state is in the folder, so another process can {@link #open} the same cluster. The processes outlive this one
 * unless {@link #close}, {@link #stop} or {@link #destroyAtExit} says otherwise. Linux and macOS. Not safe for use by
 * many threads, except that one thread may kill, suspend and resume while others read the configuration.
 */
public final class LocalCluster implements AutoCloseable {
    /** The system property that tells each process its name. */
    public static final String PROCESS_PROPERTY = "diffindex.process";

    private final ClusterLayout layout;
    private final List<ClusterProcess> processes;
    private final InstalledClasses classes;
    private final ClusterStarter starter;
    private Consumer<String> progress = line -> {};

    private LocalCluster(ClusterLayout layout, ClusterDescriptor descriptor, String classPath) {
        this.layout = layout;
        this.processes = descriptor.servers().stream()
                .map(spec -> new ClusterProcess(layout, spec))
                .toList();
        this.classes = new InstalledClasses(layout, classPath);
        this.starter = new ClusterStarter(layout, processes, new ServerCommand(layout, classes));
    }

    /** Whether a cluster was created in this folder. */
    public static boolean exists(Path dir) {
        return Files.exists(new ClusterLayout(dir).descriptor());
    }

    /** As {@link #create(Path, ClusterOptions, String)}, with the class path of this JVM. */
    public static LocalCluster create(Path dir, ClusterOptions options) throws IOException {
        return create(dir, options, ClassPath.current());
    }

    /**
     * Writes a new cluster's folders and configuration on free ports, and starts nothing.
     *
     * @param classPath where the processes find the classes of HBase, HDFS and Diff-Index
     * @throws ClusterException if the folder holds a cluster
     */
    public static LocalCluster create(Path dir, ClusterOptions options, String classPath) throws IOException {
        ClusterLayout layout = new ClusterLayout(dir);
        if (exists(dir)) {
            throw new ClusterException("There is a cluster in " + layout.dir()
                    + " already; nothing was changed; start that one, or take another folder");
        }
        if (layout.dir().toString().contains(" ")) {
            throw new ClusterException("The path " + layout.dir() + " has a space in it, which HDFS's DataNode does not"
                    + " take; nothing was made; choose another folder");
        }
        layout.createFolders();
        ClusterDescriptor descriptor =
                ClusterDescriptor.create(options.regionServers(), options.dataNodes(), options.heap());
        new ClusterSites(layout, descriptor, options).write();
        descriptor.write(layout.descriptor());
        return new LocalCluster(layout, descriptor, classPath);
    }

    /** As {@link #open(Path, String)}, with the class path of this JVM. */
    public static LocalCluster open(Path dir) throws IOException {
        return open(dir, ClassPath.current());
    }

    /**
     * The cluster that was created in a folder, running or not.
     *
     * @throws ClusterException if there is none
     */
    public static LocalCluster open(Path dir, String classPath) throws IOException {
        ClusterLayout layout = new ClusterLayout(dir);
        if (!exists(dir)) {
            throw new ClusterException("No cluster in " + layout.dir()
                    + "; nothing was changed; make one with: diffindex cluster start --dir " + layout.dir());
        }
        return new LocalCluster(layout, ClusterDescriptor.read(layout.descriptor()), classPath);
    }

    /** Tells the steps of a start or a stop, a line each, to this consumer from now on. */
    public LocalCluster onProgress(Consumer<String> consumer) {
        progress = consumer;
        return this;
    }

    /** Kills every process with SIGKILL when this JVM ends; for tests and benchmarks that may be interrupted. */
    public LocalCluster destroyAtExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::destroyQuietly, "destroy-cluster"));
        return this;
    }

    /** As {@link #start(Duration)}, within three minutes. */
    public void start() throws IOException {
        start(Duration.ofMinutes(3));
    }

    /**
     * Starts every process, on the data that the folder has. Returns when the cluster serves: HDFS takes writes, every
     * region server has registered with the master, hbase:meta can be read.
     *
     * @throws ClusterException if a process of it is alive (nothing has changed then), or it does not serve in time (then
     *     what was started is killed; as it is if this JVM ends meanwhile)
     */
    public void start(Duration atMost) throws IOException {
        layout.createFolders();
        StartLock.hold(layout.lock("cluster"), "the cluster in " + layout.dir(), () -> {
            requireStopped();
            classes.install();
            startOrDestroy(atMost);
        });
    }

    private void requireStopped() throws IOException {
        List<String> alive = aliveNames();
        if (!alive.isEmpty()) {
            throw new ClusterException("The cluster in " + layout.dir() + " is running (" + String.join(", ", alive)
                    + "); nothing was started; stop it first, or start a single process with --process");
        }
    }

    private void startOrDestroy(Duration atMost) throws IOException {
        Thread atExit = new Thread(this::destroyQuietly, "destroy-half-started-cluster");
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            starter.startAll(atMost, progress);
        } catch (IOException | RuntimeException e) {
            destroyAfter(e);
            throw e;
        } finally {
            removeHook(atExit);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // This JVM is ending, and the hook does its work.
        }
    }

    /**
     * Ends every process in good order: HBase closes its regions first. What does not end within half a minute is killed.
     * Does nothing if none is alive.
     */
    public void stop() throws IOException {
        new ClusterStopper(processes, this::configuration, progress).stop();
    }

    /** Kills every process with SIGKILL, in no order: fast, and hard on the data, which stays. */
    public void destroy() throws IOException {
        for (ClusterProcess process : processes) {
            process.handle().ifPresent(ProcessHandle::destroyForcibly);
        }
        for (ClusterProcess process : processes) {
            process.kill();
        }
    }

    /** Stops the cluster; see {@link #stop}. */
    @Override
    public void close() throws IOException {
        stop();
    }

    /**
     * Kills one process with SIGKILL; returns when it is gone.
     *
     * @throws IllegalArgumentException if the cluster has no process of that name
     * @throws ClusterException if it is not running
     */
    public void kill(String name) throws IOException {
        ClusterProcess process = process(name);
        if (!process.isAlive()) {
            throw new ClusterException(name + " is not running; nothing was killed; see the cluster's status");
        }
        process.kill();
    }

    /** As {@link #restart(String, Duration)}, within two minutes. */
    public void restart(String name) throws IOException {
        restart(name, Duration.ofMinutes(2));
    }

    /**
     * Starts one process that is down. Returns when it serves: for a region server, when the master has registered its new
     * life.
     *
     * @throws IllegalArgumentException if the cluster has no process of that name
     * @throws ClusterException if it is running (nothing has changed then), or does not serve in time (then it is killed)
     */
    public void restart(String name, Duration atMost) throws IOException {
        restart(List.of(name), atMost);
    }

    /** As {@link #restart(String, Duration)}, for several processes at the same time. */
    public void restart(List<String> names, Duration atMost) throws IOException {
        List<ClusterProcess> started = new ArrayList<>();
        try {
            for (String name : names) {
                ClusterProcess process = process(name);
                process.start(starter.commands());
                started.add(process);
            }
            for (ClusterProcess process : started) {
                starter.awaitServing(process, atMost);
            }
        } catch (IOException | RuntimeException e) {
            for (ClusterProcess process : started) {
                process.kill();
            }
            throw e;
        }
    }

    /** Stops the execution of a process (SIGSTOP) until {@link #resume}. */
    public void suspend(String name) throws IOException {
        process(name).suspend();
    }

    /** Lets a suspended process go on (SIGCONT). */
    public void resume(String name) throws IOException {
        process(name).resume();
    }

    /** The state of every process, in the order of their start. */
    public List<ProcessStatus> status() throws IOException {
        List<ProcessStatus> all = new ArrayList<>();
        for (ClusterProcess process : processes) {
            OptionalLong pid = process.handle()
                    .map(handle -> OptionalLong.of(handle.pid()))
                    .orElse(OptionalLong.empty());
            all.add(new ProcessStatus(process.name(), pid, process.spec().ports()));
        }
        return all;
    }

    /**
     * The processes that were started and have ended by themselves, neither stopped nor killed; by their names, for each a text
     * with the end of its log.
     */
    public Map<String, String> endedByThemselves() throws IOException {
        Map<String, String> ended = new TreeMap<>();
        for (ClusterProcess process : processes) {
            process.endedByItself().ifPresent(text -> ended.put(process.name(), text));
        }
        return ended;
    }

    /** The names of the region servers' processes. */
    public List<String> regionServers() {
        return namesOf(ServerRole.REGION_SERVER);
    }

    private List<String> namesOf(ServerRole role) {
        return processes.stream()
                .filter(process -> process.spec().role() == role)
                .map(ClusterProcess::name)
                .toList();
    }

    /** The names of the DataNodes' processes. */
    public List<String> dataNodes() {
        return namesOf(ServerRole.DATANODE);
    }

    /** The heap of each region server, as for {@code -Xmx}. */
    public String regionServerHeap() {
        return processes.stream()
                .map(ClusterProcess::spec)
                .filter(spec -> spec.role() == ServerRole.REGION_SERVER)
                .map(ServerSpec::heap)
                .findFirst()
                .orElseThrow();
    }

    /** The files of the cluster. */
    public ClusterLayout layout() {
        return layout;
    }

    /** The configuration of a client of this cluster; a new copy. */
    public Configuration configuration() throws IOException {
        return SiteFile.readFolder(layout.conf());
    }

    private List<String> aliveNames() throws IOException {
        return status().stream()
                .filter(ProcessStatus::isUp)
                .map(ProcessStatus::name)
                .toList();
    }

    private ClusterProcess process(String name) {
        return processes.stream()
                .filter(process -> process.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No process " + name + " in this cluster; it has "
                        + String.join(
                                ", ",
                                processes.stream().map(ClusterProcess::name).toList())));
    }

    private void destroyAfter(Exception failure) {
        try {
            destroy();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private void destroyQuietly() {
        try {
            destroy();
        } catch (IOException e) {
            progress.accept("The cluster in " + layout.dir() + " may still run: " + e.getMessage());
        }
    }
}
