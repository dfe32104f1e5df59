package org.diffindex.server.local;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
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
import org.diffindex.model.IndexedColumn;
import org.diffindex.server.IndexObserver;
import org.diffindex.server.deliver.IndexTableModel;

/**
 * A region for those of HBase's tests that create regions without a server, in which HBase loads no coprocessors. Its
 * server has nothing but a connection to indexes of the first family, in memory. Closing the region waits until the
 * indexes hold what the rows yield.
 */
public final class IndexedRegion extends HRegion {
    /** The setting for the indexes' scheme. */
    public static final String SCHEME = "diffindex.test.scheme";

    /** The setting for the indexed qualifiers, each of which has an index of its own. */
    public static final String QUALIFIERS = "diffindex.test.qualifiers";

    private static final Map<IndexScheme, Long> COMPARED = new ConcurrentHashMap<>();

    private final List<IndexDefinition> indexes;
    private final FakeConnection network;

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
        this(folder, wal, files, conf, region, table, indexesOf(table, conf), new FakeConnection(table));
    }

    @SuppressWarnings("deprecation") // like every region class that is set in the configuration
    private IndexedRegion(
            Path folder,
            WAL wal,
            FileSystem files,
            Configuration conf,
            RegionInfo region,
            TableDescriptor table,
            List<IndexDefinition> indexes,
            FakeConnection network)
            throws IOException {
        super(folder, wal, files, conf, region, indexed(table, indexes), new Server(conf, network.connection()));
        for (IndexDefinition index : indexes) {
            network.serveIndex(index.indexTable());
        }
        network.serveBase(this);
        this.indexes = indexes;
        this.network = network;
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

    private static List<IndexDefinition> indexesOf(TableDescriptor table, Configuration conf) {
        ColumnFamilyDescriptor family = table.getColumnFamilies()[0];
        return Arrays.stream(conf.getStrings(QUALIFIERS))
                .map(qualifier -> IndexDefinition.builder(table.getTableName(), "by_" + qualifier)
                        .scheme(IndexScheme.valueOf(conf.get(SCHEME)))
                        .column(IndexedColumn.of(family.getName(), Bytes.toBytes(qualifier), ColumnTypes.BYTES))
                        .build())
                .toList();
    }

    private static TableDescriptor indexed(TableDescriptor table, List<IndexDefinition> indexes) throws IOException {
        TableDescriptor indexed = TableDescriptorBuilder.newBuilder(table)
                .setCoprocessor(IndexObserver.class.getName())
                .build();
        for (IndexDefinition index : indexes) {
            indexed = IndexDefinitions.with(indexed, index);
        }
        return indexed;
    }

    /** Returns how many entries of indexes of a scheme were compared with their rows, since the JVM started. */
    public static long compared(IndexScheme scheme) {
        return COMPARED.getOrDefault(scheme, 0L);
    }

    @Override
    public Map<byte[], List<HStoreFile>> close(boolean abort, boolean ignoreStatus, boolean isGracefulStop)
            throws IOException {
        for (IndexDefinition index : indexes) {
            Waiting.until(index.name() + " has what its rows yield", () -> hasItsEntries(index));
            COMPARED.merge(index.scheme(), (long) expected(index).size(), Long::sum);
        }
        return super.close(abort, ignoreStatus, isGracefulStop);
    }

    private boolean hasItsEntries(IndexDefinition index) throws IOException {
        NavigableSet<String> expected = expected(index);
        IndexTableModel held = network.index(index.indexTable());
        return index.scheme().leavesStaleEntries()
                ? held.entries().containsAll(expected)
                : held.entries().equals(expected);
    }

    private NavigableSet<String> expected(IndexDefinition index) throws IOException {
        return LocalRegion.expected(index, this, new Scan());
    }
}
