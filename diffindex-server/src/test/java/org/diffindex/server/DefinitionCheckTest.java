package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.Flights.F;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each reason for which a table cannot be indexed is told, and nothing is changed then. */
class DefinitionCheckTest {
    private static final String MEMORY_COMPACTION = "hbase.hregion.compacting.memstore.type";

    private final Configuration conf = new Configuration(false);

    @Test
    void aTableThatCanBeIndexedIsLetThrough() {
        assertThatCode(() -> DefinitionCheck.check(indexed(table(F)), conf)).doesNotThrowAnyException();
    }

    @Test
    void aTableWithoutAnIndexIsNoneOfItsBusiness() {
        TableDescriptor plain = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setDurability(Durability.SKIP_WAL)
                .build();
        conf.setBoolean(Settings.SPLIT_TO_HFILE, true);
        assertThatCode(() -> DefinitionCheck.check(plain, conf)).doesNotThrowAnyException();
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
    void refusesInMemoryCompactionByTheServersDefaultHoweverItIsSpelt(String policy) throws IOException {
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

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "basic"})
    void letsInMemoryCompactionThroughThatKeepsThem(String policy) {
        conf.set(MEMORY_COMPACTION, policy);
        assertThatCode(() -> DefinitionCheck.check(indexed(table(F)), conf)).doesNotThrowAnyException();
    }

    private void refused(TableDescriptor descriptor, String... reasons) {
        assertThatThrownBy(() -> DefinitionCheck.check(descriptor, conf))
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
