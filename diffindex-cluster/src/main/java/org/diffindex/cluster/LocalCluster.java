package org.diffindex.cluster;

import java.io.File;
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
import org.apache.hadoop.fs.FileUtil;

/**
 * A real HBase cluster in a folder of this machine: ZooKeeper, a NameNode, DataNodes, an HMaster and region servers,
 * each in its own process, listening on the loopback address only. The processes are named {@code zookeeper}, {@code
 * namenode}, {@code datanode} ({@code datanode2}...), {@code master}, {@code rs1}, {@code rs2}...
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
 * <p>All state is in the folder, so another JVM can {@link #open} the same cluster. The processes outlive this JVM
 * unless {@link #close}, {@link #stop} or {@link #destroyAtExit} ends them. Runs on Linux and macOS. Not safe for use
 * by many threads, except that one thread may kill, suspend and resume processes while others read the configuration.
 */
public final class LocalCluster implements AutoCloseable {
    /** The system property that contains the name of each process. */
    public static final String PROCESS_PROPERTY = "diffindex.process";

    private final ClusterLayout layout;
    private final StartGate gate = new StartGate();
    private final List<ClusterProcess> processes;
    private final InstalledClasses classes;
    private final ClusterStarter starter;
    private Consumer<String> progress = line -> {};

    private LocalCluster(ClusterLayout layout, ClusterDescriptor descriptor, String classPath) {
        this.layout = layout;
        this.processes = descriptor.servers().stream()
                .map(spec -> new ClusterProcess(layout, spec, gate))
                .toList();
        this.classes = new InstalledClasses(layout, classPath);
        this.starter = new ClusterStarter(layout, processes, new ServerCommand(layout, classes));
    }

    /** Returns whether a cluster was created in this folder. */
    public static boolean exists(Path dir) {
        return Files.exists(new ClusterLayout(dir).descriptor());
    }

    /** Creates a cluster like {@link #create(Path, ClusterOptions, String)}, with the class path of this JVM. */
    public static LocalCluster create(Path dir, ClusterOptions options) throws IOException {
        return create(dir, options, ClassPath.current());
    }

    /**
     * Creates the folders and the configuration of a new cluster, on free ports; starts nothing.
     *
     * @param classPath the class path of the processes, with the classes of HBase, HDFS and Diff-Index
     * @throws ClusterException if the folder contains a cluster, or its path contains a space, a colon or a comma;
     *     nothing was changed
     */
    public static LocalCluster create(Path dir, ClusterOptions options, String classPath) throws IOException {
        ClusterLayout layout = new ClusterLayout(dir);
        if (exists(dir)) {
            throw new ClusterException("There is already a cluster in " + layout.dir()
                    + "; nothing was changed; start that one, or choose another folder");
        }
        refuse(layout, ' ', "a space, which HDFS's DataNode does not accept");
        refuse(layout, File.pathSeparatorChar, "'" + File.pathSeparator + "', which separates folders in a class path");
        refuse(layout, ',', "a comma, which separates folders in HDFS's settings");
        layout.createFolders();
        ClusterDescriptor descriptor =
                ClusterDescriptor.create(options.regionServers(), options.dataNodes(), options.heap());
        new ClusterSites(layout, descriptor, options).write();
        descriptor.write(layout.descriptor());
        return new LocalCluster(layout, descriptor, classPath);
    }

    private static void refuse(ClusterLayout layout, char character, String what) throws ClusterException {
        if (layout.dir().toString().indexOf(character) >= 0) {
            throw new ClusterException(
                    "The path " + layout.dir() + " contains " + what + "; nothing was created; choose another folder");
        }
    }

    /** Opens a cluster like {@link #open(Path, String)}, with the class path of this JVM. */
    public static LocalCluster open(Path dir) throws IOException {
        return open(dir, ClassPath.current());
    }

    /**
     * Opens the cluster that was created in a folder, running or not.
     *
     * @throws ClusterException if the folder contains no cluster
     */
    public static LocalCluster open(Path dir, String classPath) throws IOException {
        ClusterLayout layout = new ClusterLayout(dir);
        if (!exists(dir)) {
            throw new ClusterException("No cluster in " + layout.dir()
                    + "; nothing was changed; create one with: diffindex cluster start --dir " + layout.dir());
        }
        return new LocalCluster(layout, ClusterDescriptor.read(layout.descriptor()), classPath);
    }

    /** Sends the steps of a start or a stop, one line each, to this consumer from now on. */
    public LocalCluster onProgress(Consumer<String> consumer) {
        progress = consumer;
        return this;
    }

    /**
     * Kills every process with SIGKILL when this JVM ends, and starts none from then on; for tests and benchmarks that
     * may be interrupted.
     */
    public LocalCluster destroyAtExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::destroyQuietly, "destroy-cluster"));
        return this;
    }

    /** Does the same as {@link #destroyAtExit}, and deletes the folder when no process is left. */
    public LocalCluster destroyAndDeleteAtExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::destroyAndDelete, "delete-cluster"));
        return this;
    }

    /** Starts the cluster like {@link #start(Duration)}, within three minutes. */
    public void start() throws IOException {
        start(Duration.ofMinutes(3));
    }

    /**
     * Starts every process, on the data in the folder. Returns when the cluster serves: HDFS accepts writes, every
     * region server has registered with the master, and hbase:meta can be read.
     *
     * @throws ClusterException if one of its processes is alive (nothing has changed then), or the cluster does not
     *     serve in time (then the processes that it started are killed, as they are if this JVM ends meanwhile)
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
            // This JVM is ending and runs the hook.
        }
    }

    /**
     * Ends every process in order: HBase closes its regions first. The master is asked to shut HBase down; servers that
     * are alive after 30 s are sent SIGTERM, and SIGKILL after another 30 s. HDFS and ZooKeeper are sent SIGTERM, and
     * SIGKILL after 10 s. Does nothing if no process is alive.
     *
     * @return the processes that did not end in time and were sent SIGKILL, and those that crashed meanwhile according to
     *     their logs: by name, a text with the end of the log. A process that something else killed meanwhile is not
     *     recognized
     */
    public Map<String, String> stop() throws IOException {
        return new ClusterStopper(processes, this::configuration, progress).stop();
    }

    /**
     * Kills every process with SIGKILL, in no particular order. Fast, but servers cannot close their files; the data
     * stays in the folder.
     */
    public void destroy() throws IOException {
        for (ClusterProcess process : processes) {
            process.handle().ifPresent(ProcessHandle::destroyForcibly);
        }
        for (ClusterProcess process : processes) {
            process.kill();
        }
    }

    /**
     * Kills every process like {@link #destroy}, and starts none from then on; for a shutdown hook, beside which other
     * threads still run. Another object for the same folder can start the cluster again.
     */
    public void destroyForGood() throws IOException {
        gate.close();
        destroy();
    }

    /** Stops the cluster; see {@link #stop}. */
    @Override
    public void close() throws IOException {
        Map<String, String> unused = stop();
    }

    /**
     * Kills one process with SIGKILL; returns when it is gone.
     *
     * @throws IllegalArgumentException if the cluster has no process of that name
     * @throws ClusterException if the process is not running, or is still alive after 20 s
     */
    public void kill(String name) throws IOException {
        ClusterProcess process = process(name);
        if (!process.isAlive()) {
            throw new ClusterException(name + " is not running; nothing was killed; see the cluster's status");
        }
        process.kill();
    }

    /** Restarts a process like {@link #restart(String, Duration)}, within two minutes. */
    public void restart(String name) throws IOException {
        restart(name, Duration.ofMinutes(2));
    }

    /**
     * Starts one process that is not running. Returns when it serves; a region server serves when the master has
     * registered it.
     *
     * @throws IllegalArgumentException if the cluster has no process of that name
     * @throws ClusterException if the process is running (nothing has changed then), or does not serve in time (then it
     *     is killed)
     */
    public void restart(String name, Duration atMost) throws IOException {
        restart(List.of(name), atMost);
    }

    /**
     * Restarts several processes at the same time, like {@link #restart(String, Duration)}; each may take the given
     * time.
     */
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

    /**
     * Suspends a process (SIGSTOP) until {@link #resume}.
     *
     * @throws ClusterException if the process is not running
     */
    public void suspend(String name) throws IOException {
        process(name).suspend();
    }

    /**
     * Resumes a suspended process (SIGCONT).
     *
     * @throws ClusterException if the process is not running
     */
    public void resume(String name) throws IOException {
        process(name).resume();
    }

    /** Returns the state of every process, in the order of their start. */
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
     * Returns the processes that were started and have ended by themselves, neither stopped nor killed: by name, a text
     * with the end of the log.
     */
    public Map<String, String> endedByThemselves() throws IOException {
        Map<String, String> ended = new TreeMap<>();
        for (ClusterProcess process : processes) {
            process.endedByItself().ifPresent(text -> ended.put(process.name(), text));
        }
        return ended;
    }

    /** Returns the process names of the region servers. */
    public List<String> regionServers() {
        return namesOf(ServerRole.REGION_SERVER);
    }

    private List<String> namesOf(ServerRole role) {
        return processes.stream()
                .filter(process -> process.spec().role() == role)
                .map(ClusterProcess::name)
                .toList();
    }

    /** Returns the process names of the DataNodes. */
    public List<String> dataNodes() {
        return namesOf(ServerRole.DATANODE);
    }

    /** Returns the heap of each region server, as for {@code -Xmx}. */
    public String regionServerHeap() {
        return processes.stream()
                .map(ClusterProcess::spec)
                .filter(spec -> spec.role() == ServerRole.REGION_SERVER)
                .map(ServerSpec::heap)
                .findFirst()
                .orElseThrow();
    }

    /** Returns the layout of the cluster's files. */
    public ClusterLayout layout() {
        return layout;
    }

    /** Returns a new copy of the configuration of a client of this cluster. */
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
            destroyForGood();
        } catch (IOException e) {
            progress.accept("The cluster in " + layout.dir() + " may still be running: " + e.getMessage());
        }
    }

    private void destroyAndDelete() {
        destroyQuietly();
        FileUtil.fullyDelete(layout.dir().toFile());
    }
}
