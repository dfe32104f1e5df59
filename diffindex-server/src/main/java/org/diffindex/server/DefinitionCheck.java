package org.diffindex.server;

import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexedColumn;

/** Says whether a table can have the indexes that its descriptor defines. Pure. */
final class DefinitionCheck {
    private static final String MEMORY_COMPACTION = "hbase.hregion.compacting.memstore.type";

    private final TableDescriptor descriptor;
    private final Configuration conf;

    private DefinitionCheck(TableDescriptor descriptor, Configuration conf) {
        this.descriptor = descriptor;
        this.conf = conf;
    }

    /**
     * Checks a descriptor as it would be.
     *
     * @throws DoNotRetryIOException if an index is not possible; the message says why
     */
    static void check(TableDescriptor descriptor, Configuration conf) throws DoNotRetryIOException {
        Map<String, IndexDefinition> definitions;
        try {
            definitions = IndexDefinitions.of(descriptor);
        } catch (IllegalArgumentException e) {
            throw new DoNotRetryIOException(e.getMessage() + "; nothing was changed", e);
        }
        if (!definitions.isEmpty()) {
            DefinitionCheck check = new DefinitionCheck(descriptor, conf);
            check.checkTable();
            for (IndexDefinition definition : definitions.values()) {
                check.checkColumns(definition);
            }
        }
    }

    private void checkTable() throws DoNotRetryIOException {
        if (IndexDefinitions.baseTableOf(descriptor).isPresent()) {
            throw refused("it is the table of an index, and an index cannot be indexed");
        }
        if (!descriptor.hasCoprocessor(IndexObserver.class.getName())) {
            throw refused("its descriptor does not name the coprocessor " + IndexObserver.class.getName()
                    + "; create indexes with DiffIndexAdmin or bin/diffindex create-index");
        }
        if (new Settings(conf).splitsWalToHFiles()) {
            throw refused(
                    "with " + Settings.SPLIT_TO_HFILE + "=true a crash would lose index updates; set it to false in"
                            + " hbase-site.xml and restart HBase");
        }
        if (descriptor.getDurability() == Durability.SKIP_WAL) {
            throw refused("its durability is SKIP_WAL, and an index recovers from the WAL; set another durability");
        }
    }

    private void checkColumns(IndexDefinition definition) throws DoNotRetryIOException {
        for (IndexedColumn column : definition.columns()) {
            ColumnFamilyDescriptor family = descriptor.getColumnFamily(column.family());
            if (family == null) {
                throw refused("index " + definition.name() + " needs the column family "
                        + Bytes.toStringBinary(column.family()) + ", which the table does not have");
            }
            String inMemory = inMemoryCompaction(family);
            if (inMemory.equals(MemoryCompactionPolicy.EAGER.name())
                    || inMemory.equals(MemoryCompactionPolicy.ADAPTIVE.name())) {
                throw refused("column family " + family.getNameAsString() + " has in-memory compaction " + inMemory
                        + ", which drops the old values that an index must delete; set it to NONE or BASIC");
            }
        }
    }

    /** As HBase works it out: the family's own, else what family, table or server configure, in capitals or not. */
    private String inMemoryCompaction(ColumnFamilyDescriptor family) {
        return family.getInMemoryCompaction() == null
                ? StoreUtils.createStoreConfiguration(conf, descriptor, family)
                        .get(MEMORY_COMPACTION, MemoryCompactionPolicy.NONE.name())
                        .toUpperCase(Locale.ROOT)
                : family.getInMemoryCompaction().name();
    }

    private DoNotRetryIOException refused(String why) {
        return new DoNotRetryIOException(
                "Table " + descriptor.getTableName() + " cannot be indexed, nothing was changed: " + why);
    }
}
