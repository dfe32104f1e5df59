package org.diffindex.server;

import io.opentelemetry.context.Context;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.security.access.AccessChecker;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexWriter;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.metrics.SlowOperations;
import org.diffindex.server.queue.ApsThreads;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.QueueMemory;
import org.diffindex.server.queue.StalledIndexes;
import org.diffindex.server.spill.SpillFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The resources that the indexed regions of one region server share: the connection to the index tables, the threads,
 * the memory of the AUQs. Lives as long as the server has an indexed region ({@link PerServer}). Thread-safe.
 */
final class ServerIndexing implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerIndexing.class);

    private final String name;
    private final Settings settings;
    private final QueueMemory memory;
    private final RowMemory.Shared rowMemory;
    private final Platform platform;
    private final WaitingHandlers waitingHandlers;
    private final ApsThreads apsThreads;
    private final ExecutorService writerThreads;
    private final ExecutorService insertThreads;
    private final Semaphore insertPlaces;
    private final ExecutorService diskThread;
    private final MemoryRelief relief;
    private final IndexSink sink;
    private final StaleReports staleReports;
    private final IndexWriter.Connections connections;
    private final SessionLease lease;
    private final SpillFiles.Holding holding;
    private final ServerMetrics metrics;
    private final IndexMetrics indexMetrics;
    private final SlowOperations slowOperations;

    private final BooleanSupplier aborted;
    private final Supplier<Optional<AccessChecker>> accessChecker;
    private final Set<String> harmlessCoprocessors;

    /** Why no further connection may be opened; null while one may be. Guarded by this. */
    private String ended;

    /** Opened on first use, since the opening of a region must not wait for it. Guarded by this. */
    private Connection connection;

    ServerIndexing(RegionCoprocessorEnvironment env, Platform platform) {
        this.name = env.getServerName().toString();
        this.settings = new Settings(PerServer.configuration(env));
        this.holding = platform.holding(env);
        this.memory = new QueueMemory(settings.queueMaxBytes());
        this.rowMemory = new RowMemory.Shared(settings.rowMemoryBytes());
        this.platform = platform;
        this.waitingHandlers = new WaitingHandlers(settings.writeHandlers(), platform::nanoTime);
        this.apsThreads = new ApsThreads(
                platform.processorThreads(settings.processorThreads()),
                platform.callThreads(),
                new StalledIndexes(settings.processorThreads(), platform::nanoTime),
                settings.lingerMs());
        this.writerThreads = Context.taskWrapping(platform.writerThreads("writer"));
        this.insertThreads = Context.taskWrapping(platform.writerThreads("insert"));
        this.insertPlaces = new Semaphore(settings.writeHandlers());
        this.diskThread = platform.diskThread();
        this.relief = new MemoryRelief(memory, diskThread, platform::nanoTime);
        this.connections = () -> connection(env);
        this.lease = platform.lease(env);
        this.slowOperations = new SlowOperations(settings.slowMs(), platform::nanoTime);
        this.indexMetrics = new IndexMetrics(platform::nanoTime, slowOperations);
        this.sink = new FencedSink(
                new IndexWriter(
                        connections,
                        writerThreads,
                        settings.writesTogether(),
                        settings.deliveryTimeoutMs(),
                        platform::nanoTime,
                        new TracedCalls(indexMetrics)),
                lease::isLongOver,
                holding);
        this.staleReports = new StaleReports(platform.cleanupThread(), settings.staleDelayMs(), platform::nanoTime);
        this.metrics = new ServerMetrics(memory, rowMemory);
        this.aborted = env.getOnlineRegions() instanceof Server server ? server::isAborted : () -> false;
        this.accessChecker = CallPermissions.checkerOf(env);
        this.harmlessCoprocessors = harmlessCoprocessors(env, settings);
    }

    private static Set<String> harmlessCoprocessors(RegionCoprocessorEnvironment env, Settings settings) {
        Set<String> names = new HashSet<>(settings.harmlessCoprocessors());
        if (CallPermissions.isControlled(PerServer.configuration(env))) {
            names.add(AccessController.class.getName()); // CallPermissions knows from whom it hides cells
        }
        return Set.copyOf(names);
    }

    /** Returns the names of the coprocessors beside which what rows show is known. */
    Set<String> harmlessCoprocessors() {
        return harmlessCoprocessors;
    }

    /** Returns the permission checks for a table. */
    CallPermissions permissionsOn(TableName table) {
        return new CallPermissions(table, accessChecker);
    }

    /** Returns the region server's name: host, port, start code. */
    String name() {
        return name;
    }

    Settings settings() {
        return settings;
    }

    Platform platform() {
        return platform;
    }

    QueueMemory memory() {
        return memory;
    }

    RowMemory.Shared rowMemory() {
        return rowMemory;
    }

    WaitingHandlers waitingHandlers() {
        return waitingHandlers;
    }

    ApsThreads apsThreads() {
        return apsThreads;
    }

    /**
     * Returns what puts index entries of a region while handlers log the rows.
     *
     * @param stats counts the entries
     */
    EarlyInserts.Sender earlyInserts(DeliveryStats stats) {
        return new EarlyInserts.Sender(sink, insertThreads, insertPlaces, stats);
    }

    /** Returns the thread that writes and removes spill files. */
    Executor diskThread() {
        return diskThread;
    }

    /** Registers a region with the relief of the memory and the server's metrics. */
    void opened(OnlineRegion region) {
        relief.opened(region);
        metrics.opened(region);
        indexMetrics.opened(region);
    }

    void closed(OnlineRegion region) {
        relief.closed(region);
        metrics.closed(region);
        indexMetrics.closed(region);
    }

    /** Returns the counters of a new region, which counts for its indexes too. */
    DeliveryStats statsOf(Collection<IndexDefinition> indexes) {
        return new DeliveryStats(indexMetrics.countersOf(indexes));
    }

    /** Returns the log of slow operations. */
    SlowOperations slowOperations() {
        return slowOperations;
    }

    /** Returns what frees the memory for index updates when it runs short. */
    MemoryRelief relief() {
        return relief;
    }

    IndexSink sink() {
        return sink;
    }

    /** Returns the entries that readers reported as stale. */
    StaleReports staleReports() {
        return staleReports;
    }

    /** Returns the connection to the index tables. */
    IndexWriter.Connections connections() {
        return connections;
    }

    /** Reads entries of an index table. */
    Result[] entries(TableName index, List<Get> gets) throws IOException {
        if (gets.isEmpty()) {
            return new Result[0];
        }
        try (Table table = connections.get().getTable(index, MoreExecutors.newDirectExecutorService())) {
            return table.get(gets);
        }
    }

    /** Returns the lease within which the server's regions are certainly its own. */
    SessionLease lease() {
        return lease;
    }

    /** Returns what tells whether the server's regions are still its own. */
    SpillFiles.Holding holding() {
        return holding;
    }

    private synchronized Connection connection(RegionCoprocessorEnvironment env) throws IOException {
        if (ended != null) {
            throw new IOException(ended + "; nothing more is written to the indexes [server=" + name + "]");
        }
        if (connection == null || connection.isClosed()) {
            connection = env.createConnection(settings.forDelivery());
        }
        return connection;
    }

    /** Returns whether the region server is aborting. */
    boolean isAborted() {
        return aborted.getAsBoolean();
    }

    /**
     * Ends all calls to index tables and prevents new ones. Otherwise they could continue for very long: in a server
     * whose ZooKeeper session has ended, HBase's client looks for hbase:meta at its last known location, possibly this
     * server, and retries again and again.
     */
    void abandon() {
        Connection last;
        synchronized (this) {
            ended = "The region server aborts";
            last = connection;
        }
        if (last != null) {
            try {
                last.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn("The connection to the index tables could not be closed; calls may go on", e);
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (ended == null) {
            ended = "The last indexed region of the region server is closed";
        }
        apsThreads.shared().shutdownNow();
        apsThreads.calls().shutdownNow();
        diskThread.shutdown();
        writerThreads.shutdownNow();
        insertThreads.shutdownNow();
        staleReports.close();
        lease.close();
        metrics.close();
        indexMetrics.close();
        if (connection != null) {
            connection.close();
        }
    }
}
