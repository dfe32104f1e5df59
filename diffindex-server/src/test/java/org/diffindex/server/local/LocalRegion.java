package org.diffindex.server.local;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.MockRegionServerServices;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.ChunkCreator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.throttle.CompactionThroughputControllerFactory;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.wal.WAL;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.StatusRequest;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.diffindex.server.IndexObserver;
import org.diffindex.server.Settings;
import org.diffindex.server.deliver.IndexTableModel;
import org.diffindex.server.spill.SpillFiles;

/**
 * A real region of the table of flights on the local file system, with a WAL and the coprocessor, but without a server.
 * Its index tables are in memory.
 */
public final class LocalRegion implements Closeable {
    private static final int DRAIN_MS = 30_000;

    /** How often a write has waited for a sync of the WAL. */
    public final Tally walSyncs = new Tally();

    /** Syncs of the WAL that fail although their entries are durable. */
    public final Failures failingSyncs = new Failures();

    private final TableDescriptor descriptor;
    private final FakeConnection network;
    private final WAL wal;
    private final Server server;
    private final HRegion region;

    public LocalRegion(Path folder, int versions, Collection<IndexDefinition> indexes) throws IOException {
        this(folder, versions, indexes, Map.of());
    }

    /** Creates a region on a server with settings of its own. */
    public LocalRegion(Path folder, int versions, Collection<IndexDefinition> indexes, Map<String, String> settings)
            throws IOException {
        this(folder, versions, indexes, settings, table -> table);
    }

    /** Creates a region of a table whose descriptor is changed. */
    public LocalRegion(
            Path folder,
            int versions,
            Collection<IndexDefinition> indexes,
            Map<String, String> settings,
            UnaryOperator<TableDescriptorBuilder> change)
            throws IOException {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Flights.F)
                        .setMaxVersions(versions)
                        .build())
                .setCoprocessor(IndexObserver.class.getName())
                .setCoprocessor(BaseProbe.class.getName());
        TableDescriptor indexed = change.apply(builder).build();
        for (IndexDefinition index : indexes) {
            indexed = IndexDefinitions.with(indexed, index);
        }
        descriptor = indexed;
        network = new FakeConnection(descriptor);
        for (IndexDefinition index : indexes) {
            network.serveIndex(index.indexTable());
        }
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        conf.set("hbase.wal.provider", "filesystem");
        conf.setLong(Settings.FLUSH_WAIT_MS, 1_000);
        conf.setLong(Settings.STALE_DELAY_MS, TimeUnit.HOURS.toMillis(1)); // a cleanup holds locks of rows
        conf.set(Settings.HARMLESS_COPROCESSORS, BaseProbe.class.getName());
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false); // the local file system has no hflush
        conf.set(
                CompactionThroughputControllerFactory.HBASE_THROUGHPUT_CONTROLLER_KEY,
                NoLimitThroughputController.class.getName());
        settings.forEach(conf::set);
        RegionInfo info = RegionInfoBuilder.newBuilder(Flights.TABLE).build();
        var root = new org.apache.hadoop.fs.Path(folder.toUri());
        ChunkCreator.initialize(
                MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
        wal = observed(HBaseTestingUtility.createWal(conf, root, info));
        server = new Server(conf, network.connection());
        region = HRegion.createHRegion(info, root, conf, descriptor, wal, true, server);
        network.serveBase(region);
    }

    /** A region server that has nothing but a name and a connection to the index tables. */
    public static class Server extends MockRegionServerServices {
        private final ServerName name =
                ServerName.valueOf(UUID.randomUUID().toString(), 16020, System.currentTimeMillis());
        private final Connection connection;
        private volatile boolean aborted;

        public Server(Configuration conf, Connection connection) {
            super(conf);
            this.connection = connection;
        }

        @Override
        public ServerName getServerName() {
            return name;
        }

        @Override
        public Connection createConnection(Configuration conf) {
            return connection;
        }

        @Override
        public boolean isAborted() {
            return aborted;
        }
    }

    private WAL observed(WAL wal) {
        return (WAL) Proxy.newProxyInstance(
                WAL.class.getClassLoader(), new Class<?>[] {WAL.class}, (proxy, call, arguments) -> {
                    if (call.getName().equals("sync")) {
                        walSyncs.add(1);
                    }
                    try {
                        Object result = call.invoke(wal, arguments);
                        if (call.getName().equals("sync") && failingSyncs.next()) {
                            throw new IOException("The sync was not answered");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    public HRegion region() {
        return region;
    }

    public FakeConnection network() {
        return network;
    }

    public BaseProbe base() {
        return region.getCoprocessorHost().findCoprocessor(BaseProbe.class);
    }

    /** Returns the definitions, in the state in which the indexes can be read. */
    public Collection<IndexDefinition> indexes() {
        return IndexDefinitions.of(descriptor).values();
    }

    public DiffIndexService endpoint() {
        return (DiffIndexService) region.getCoprocessorHost()
                .findCoprocessor(IndexObserver.class)
                .getServices()
                .iterator()
                .next();
    }

    public StatusResponse status() {
        List<StatusResponse> responses = new ArrayList<>();
        endpoint().status(new ServerRpcController(), StatusRequest.getDefaultInstance(), responses::add);
        return responses.get(0);
    }

    /**
     * Waits until the index updates of all earlier writes are delivered. Returns the number of batches that are left.
     */
    public long drain() {
        List<Long> remaining = new ArrayList<>();
        endpoint()
                .drain(
                        new ServerRpcController(),
                        DrainRequest.newBuilder().setTimeoutMs(DRAIN_MS).build(),
                        response -> remaining.add(response.getRemaining()));
        return remaining.get(0);
    }

    /** Returns the names of the files with the index updates of flushed rows that are not delivered. */
    public List<String> spillFiles() throws IOException {
        var folder = SpillFiles.folderOf(region.getReadOnlyConfiguration(), Flights.TABLE);
        var fileSystem = region.getFilesystem();
        List<String> names = new ArrayList<>();
        if (fileSystem.exists(folder)) {
            RemoteIterator<LocatedFileStatus> files = fileSystem.listFiles(folder, true);
            while (files.hasNext()) {
                names.add(files.next().getPath().getName());
            }
        }
        names.remove(".looked"); // which is kept
        return names;
    }

    public IndexTableModel indexTable(IndexDefinition index) {
        return network.index(index.indexTable());
    }

    /** Returns the entries that the index should hold: f(visible base). */
    public NavigableSet<String> expected(IndexDefinition index) throws IOException {
        return expected(index, "");
    }

    /** Returns the entries that the index should hold for the rows with a prefix. */
    public NavigableSet<String> expected(IndexDefinition index, String rowPrefix) throws IOException {
        return expected(index, region, new Scan().setStartStopRowForPrefixScan(Flights.row(rowPrefix)));
    }

    /** Returns the entries that an index should hold for the rows that a scan finds in a region. */
    public static NavigableSet<String> expected(IndexDefinition index, HRegion region, Scan scan) throws IOException {
        IndexEntryFunction function = new IndexEntryFunction(index);
        NavigableSet<String> entries = new TreeSet<>();
        try (RegionScanner scanner = region.getScanner(scan)) {
            List<Cell> cells = new ArrayList<>();
            boolean more = true;
            while (more) {
                more = scanner.next(cells);
                if (!cells.isEmpty()) {
                    function.entryOf(CellUtil.cloneRow(cells.get(0)), cells)
                            .ifPresent(entry -> entries.add(entry.toString()));
                }
                cells.clear();
            }
        }
        return entries;
    }

    /** Aborts the server, which has not begun to close its region yet. */
    public void abort() {
        server.aborted = true;
    }

    @Override
    public void close() throws IOException {
        region.close();
        wal.close();
    }
}
