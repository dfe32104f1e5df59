package org.diffindex.server.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.MockRegionServerServices;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.executor.ExecutorService;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.mob.MobFileCache;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.ServerNonceManager;
import org.apache.hadoop.hbase.wal.AbstractFSWALProvider;
import org.apache.hadoop.hbase.wal.RepeatedSplitter;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;

/**
 * A region server without a cluster: a WAL on the local file system, the regions that it has opened, and a connection
 * to the index tables that ends when the server dies.
 */
public final class LocalServer {
    /** Small, because a file that is closed looks through the whole cache for its blocks. */
    private static final long CACHE_BYTES = 1 << 20;

    private static final int BLOCK_BYTES = 4 << 10;

    private final ServerName name = ServerName.valueOf(UUID.randomUUID().toString(), 16020, 1);
    private final Configuration conf;
    private final Path root;
    private final WALFactory wals;
    private final Services services;
    private final List<HRegion> regions = new ArrayList<>();
    private final LoggedEdits logged = new LoggedEdits();

    /** Syncs of the WAL that fail although their entries are durable. */
    public final Failures failingSyncs = new Failures();

    private volatile boolean dead;

    public LocalServer(Configuration conf, FakeConnection network) throws IOException {
        this(conf, network, Optional.empty());
    }

    /** Creates a server whose session may end. */
    public LocalServer(Configuration conf, FakeConnection network, FakeSession session) throws IOException {
        this(conf, network, Optional.of(session));
    }

    private LocalServer(Configuration conf, FakeConnection network, Optional<FakeSession> session) throws IOException {
        this.conf = conf;
        this.root = new Path(conf.get(HConstants.HBASE_DIR));
        this.wals = new WALFactory(conf, name.toString());
        this.services = new Services(conf, name, network.connectionOf(() -> dead), session);
    }

    /** The parts of a server that a region uses: its name, and a connection to the index tables. */
    private static final class Services extends MockRegionServerServices {
        /** Shared by all servers, because the names of their files differ. */
        private static final BlockCache CACHE = new LruBlockCache(CACHE_BYTES, BLOCK_BYTES, false);

        private final ServerName name;
        private final Connection connection;
        private final Optional<FakeSession> session;
        private final ExecutorService executors = new ExecutorService("local");
        private final ServerNonceManager nonces;
        private final MobFileCache mobFiles;

        Services(Configuration conf, ServerName name, Connection connection, Optional<FakeSession> session) {
            super(conf);
            this.name = name;
            this.connection = connection;
            this.session = session;
            this.nonces = new ServerNonceManager(conf);
            this.mobFiles = new MobFileCache(conf);
        }

        /** Ends the threads. */
        void stop() {
            executors.shutdown();
            mobFiles.shutdown();
        }

        @Override
        public ServerName getServerName() {
            return name;
        }

        @Override
        public ZKWatcher getZooKeeper() {
            return session.map(FakeSession::watcher).orElse(null);
        }

        /**
         * Returns the manager that knows completed increments and appends, so that one which a client sends again is
         * not repeated.
         */
        @Override
        public ServerNonceManager getNonceManager() {
            return nonces;
        }

        @Override
        public Optional<BlockCache> getBlockCache() {
            return Optional.of(CACHE);
        }

        /** Returns the service that runs in-memory compactions. */
        @Override
        public ExecutorService getExecutorService() {
            return executors;
        }

        @Override
        public Optional<MobFileCache> getMobFileCache() {
            return Optional.of(mobFiles);
        }

        @Override
        public Connection createConnection(Configuration configuration) {
            return connection;
        }
    }

    /** Opens a region and replays its recovered edits; creates the region if it does not exist. */
    public HRegion open(RegionInfo info, TableDescriptor descriptor) throws IOException {
        WAL wal = wals.getWAL(info);
        logged.listenTo(wal);
        HRegion region = HRegion.openHRegion(root, info, descriptor, withFailingSyncs(wal), conf, services, null);
        regions.add(region);
        return region;
    }

    /** Returns a WAL some of whose syncs fail although their entries are durable, as when HDFS loses the answer. */
    private WAL withFailingSyncs(WAL wal) {
        return (WAL) Proxy.newProxyInstance(
                WAL.class.getClassLoader(), new Class<?>[] {WAL.class}, (self, method, arguments) -> {
                    try {
                        Object result = method.invoke(wal, arguments);
                        if (method.getName().equals("sync") && failingSyncs.next()) {
                            throw new IOException("The sync was not answered");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Returns whether a coprocessor, or HBase, has aborted the server. */
    public boolean isAborted() {
        return services.isAborted();
    }

    public List<HRegion> regions() {
        return regions;
    }

    /** Closes a region gracefully. Returns its files by family. */
    public Map<byte[], List<HStoreFile>> close(HRegion region) throws IOException {
        Map<byte[], List<HStoreFile>> files = region.close();
        regions.remove(region);
        return files;
    }

    /** Renames the folder of the WALs, as the master does when it takes the server for dead; the server goes on. */
    public void loseWal() throws IOException {
        Path folder = walFolder();
        assertThat(root.getFileSystem(conf).rename(folder, folder.suffix(AbstractFSWALProvider.SPLITTING_EXT)))
                .isTrue();
    }

    private Path walFolder() {
        return new Path(root, AbstractFSWALProvider.getWALDirectoryName(name.toString()));
    }

    /** Kills the server: nothing more is flushed or delivered, and everything in memory is lost. The WAL remains. */
    public void die() throws IOException {
        dead = true;
        for (HRegion region : regions) {
            region.close(true);
        }
        wals.shutdown();
        services.stop();
    }

    /**
     * Splits the WAL of this dead server into the edits that its regions are to replay. HBase treats a WAL that is
     * missing, empty or truncated as one without edits; here the split must find every edit that was logged.
     *
     * @return the number of edits that were found, by the encoded names of the regions
     */
    public Map<String, Long> splitWal(RepeatedSplitter splitter) throws IOException {
        FileSystem files = root.getFileSystem(conf);
        Path folder = walFolder();
        Path archive = new Path(root, HConstants.HREGION_OLDLOGDIR_NAME);
        assertThat(files.exists(folder))
                .as("whether the WAL folder of the dead server, %s, exists", folder)
                .isTrue();
        List<Path> recovered = splitter.split(folder, archive);
        Map<String, Long> found = LoggedEdits.in(recovered, files, wals);
        assertThat(found)
                .as("edits by region that the split found in the WAL of %s, files %s", name, recovered)
                .isEqualTo(logged.byRegion());
        return found;
    }

    /** Stops with nothing to recover. */
    public void stop() throws IOException {
        for (HRegion region : List.copyOf(regions)) {
            close(region);
        }
        wals.close();
        services.stop();
    }
}
