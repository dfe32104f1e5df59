package org.diffindex.client;

import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;

/**
 * The settings that an operator has made by hand for the table of an index, and that the table of its next generation takes over:
 * all attributes and settings of the table and of the family of the entries, except those that Diff-Index sets itself.
 * Has no mutable state.
 */
final class IndexTableSettings {
    /** The prefix of what the descriptor of an index table says of its index. */
    private static final String OF_THE_INDEX = "diffindex.";

    /** The prefix of the attributes of a table by which HBase names its coprocessors. */
    private static final String OF_A_COPROCESSOR = "coprocessor$";

    /** Attributes of a table that say whose it is, or that it is not to be written. */
    private static final Set<String> OF_ONE_TABLE =
            Set.of(TableDescriptorBuilder.OWNER, TableDescriptorBuilder.READONLY, TableDescriptorBuilder.IS_META);

    /** Attributes of the family on which the index depends; encryption is taken over by itself, and MOB has no use there. */
    private static final Set<String> OF_THE_FORMAT = Set.of(
            ColumnFamilyDescriptorBuilder.MAX_VERSIONS,
            ColumnFamilyDescriptorBuilder.MIN_VERSIONS,
            ColumnFamilyDescriptorBuilder.KEEP_DELETED_CELLS,
            ColumnFamilyDescriptorBuilder.NEW_VERSION_BEHAVIOR,
            ColumnFamilyDescriptorBuilder.TTL,
            ColumnFamilyDescriptorBuilder.REPLICATION_SCOPE,
            ColumnFamilyDescriptorBuilder.ENCRYPTION,
            ColumnFamilyDescriptorBuilder.ENCRYPTION_KEY,
            ColumnFamilyDescriptorBuilder.IS_MOB,
            ColumnFamilyDescriptorBuilder.MOB_THRESHOLD,
            ColumnFamilyDescriptorBuilder.MOB_COMPACT_PARTITION_POLICY);

    private IndexTableSettings() {}

    /**
     * Returns the descriptor of a new index table with the settings of another one.
     *
     * @param made the descriptor as {@link IndexTableLayout} makes it
     * @param present the table of the index that is to be replaced
     */
    static TableDescriptor takenOver(TableDescriptor made, TableDescriptor present) {
        TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(made);
        present.getValues().forEach((key, value) -> {
            if (isSetting(text(key), present)) {
                table.setValue(key, value);
            }
        });
        EntryFormat.familyOf(present)
                .ifPresent(family -> table.modifyColumnFamily(
                        takenOver(EntryFormat.familyOf(made).orElseThrow(), family)));
        return table.build();
    }

    private static boolean isSetting(String key, TableDescriptor present) {
        return !key.startsWith(OF_THE_INDEX)
                && !key.startsWith(OF_A_COPROCESSOR)
                && !OF_ONE_TABLE.contains(key)
                && !(key.equals(TableDescriptorBuilder.DURABILITY) && losesEntries(present.getDurability()));
    }

    /** Returns whether a crash would lose entries; the master changes no table of an index with such a durability. */
    private static boolean losesEntries(Durability durability) {
        return durability == Durability.SKIP_WAL || durability == Durability.ASYNC_WAL;
    }

    private static ColumnFamilyDescriptor takenOver(ColumnFamilyDescriptor made, ColumnFamilyDescriptor present) {
        ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(made);
        present.getValues().forEach((key, value) -> {
            if (!OF_THE_FORMAT.contains(text(key))) {
                family.setValue(key, value);
            }
        });
        present.getConfiguration().forEach(family::setConfiguration);
        family.setConfiguration(IndexTableLayout.TIME_TO_PURGE_DELETES, longer(made, present));
        if (made.getEncryptionType() == null && present.getEncryptionType() != null) {
            family.setEncryptionType(present.getEncryptionType());
            if (present.getEncryptionKey() != null) {
                family.setEncryptionKey(present.getEncryptionKey());
            }
        }
        return family.build();
    }

    /** Returns the longer of the periods, in milliseconds, for which two families keep their tombstones. */
    private static String longer(ColumnFamilyDescriptor made, ColumnFamilyDescriptor present) {
        return Long.toString(Math.max(keepsTombstones(made), keepsTombstones(present)));
    }

    /** Returns the period of a family; 0 if it has none, or one that is not a number, which only a change by hand can cause. */
    private static long keepsTombstones(ColumnFamilyDescriptor family) {
        Map<String, String> configuration = family.getConfiguration();
        try {
            return Long.parseLong(configuration.getOrDefault(IndexTableLayout.TIME_TO_PURGE_DELETES, "0"));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static String text(Bytes key) {
        return Bytes.toString(key.get(), key.getOffset(), key.getLength());
    }
}
