package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that each reason for which a table cannot be indexed is reported, and that nothing is changed then. */
class DescriptorCheckTest {
    private static final String MEMORY_COMPACTION = "hbase.hregion.compacting.memstore.type";

    private final Configuration conf = new Configuration(false);

    @Test
    void acceptsATableThatCanBeIndexed() {
        assertThatCode(() -> DescriptorCheck.check(indexed(table(F)), conf)).doesNotThrowAnyException();
    }

    @Test
    void ignoresATableWithoutAnIndex() {
        TableDescriptor plain = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setDurability(Durability.SKIP_WAL)
                .build();
        conf.setBoolean(Settings.SPLIT_TO_HFILE, true);
        assertThatCode(() -> DescriptorCheck.check(plain, conf)).doesNotThrowAnyException();
    }

    @Test
    void refusesMoreIndexesThanATableMayHave() throws IOException {
        TableDescriptor full = withIndexes(DescriptorCheck.MOST_INDEXES);
        TableDescriptor more = withIndexes(DescriptorCheck.MOST_INDEXES + 1);
        assertThatCode(() -> DescriptorCheck.checkNumber(0, full)).doesNotThrowAnyException();
        assertThatThrownBy(() -> DescriptorCheck.checkChange(full, more))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was changed: 32 are the most");
        assertThatCode(() -> DescriptorCheck.checkChange(withIndexes(DescriptorCheck.MOST_INDEXES + 2), more))
                .as("dropping an index of a table that exceeds the bound")
                .doesNotThrowAnyException();
    }

    private static TableDescriptor withIndexes(int number) throws IOException {
        TableDescriptor table = table(F).build();
        for (int i = 0; i < number; i++) {
            table = IndexDefinitions.with(
                    table,
                    IndexDefinition.builder(Flights.TABLE, "index" + i)
                            .column("f", "c" + i, ColumnTypes.STRING)
                            .build());
        }
        return table;
    }

    @Test
    void refusesADefinitionThatCannotBeRead() throws IOException {
        refused(table(F).setValue("diffindex.index.broken", "{}").build(), "index broken", "not valid");
    }

    @Test
    void refusesAnIndexOnAnIndexTable() throws IOException {
        refused(
                indexed(IndexDefinitions.markIndexTable(table(F), TableName.valueOf("base"))),
                "an index cannot be indexed");
    }

    @Test
    void refusesATableWithoutTheCoprocessor() {
        refused(indexed(familyOnly(F)), IndexObserver.class.getName(), "bin/diffindex create-index");
    }

    @Test
    void refusesASettingUnderWhichTheWalIsNotReplayed() throws IOException {
        conf.setBoolean(Settings.SPLIT_TO_HFILE, true);
        refused(indexed(table(F)), Settings.SPLIT_TO_HFILE + "=true", "set it to false");
    }

    @Test
    void refusesATableWithoutAWal() throws IOException {
        refused(indexed(table(F).setDurability(Durability.SKIP_WAL)), "SKIP_WAL", "set another durability");
    }

    @Test
    void refusesAColumnOfAFamilyThatTheTableLacks() throws IOException {
        refused(indexed(table(Bytes.toBytes("g"))), "column family f", "does not have");
    }

    @ParameterizedTest
    @ValueSource(strings = {"EAGER", "ADAPTIVE"})
    void refusesInMemoryCompactionThatDropsOldValues(String policy) throws IOException {
        TableDescriptorBuilder builder = table(Bytes.toBytes("g"))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                        .setInMemoryCompaction(MemoryCompactionPolicy.valueOf(policy))
                        .build());
        refused(indexed(builder), "in-memory compaction " + policy, "NONE or BASIC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"EAGER", "eager", "Adaptive"})
    void refusesInMemoryCompactionByTheServersDefaultInUpperOrLowerCase(String policy) throws IOException {
        conf.set(MEMORY_COMPACTION, policy);
        refused(indexed(table(F)), "in-memory compaction");
    }

    @Test
    void refusesInMemoryCompactionByTheTablesOrTheFamilysOwnSetting() throws IOException {
        refused(indexed(table(F).setValue(MEMORY_COMPACTION, "EAGER")), "in-memory compaction");
        refused(
                indexed(table(Bytes.toBytes("g"))
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                                .setConfiguration(MEMORY_COMPACTION, "EAGER")
                                .build())),
                "in-memory compaction");
    }

    @Test
    void refusesFilesOfOldVersionsThatScansDoNotRead() throws IOException {
        refused(
                indexed(table(F).setValue("hbase.enable.historical.compaction.files", "true")),
                "column family f",
                "hbase.enable.historical.compaction.files");
        conf.setBoolean("hbase.enable.historical.compaction.files", true);
        refused(indexed(table(F)), "hbase.enable.historical.compaction.files");
    }

    @Test
    void refusesStripesUnderNewVersionBehavior() throws IOException {
        TableDescriptorBuilder stripes =
                table(F).setValue(StoreEngine.STORE_ENGINE_CLASS_KEY, StripeStoreEngine.class.getName());
        DescriptorCheck.check(indexed(stripes), conf);
        stripes.modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                .setNewVersionBehavior(true)
                .build());
        refused(indexed(stripes), "column family f", "stripes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "basic"})
    void acceptsInMemoryCompactionThatKeepsOldValues(String policy) {
        conf.set(MEMORY_COMPACTION, policy);
        assertThatCode(() -> DescriptorCheck.check(indexed(table(F)), conf)).doesNotThrowAnyException();
    }

    @Test
    void refusesSeveralColumnsOfWhichOneExpires() throws IOException {
        for (IndexDefinition index : List.of(
                Flights.byOriginAndDate(IndexScheme.SYNC_FULL),
                IndexDefinition.builder(Flights.TABLE, "of_two_families")
                        .column("g", "carrier", ColumnTypes.STRING)
                        .column("f", "origin", ColumnTypes.STRING)
                        .build())) {
            TableDescriptorBuilder builder =
                    table(Bytes.toBytes("g")).setColumnFamily(expiring(10).build());
            refused(IndexDefinitions.with(builder.build(), index), "column family f has a TTL", "more than one column");
        }
    }

    @Test
    void acceptsSeveralFieldsOfOneColumnThatExpires() throws IOException {
        IndexDefinition fields = IndexDefinition.builder(Flights.TABLE, "fields")
                .column(IndexedColumn.parse("f:packed:struct(string,int)#0"))
                .column(IndexedColumn.parse("f:packed:struct(string,int)#1"))
                .build();
        TableDescriptor descriptor =
                table(Bytes.toBytes("g")).setColumnFamily(expiring(10).build()).build();
        assertThatCode(() -> DescriptorCheck.check(IndexDefinitions.with(descriptor, fields), conf))
                .doesNotThrowAnyException();
    }

    @Test
    void refusesVersionsThatOutliveTheirTimeToLive() throws IOException {
        refused(
                indexed(table(Bytes.toBytes("g"))
                        .setColumnFamily(expiring(10).setMinVersions(1).build())),
                "column family f has a TTL and MIN_VERSIONS 1");
    }

    @Test
    void acceptsATimeToLiveThatEndsRowAndEntryTogether() throws IOException {
        TableDescriptor descriptor = indexed(table(Bytes.toBytes("g"))
                .setColumnFamily(expiring(10)
                        .setMaxVersions(5)
                        .setKeepDeletedCells(KeepDeletedCells.TRUE)
                        .build()));
        assertThatCode(() -> DescriptorCheck.check(descriptor, conf)).doesNotThrowAnyException();
    }

    @Test
    void refusesAChangeOfTheTimeToLiveOfAnIndexedFamily() throws IOException {
        TableDescriptor before =
                indexed(table(Bytes.toBytes("g")).setColumnFamily(expiring(10).build()));
        for (int other : new int[] {9, 11, HConstants.FOREVER}) {
            TableDescriptor after = indexed(
                    table(Bytes.toBytes("g")).setColumnFamily(expiring(other).build()));
            assertThatThrownBy(() -> DescriptorCheck.checkChange(before, after))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("from 10 to " + other + " seconds, nothing was changed")
                    .hasMessageContaining("drop the index");
        }
    }

    @Test
    void refusesAChangeOfTheTimeToLiveOfAnIndexTable() {
        TableDescriptor before = indexTable(10);
        assertThatThrownBy(() -> DescriptorCheck.checkChange(before, indexTable(11)))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("it is the table of an index");
        assertThatCode(() -> DescriptorCheck.checkChange(before, indexTable(10)))
                .doesNotThrowAnyException();
    }

    @Test
    void acceptsAnyExpiryOfUnindexedFamilies() throws IOException {
        TableDescriptor before = indexed(
                table(F).setColumnFamily(expiring("g", 10).setMinVersions(1).build()));
        TableDescriptor after = indexed(
                table(F).setColumnFamily(expiring("g", 20).setMinVersions(2).build()));
        assertThatCode(() -> DescriptorCheck.check(after, conf)).doesNotThrowAnyException();
        assertThatCode(() -> DescriptorCheck.checkChange(before, after)).doesNotThrowAnyException();
    }

    private static ColumnFamilyDescriptorBuilder expiring(int seconds) {
        return expiring("f", seconds);
    }

    private static ColumnFamilyDescriptorBuilder expiring(String family, int seconds) {
        return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family)).setTimeToLive(seconds);
    }

    private static TableDescriptor indexTable(int seconds) {
        return IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(TableName.valueOf("index")), Flights.TABLE)
                .setColumnFamily(expiring("i", seconds).build())
                .build();
    }

    private void refused(TableDescriptor descriptor, String... reasons) {
        assertThatThrownBy(() -> DescriptorCheck.check(descriptor, conf))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was changed")
                .hasMessageContainingAll(reasons);
    }

    private static TableDescriptor indexed(TableDescriptorBuilder builder) {
        return IndexDefinitions.with(builder.build(), Flights.byOrigin(IndexScheme.SYNC_FULL));
    }

    private static TableDescriptorBuilder table(byte[] family) throws IOException {
        return familyOnly(family).setCoprocessor(IndexObserver.class.getName());
    }

    private static TableDescriptorBuilder familyOnly(byte[] family) {
        return TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
    }
}
