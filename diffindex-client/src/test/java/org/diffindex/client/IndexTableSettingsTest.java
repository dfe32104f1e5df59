package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.Test;

/** Tests that the table of the next generation has what was set by hand, and nothing that Diff-Index sets itself. */
class IndexTableSettingsTest {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final byte[] KEY = {1, 2, 3};
    private static final IndexDefinition FIRST = IndexDefinition.builder(TABLE, "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .build()
            .withId("id-1");
    private static final IndexDefinition SECOND = IndexDefinition.builder(TABLE, "by_v")
            .column("f", "w", ColumnTypes.STRING)
            .build()
            .asShadowOf(FIRST)
            .withId("id-2");

    private static TableDescriptor made(IndexDefinition index) throws IOException {
        TableDescriptor base = TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build();
        return IndexTableLayout.of(index, IndexState.BUILDING, base, new Configuration(false));
    }

    private static TableDescriptor takenOver(TableDescriptorBuilder table, ColumnFamilyDescriptorBuilder family)
            throws IOException {
        return IndexTableSettings.takenOver(
                made(SECOND), table.modifyColumnFamily(family.build()).build());
    }

    private static TableDescriptorBuilder table() throws IOException {
        return TableDescriptorBuilder.newBuilder(IndexDefinitions.withState(made(FIRST), IndexState.ACTIVE));
    }

    private static ColumnFamilyDescriptorBuilder family() throws IOException {
        return ColumnFamilyDescriptorBuilder.newBuilder(made(FIRST).getColumnFamily(EntryFormat.FAMILY));
    }

    @Test
    void takesOverNothingOfATableThatNobodyHasChanged() throws IOException {
        assertThat(takenOver(table(), family())).isEqualTo(made(SECOND));
    }

    @Test
    void takesOverSettingsOfTheTable() throws IOException {
        TableDescriptor next = takenOver(
                table().setRegionReplication(3)
                        .setRegionSplitPolicyClassName("org.example.Split")
                        .setMaxFileSize(1L << 30)
                        .setSplitEnabled(false)
                        .setDurability(Durability.FSYNC_WAL)
                        .setValue("hbase.hstore.blockingStoreFiles", "20"),
                family());
        assertThat(next.getRegionReplication()).isEqualTo(3);
        assertThat(next.getRegionSplitPolicyClassName()).isEqualTo("org.example.Split");
        assertThat(next.getMaxFileSize()).isEqualTo(1L << 30);
        assertThat(next.isSplitEnabled()).isFalse();
        assertThat(next.getDurability()).isEqualTo(Durability.FSYNC_WAL);
        assertThat(next.getValue("hbase.hstore.blockingStoreFiles")).isEqualTo("20");
    }

    @Test
    void takesOverSettingsOfTheFamily() throws IOException {
        ColumnFamilyDescriptor next = takenOver(
                        table(),
                        family().setCompressionType(Compression.Algorithm.SNAPPY)
                                .setBlocksize(1 << 12)
                                .setBloomFilterType(BloomType.ROW)
                                .setDataBlockEncoding(DataBlockEncoding.NONE)
                                .setStoragePolicy("ALL_SSD")
                                .setInMemory(true)
                                .setConfiguration("hbase.hstore.compaction.max", "7"))
                .getColumnFamily(EntryFormat.FAMILY);
        assertThat(next.getCompressionType()).isEqualTo(Compression.Algorithm.SNAPPY);
        assertThat(next.getBlocksize()).isEqualTo(1 << 12);
        assertThat(next.getBloomFilterType()).isEqualTo(BloomType.ROW);
        assertThat(next.getDataBlockEncoding()).isEqualTo(DataBlockEncoding.NONE);
        assertThat(next.getStoragePolicy()).isEqualTo("ALL_SSD");
        assertThat(next.isInMemory()).isTrue();
        assertThat(next.getConfigurationValue("hbase.hstore.compaction.max")).isEqualTo("7");
    }

    /** They say which index it is, follow from the base table, or keep its entries right. */
    @Test
    void leavesWhatDiffIndexSets() throws IOException {
        TableDescriptor next = takenOver(
                table().setReadOnly(true).setDurability(Durability.ASYNC_WAL).setCoprocessor("org.example.Other"),
                family().setTimeToLive(60)
                        .setMaxVersions(5)
                        .setMinVersions(1)
                        .setKeepDeletedCells(KeepDeletedCells.TRUE)
                        .setScope(1)
                        .setConfiguration(IndexTableLayout.TIME_TO_PURGE_DELETES, "1"));
        assertThat(next).isEqualTo(made(SECOND));
    }

    @Test
    void keepsTombstonesForTheLongerPeriod() throws IOException {
        String longer = Long.toString(Long.MAX_VALUE / 2);
        assertThat(takenOver(table(), family().setConfiguration(IndexTableLayout.TIME_TO_PURGE_DELETES, longer))
                        .getColumnFamily(EntryFormat.FAMILY)
                        .getConfigurationValue(IndexTableLayout.TIME_TO_PURGE_DELETES))
                .isEqualTo(longer);
        assertThat(takenOver(table(), family().setConfiguration(IndexTableLayout.TIME_TO_PURGE_DELETES, "a day")))
                .isEqualTo(made(SECOND));
    }

    /** Entries that were encrypted must not be stored in clear. */
    @Test
    void takesOverTheEncryptionOfTheIndexAlone() throws IOException {
        ColumnFamilyDescriptor next = takenOver(
                        table(), family().setEncryptionType("AES").setEncryptionKey(KEY))
                .getColumnFamily(EntryFormat.FAMILY);
        assertThat(next.getEncryptionType()).isEqualTo("AES");
        assertThat(next.getEncryptionKey()).isEqualTo(KEY);
    }
}
