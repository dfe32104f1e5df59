package org.diffindex.server.local;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.regionserver.FlushRequester;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.IndexedColumn;
import org.diffindex.server.IndexObserver;
import org.diffindex.server.deliver.IndexTableModel;

/**
 * A region for those of HBase's tests that create regions without a server, in which HBase loads no coprocessors. Its
 * server has nothing but a connection to an index of the first family, in memory. Closing the region waits until the
 * index holds what the rows yield.
 */
public final class IndexedRegion extends HRegion {
    /** The setting for the index's scheme. */
    public static final String SCHEME = "diffindex.test.scheme";

    /** The setting for the indexed qualifier. */
    public static final String QUALIFIER = "diffindex.test.qualifier";

    private final IndexDefinition index;
    private final IndexTableModel entries;

    /** Called by HBase, which creates regions of the class that is set in the configuration. */
    public IndexedRegion(
            Path folder,
            WAL wal,
            FileSystem files,
            Configuration conf,
            RegionInfo region,
            TableDescriptor table,
            RegionServerServices none)
            throws IOException {
        this(folder, wal, files, conf, region, table, indexOf(table, conf), new FakeConnection(table));
    }

    @SuppressWarnings("deprecation") // like every region class that is set in the configuration
    private IndexedRegion(
            Path folder,
            WAL wal,
            FileSystem files,
            Configuration conf,
            RegionInfo region,
            TableDescriptor table,
            IndexDefinition index,
            FakeConnection network)
            throws IOException {
        super(folder, wal, files, conf, region, indexed(table, index), new Server(conf, network.connection()));
        network.serveIndex(index.indexTable());
        network.serveBase(this);
        this.index = index;
        this.entries = network.index(index.indexTable());
    }

    /** Provides the services that HBase creates itself for a region without a server. */
    private static final class Server extends LocalRegion.Server {
        private final Optional<BlockCache> blocks;

        Server(Configuration conf, Connection connection) {
            super(conf, connection);
            blocks = Optional.of(BlockCacheFactory.createBlockCache(conf));
        }

        @Override
        public Optional<BlockCache> getBlockCache() {
            return blocks;
        }

        @Override
        public FlushRequester getFlushRequester() {
            return FakeConnection.stub(FlushRequester.class); // never asked to flush
        }
    }

    private static IndexDefinition indexOf(TableDescriptor table, Configuration conf) {
        ColumnFamilyDescriptor family = table.getColumnFamilies()[0];
        return IndexDefinition.builder(table.getTableName(), "by_value")
                .scheme(IndexScheme.valueOf(conf.get(SCHEME)))
                .column(IndexedColumn.of(family.getName(), Bytes.toBytes(conf.get(QUALIFIER)), ColumnTypes.BYTES))
                .build();
    }

    private static TableDescriptor indexed(TableDescriptor table, IndexDefinition index) throws IOException {
        TableDescriptor observed = TableDescriptorBuilder.newBuilder(table)
                .setCoprocessor(IndexObserver.class.getName())
                .build();
        return IndexDefinitions.with(observed, index.withState(IndexState.ACTIVE));
    }

    @Override
    public Map<byte[], List<HStoreFile>> close(boolean abort, boolean ignoreStatus, boolean isGracefulStop)
            throws IOException {
        Waiting.until("the index has what its rows yield", this::hasItsEntries);
        return super.close(abort, ignoreStatus, isGracefulStop);
    }

    private boolean hasItsEntries() throws IOException {
        NavigableSet<String> expected = LocalRegion.expected(index, this, new Scan());
        return index.scheme().leavesStaleEntries()
                ? entries.entries().containsAll(expected)
                : entries.entries().equals(expected);
    }
}
