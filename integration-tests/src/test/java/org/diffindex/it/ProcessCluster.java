package org.diffindex.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.commons.io.FileUtils;
import org.diffindex.cluster.ClassPath;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.Kerberos;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A local cluster of processes for the tests of a class; all classes that use {@link #withDiffIndex} share one. A test
 * may kill, suspend and stop its servers: before each test, those that are down are started again. A test during which
 * a server ended by itself fails with the end of that server's log; the logs of a failed test are kept by
 * {@link ClusterLogs}.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final ProcessCluster processes = ProcessCluster.withDiffIndex();
 * }</pre>
 *
 * <p>The shared cluster, and any cluster whose servers are killed, does not run concurrently with other clusters of
 * processes, but with the tests on the embedded cluster, and starts first because it takes longest: the classes are
 * marked {@code @Order(1)} and {@code @ResourceLock(ProcessCluster.MACHINE)}, or {@code @Isolated}. They name their
 * tables after themselves. A class whose own cluster only starts and stops runs concurrently with them.
 */
final class ProcessCluster implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {
    /** The resource that two clusters of processes never use at the same time if their servers are killed. */
    static final String MACHINE = "machine";

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(ProcessCluster.class);

    /** Three region servers whose sessions end after six seconds. */
    private static final ClusterOptions OPTIONS =
            ClusterOptions.defaults().withHeap("512m").withSessionTimeout(Duration.ofSeconds(6));

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final boolean shared;
    private final Supplier<ClusterOptions> options;
    private final ClassPathSource classPath;
    private LocalCluster cluster;

    /** The class path of the servers. */
    @FunctionalInterface
    interface ClassPathSource {
        String get() throws IOException;
    }

    private ProcessCluster(boolean shared, Supplier<ClusterOptions> options, ClassPathSource classPath) {
        this.shared = shared;
        this.options = options;
        this.classPath = classPath;
    }

    /** Returns the shared cluster, with Diff-Index. */
    static ProcessCluster withDiffIndex() {
        return new ProcessCluster(true, () -> OPTIONS, ClassPath::current);
    }

    /** Returns a cluster for one class, with Diff-Index and a setting of its own. */
    static ProcessCluster withDiffIndex(String property, String value) {
        return new ProcessCluster(false, () -> OPTIONS.with(property, value), ClassPath::current);
    }

    /** Returns a cluster for one class, with Diff-Index from a class path of its own. */
    static ProcessCluster withDiffIndex(int regionServers, ClassPathSource classPath) {
        return new ProcessCluster(false, () -> OPTIONS.withRegionServers(regionServers), classPath);
    }

    /** Returns an HBase for one class, with neither the jars nor the settings of Diff-Index. */
    static ProcessCluster plain(int regionServers, ClassPathSource classPath) {
        return new ProcessCluster(
                false, () -> OPTIONS.withRegionServers(regionServers).withoutDiffIndex(), classPath);
    }

    /** Returns a cluster for one class, with Diff-Index, whose servers require Kerberos in a realm that runs when they start. */
    static ProcessCluster withKerberos(Supplier<Kerberos> realm) {
        return new ProcessCluster(false, () -> OPTIONS.withKerberos(realm.get()), ClassPath::current);
    }

    LocalCluster get() {
        return cluster;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        ExtensionContext lifetime = shared ? context.getRoot() : context;
        Object key = shared ? "shared" : this; // a class's store also shows the entries of the root's
        Running running = lifetime.getStore(NAMESPACE)
                .getOrComputeIfAbsent(key, unused -> new Running(options.get(), classPath), Running.class);
        cluster = running.cluster;
        try {
            startWhatIsDown();
        } catch (IOException | RuntimeException e) {
            e.addSuppressed(new AssertionError(ClusterLogs.keep(cluster.layout().dir(), context)));
            throw e;
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        startWhatIsDown();
    }

    private void startWhatIsDown() throws IOException {
        List<ProcessStatus> all = cluster.status();
        List<String> down = all.stream()
                .filter(each -> !each.isUp())
                .map(ProcessStatus::name)
                .toList();
        if (down.size() == all.size()) {
            cluster.start();
        } else if (!down.isEmpty()) {
            cluster.restart(down, PATIENCE);
        }
    }

    boolean isUp(String process) throws IOException {
        return cluster.status().stream().anyMatch(each -> each.name().equals(process) && each.isUp());
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        Collection<String> ended = cluster.endedByThemselves().values();
        if (!ended.isEmpty() || context.getExecutionException().isPresent()) {
            String kept = ClusterLogs.keep(cluster.layout().dir(), context);
            throw new AssertionError(String.join("\n", ended) + "\n" + kept);
        }
    }

    /** A cluster in a folder of its own, which is deleted when the cluster is closed. */
    private static final class Running implements AutoCloseable {
        private final LocalCluster cluster;

        Running(ClusterOptions options, ClassPathSource classPath) {
            try {
                Path dir = Files.createTempDirectory("diffindex-it");
                cluster = LocalCluster.create(dir, options, classPath.get()).destroyAtExit();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            cluster.destroy();
            FileUtils.deleteDirectory(cluster.layout().dir().toFile());
        }
    }
}
