package org.diffindex.server;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.Expiry;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexedColumn;

/**
 * Checks whether a table can have the indexes that its descriptor defines: whether they would be maintained, would not
 * lose updates in a crash, and could read the old values that they must delete. Thread-safe; has no mutable state.
 */
public final class DescriptorCheck {
    /** The maximum number of indexes of a table that did not have more before. */
    static final int MOST_INDEXES = 32;

    private static final String MEMORY_COMPACTION = "hbase.hregion.compacting.memstore.type";

    private final TableDescriptor descriptor;
    private final Configuration conf;

    private DescriptorCheck(TableDescriptor descriptor, Configuration conf) {
        this.descriptor = descriptor;
        this.conf = conf;
    }

    /**
     * Checks a descriptor by itself. Accepts every descriptor that defines no index.
     *
     * @param conf the configuration of the servers
     * @throws DoNotRetryIOException if a definition cannot be parsed, or an index is not possible; the message says why
     */
    public static void check(TableDescriptor descriptor, Configuration conf) throws DoNotRetryIOException {
        Map<String, IndexDefinition> definitions;
        try {
            definitions = IndexDefinitions.of(descriptor);
        } catch (IllegalArgumentException e) {
            throw new DoNotRetryIOException(e.getMessage() + "; nothing was changed", e);
        }
        if (!definitions.isEmpty()) {
            DescriptorCheck check = new DescriptorCheck(descriptor, conf);
            Expiry expiry = new Expiry(descriptor, definitions.values());
            check.checkTable();
            for (IndexDefinition definition : definitions.values()) {
                check.checkColumns(definition, expiry);
            }
        }
    }

    /**
     * Checks a change of a descriptor for problems that neither descriptor shows alone. Call it only with a new
     * descriptor that {@link #check} accepted.
     *
     * @param current the descriptor of a base table, an index table, or any other table
     * @throws DoNotRetryIOException if the table would have too many indexes, if index entries and their rows would
     *     expire at different times, or if rows would show other values than their entries; the message says why
     */
    static void checkChange(TableDescriptor current, TableDescriptor changed) throws DoNotRetryIOException {
        checkNumber(IndexDefinitions.texts(current).size(), changed);
        Collection<IndexDefinition> definitions = IndexDefinitions.of(changed).values();
        Optional<String> partedByTime = new Expiry(changed, definitions).refusalOfChange(current);
        if (partedByTime.isPresent()) {
            throw new DoNotRetryIOException(partedByTime.get());
        }
        DescriptorCheck check = new DescriptorCheck(changed, new Configuration(false));
        for (IndexDefinition definition : definitions) {
            for (IndexedColumn column : definition.readColumns()) {
                check.requireSameVisibleVersions(current, column.family(), definition);
            }
        }
    }

    /**
     * Checks that a table does not exceed {@link #MOST_INDEXES}: a write makes a call, and takes a thread, for each
     * index table and server that it changes. A table that has more than that may keep their number or lower it.
     *
     * @param before the present number of indexes
     * @throws DoNotRetryIOException if the table would have too many indexes; the message says how many it may have
     */
    static void checkNumber(int before, TableDescriptor changed) throws DoNotRetryIOException {
        int number = IndexDefinitions.of(changed).size();
        if (number > MOST_INDEXES && number > before) {
            throw new DoNotRetryIOException("Table " + changed.getTableName() + " cannot have " + number
                    + " indexes, nothing was changed: " + MOST_INDEXES + " are the most; drop those that are not read");
        }
    }

    /**
     * Requires that a change of a family leaves the visible value of every row as it is. With NEW_VERSION_BEHAVIOR,
     * deletes hide other cells than without, and VERSIONS determines which.
     */
    private void requireSameVisibleVersions(TableDescriptor current, byte[] name, IndexDefinition definition)
            throws DoNotRetryIOException {
        ColumnFamilyDescriptor before = current.getColumnFamily(name);
        ColumnFamilyDescriptor after = descriptor.getColumnFamily(name);
        if (before == null || after == null) {
            return;
        }
        boolean otherOrder = before.isNewVersionBehavior() != after.isNewVersionBehavior();
        boolean otherNumber = after.isNewVersionBehavior() && before.getMaxVersions() != after.getMaxVersions();
        if (otherOrder || otherNumber) {
            throw new DoNotRetryIOException("Cannot change "
                    + (otherOrder ? "NEW_VERSION_BEHAVIOR" : "VERSIONS, with NEW_VERSION_BEHAVIOR,")
                    + " of column family " + Bytes.toStringBinary(name) + " of table " + descriptor.getTableName()
                    + ", nothing was changed: rows with deletes could show other values than their entries in index "
                    + definition.name() + "; drop the index, change it, and create the index again");
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

    private void checkColumns(IndexDefinition definition, Expiry expiry) throws DoNotRetryIOException {
        for (IndexedColumn column : definition.readColumns()) {
            ColumnFamilyDescriptor family = descriptor.getColumnFamily(column.family());
            if (family == null) {
                throw refused("index " + definition.name() + " needs the column family "
                        + Bytes.toStringBinary(column.family()) + ", which the table does not have");
            }
            checkOldValues(family);
        }
        Optional<String> partedByTime = expiry.refusal(definition);
        if (partedByTime.isPresent()) {
            throw refused(partedByTime.get());
        }
    }

    /**
     * Requires that no in-memory compaction, and no compaction, drops or sets aside the old values that an index must
     * read in order to delete their entries.
     */
    private void checkOldValues(ColumnFamilyDescriptor family) throws DoNotRetryIOException {
        String inMemory = inMemoryCompaction(family);
        if (inMemory.equals(MemoryCompactionPolicy.EAGER.name())
                || inMemory.equals(MemoryCompactionPolicy.ADAPTIVE.name())) {
            throw refused("column family " + family.getNameAsString() + " has in-memory compaction " + inMemory
                    + ", which drops the old values that an index must delete; set it to NONE or BASIC");
        }
        if (ofStore(family).getBoolean(StoreFileWriter.ENABLE_HISTORICAL_COMPACTION_FILES, false)) {
            throw refused("column family " + family.getNameAsString() + " has "
                    + StoreFileWriter.ENABLE_HISTORICAL_COMPACTION_FILES
                    + "=true, which puts the old values that an index must delete into files that it does not read; set it"
                    + " to false");
        }
        if (family.isNewVersionBehavior() && hasStripes(family)) {
            throw refused("column family " + family.getNameAsString()
                    + " has NEW_VERSION_BEHAVIOR and is kept in stripes, whose compactions drop the old values that an"
                    + " index must delete; use another " + StoreEngine.STORE_ENGINE_CLASS_KEY);
        }
    }

    /**
     * Returns the in-memory compaction as HBase determines it: the family's own, else the configured value of family,
     * table or server, ignoring case.
     */
    private String inMemoryCompaction(ColumnFamilyDescriptor family) {
        return family.getInMemoryCompaction() == null
                ? ofStore(family)
                        .get(MEMORY_COMPACTION, MemoryCompactionPolicy.NONE.name())
                        .toUpperCase(Locale.ROOT)
                : family.getInMemoryCompaction().name();
    }

    private boolean hasStripes(ColumnFamilyDescriptor family) {
        return StripeStoreEngine.class.getName().equals(ofStore(family).get(StoreEngine.STORE_ENGINE_CLASS_KEY));
    }

    private Configuration ofStore(ColumnFamilyDescriptor family) {
        return StoreUtils.createStoreConfiguration(conf, descriptor, family);
    }

    private DoNotRetryIOException refused(String why) {
        return new DoNotRetryIOException(
                "Table " + descriptor.getTableName() + " cannot be indexed, nothing was changed: " + why);
    }
}
