package org.diffindex.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.diffindex.model.IndexCell;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexedColumn;

/** Builds the descriptor of an index table. */
final class IndexTableLayout {
    /**
     * The configuration key for the milliseconds for which an index table keeps its tombstones; one day by default. It
     * must be longer than any update is in flight: an old put that arrives after its tombstone is gone would bring its
     * entry back.
     */
    static final String KEEP_TOMBSTONES_KEY = "diffindex.index.time.to.purge.deletes";

    /** The family attribute that sets this period in HBase. */
    static final String TIME_TO_PURGE_DELETES = "hbase.hstore.time.to.purge.deletes";

    /**
     * The block size in bytes: a quarter of HBase's default. A seek decodes half a block, entry by entry, and each read
     * by index seeks in every store file; smaller blocks enlarge a file by 1%.
     */
    static final int BLOCK_BYTES = 16 << 10;

    private IndexTableLayout() {}

    /** Returns the descriptor of the index's table. */
    static TableDescriptor of(IndexDefinition definition, TableDescriptor base, Configuration configuration)
            throws IOException {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(definition.indexTable())
                .setColumnFamily(family(definition, base, configuration))
                .setCoprocessor(Coprocessors.descriptor(Coprocessors.INDEX_TABLE_GUARD, configuration));
        return IndexDefinitions.markIndexTable(builder, definition).build();
    }

    private static ColumnFamilyDescriptor family(
            IndexDefinition definition, TableDescriptor base, Configuration configuration) {
        long keepTombstones =
                configuration.getLong(KEEP_TOMBSTONES_KEY, Duration.ofDays(1).toMillis());
        ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(IndexCell.FAMILY)
                .setMaxVersions(1)
                .setKeepDeletedCells(KeepDeletedCells.FALSE)
                .setBloomFilterType(BloomType.NONE)
                .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                .setBlocksize(BLOCK_BYTES)
                .setTimeToLive(smallestTimeToLive(definition, base))
                .setConfiguration(TIME_TO_PURGE_DELETES, Long.toString(keepTombstones));
        inherit(definition, base, family);
        return family.build();
    }

    /**
     * Copies encryption and storage policy from the indexed columns, whose values the entries contain. If the columns'
     * families differ, the first one that is encrypted counts, and likewise the first one that has a storage policy.
     */
    private static void inherit(
            IndexDefinition definition, TableDescriptor base, ColumnFamilyDescriptorBuilder family) {
        List<ColumnFamilyDescriptor> indexed = definition.columns().stream()
                .map(column -> base.getColumnFamily(column.family()))
                .toList();
        indexed.stream()
                .filter(column -> column.getEncryptionType() != null)
                .findFirst()
                .ifPresent(column -> {
                    family.setEncryptionType(column.getEncryptionType());
                    if (column.getEncryptionKey() != null) {
                        family.setEncryptionKey(column.getEncryptionKey());
                    }
                });
        indexed.stream()
                .filter(column -> column.getStoragePolicy() != null)
                .findFirst()
                .ifPresent(column -> family.setStoragePolicy(column.getStoragePolicy()));
    }

    /**
     * Returns the seconds after which the first cell of an entry's row may expire; {@link HConstants#FOREVER} if none
     * does.
     */
    private static int smallestTimeToLive(IndexDefinition definition, TableDescriptor base) {
        int smallest = HConstants.FOREVER;
        for (IndexedColumn column : definition.columns()) {
            smallest = Math.min(smallest, base.getColumnFamily(column.family()).getTimeToLive());
        }
        return smallest;
    }
}
