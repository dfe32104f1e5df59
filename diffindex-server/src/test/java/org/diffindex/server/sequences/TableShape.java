package org.diffindex.server.sequences;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionConfiguration;
import org.apache.hadoop.hbase.regionserver.throttle.CompactionThroughputControllerFactory;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALSplitter;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;
import org.diffindex.server.IndexObserver;
import org.diffindex.server.Settings;
import org.diffindex.server.deliver.IndexTableModel;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.PlainFileSystem;
import org.diffindex.server.sequences.Step.Column;

/** The kinds of column families that an indexed table can have, each with its own rules of visibility. */
public enum TableShape {
    VERSIONS_1 {
        @Override
        public void shape(ColumnFamilyDescriptorBuilder family) {
            family.setMaxVersions(1);
        }
    },
    VERSIONS_5 {
        @Override
        public void shape(ColumnFamilyDescriptorBuilder family) {
            family.setMaxVersions(5);
        }
    },
    /**
     * With so many versions that none is trimmed: HBase counts deleted ones when it trims, and shows less afterwards.
     */
    KEEP_DELETED_CELLS {
        @Override
        public void shape(ColumnFamilyDescriptorBuilder family) {
            family.setMaxVersions(1_000).setKeepDeletedCells(KeepDeletedCells.TRUE);
        }
    },
    NEW_VERSION_BEHAVIOR {
        @Override
        public void shape(ColumnFamilyDescriptorBuilder family) {
            family.setMaxVersions(3).setNewVersionBehavior(true);
        }
    },
    IN_MEMORY_COMPACTION {
        @Override
        public void shape(ColumnFamilyDescriptorBuilder family) {
            family.setInMemoryCompaction(MemoryCompactionPolicy.BASIC);
        }
    },
    /** All values are in files of their own. */
    MEDIUM_OBJECTS {
        @Override
        public void shape(ColumnFamilyDescriptorBuilder family) {
            family.setMaxVersions(1).setMobEnabled(true).setMobThreshold(0);
        }
    },
    TIME_TO_LIVE {
        @Override
        public void shape(ColumnFamilyDescriptorBuilder family) {
            family.setTimeToLive(TTL_SECONDS);
        }

        @Override
        public boolean hasTtl() {
            return true;
        }
    },
    /** Older versions and deleted cells are kept until they expire. */
    TIME_TO_LIVE_OF_VERSIONS {
        @Override
        public void shape(ColumnFamilyDescriptorBuilder family) {
            family.setTimeToLive(TTL_SECONDS).setMaxVersions(1_000).setKeepDeletedCells(KeepDeletedCells.TRUE);
        }

        @Override
        public boolean hasTtl() {
            return true;
        }
    };

    public static final TableName NAME = TableName.valueOf("model");
    public static final int TTL_SECONDS = 10;

    /** Read once, because that takes longer than most sequences. */
    private static final Configuration DEFAULTS = HBaseConfiguration.create();

    public abstract void shape(ColumnFamilyDescriptorBuilder family);

    /** Returns whether cells expire. If so, clients give no timestamps, and no index has several columns. */
    public boolean hasTtl() {
        return false;
    }

    /** Opens a table of this shape with its indexes, all of them empty. */
    public LocalTable open(Path folder, ManualClock clock, FakeConnection network) throws IOException {
        serveIndexes(clock, network);
        return new LocalTable(configuration(folder), descriptor(), network);
    }

    /** Opens a table of this shape without an index. */
    public LocalTable openBare(Path folder, FakeConnection network) throws IOException {
        return new LocalTable(configuration(folder), bare(), network);
    }

    /** Serves the index tables of this shape, all of them empty. */
    public void serveIndexes(ManualClock clock, FakeConnection network) throws IOException {
        for (IndexDefinition index : indexes()) {
            network.serveIndex(
                    index.indexTable(),
                    hasTtl() ? new IndexTableModel(TTL_SECONDS, clock::millis) : new IndexTableModel());
        }
    }

    public TableDescriptor descriptor() throws IOException {
        TableDescriptor descriptor = bare();
        for (IndexDefinition index : indexes()) {
            descriptor = IndexDefinitions.with(descriptor, index);
        }
        return descriptor;
    }

    /** Returns the descriptor without an index. */
    public TableDescriptor bare() throws IOException {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(NAME)
                .setCoprocessor(IndexObserver.class.getName())
                .setCoprocessor(BaseProbe.class.getName());
        for (String name : List.of("f", "g")) {
            ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name));
            shape(family);
            builder.setColumnFamily(family.build());
        }
        return builder.build();
    }

    /**
     * Returns an index of each scheme on one column, indexes on two columns of one family and of two, indexes of
     * each scheme that include a column, or are of rows without one, and indexes on a counter.
     */
    private List<IndexDefinition> indexes() {
        List<IndexDefinition> indexes = new ArrayList<>();
        for (IndexScheme scheme : IndexScheme.values()) {
            indexes.add(index("a-" + scheme, scheme, Column.A));
        }
        if (!hasTtl()) {
            indexes.add(index("ab", IndexScheme.SYNC_FULL, Column.A, Column.B));
            indexes.add(index("ca", IndexScheme.ASYNC_SIMPLE, Column.C, Column.A));
            for (IndexScheme scheme : IndexScheme.values()) {
                indexes.add(builder("a-including-b-" + scheme, scheme, Column.A)
                        .include(Bytes.toString(Column.B.family()), Column.B.name(), ColumnTypes.STRING)
                        .build());
                indexes.add(builder("a-without-c-" + scheme, scheme, Column.A)
                        .where(ColumnCondition.absent(IndexedColumn.of(
                                Column.C.family(), Bytes.toBytes(Column.C.name()), ColumnTypes.STRING)))
                        .build());
            }
        }
        indexes.add(index("n-sync-full", IndexScheme.SYNC_FULL, Column.N));
        indexes.add(index("n-async-session", IndexScheme.ASYNC_SESSION, Column.N));
        return indexes;
    }

    private static IndexDefinition index(String name, IndexScheme scheme, Column... columns) {
        return builder(name, scheme, columns).build();
    }

    private static IndexDefinition.Builder builder(String name, IndexScheme scheme, Column... columns) {
        IndexDefinition.Builder builder = IndexDefinition.builder(NAME, name).scheme(scheme);
        for (Column column : columns) {
            builder.column(
                    Bytes.toString(column.family()),
                    column.name(),
                    column == Column.N ? ColumnTypes.LONG : ColumnTypes.STRING);
        }
        return builder;
    }

    /** Returns the setting by which half of the shapes read the past at its read point, and the other half raw. */
    private int nearReadCells() {
        return switch (this) {
            case VERSIONS_1, NEW_VERSION_BEHAVIOR, IN_MEMORY_COMPACTION, TIME_TO_LIVE_OF_VERSIONS -> 1_000;
            case VERSIONS_5, KEEP_DELETED_CELLS, TIME_TO_LIVE, MEDIUM_OBJECTS -> 0;
        };
    }

    private Configuration configuration(Path folder) {
        Configuration conf = new Configuration(DEFAULTS);
        conf.set(Settings.HARMLESS_COPROCESSORS, BaseProbe.class.getName());
        PlainFileSystem.use(conf, folder);
        conf.set("hbase.wal.provider", "filesystem");
        conf.setInt("hbase.regionserver.wal.disruptor.event.count", 64);
        conf.setInt("hbase.regionserver.hlog.syncer.count", 1);
        conf.setInt("hbase.regionserver.hlog.splitlog.writer.threads", 1);
        // Otherwise the split of a short WAL may end before one of its threads looks for edits, and writes nothing.
        conf.setBoolean(WALSplitter.SPLIT_WRITER_CREATION_BOUNDED, true);
        conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false); // a region that dies would keep its chunks
        conf.setDouble("hbase.memstore.inmemoryflush.threshold.factor", 1e-6); // after a few hundred bytes
        conf.setInt(
                CompactionConfiguration.HBASE_HSTORE_COMPACTION_MAX_KEY,
                Integer.MAX_VALUE); // every compaction takes all files
        conf.setInt(Settings.NEAR_READ_CELLS, nearReadCells());
        conf.setLong(Settings.FLUSH_WAIT_MS, 5);
        conf.setLong(Settings.CLOSE_WAIT_MS, 5);
        conf.setLong(Settings.LOAD_WAIT_MS, 5);
        conf.setLong(Settings.STALE_DELAY_MS, 0);
        conf.set(
                CompactionThroughputControllerFactory.HBASE_THROUGHPUT_CONTROLLER_KEY,
                NoLimitThroughputController.class.getName());
        return conf;
    }
}
