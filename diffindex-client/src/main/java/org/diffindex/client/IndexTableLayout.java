package org.diffindex.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.Expiry;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;

/** Builds the descriptor of an index table. */
final class IndexTableLayout {
    /**
     * The configuration key for the milliseconds for which an index table keeps its tombstones; one day by default. It
     * must be longer than an update may be in flight: an old put that arrives after its tombstone is gone would bring
     * its entry back. Updates that a server found in the WAL or on disk may be older; these put no entry that the row
     * no longer has.
     */
    static final String KEEP_TOMBSTONES_KEY = "diffindex.index.time.to.purge.deletes";

    /** The family attribute that sets this period in HBase. */
    static final String TIME_TO_PURGE_DELETES = "hbase.hstore.time.to.purge.deletes";

    private IndexTableLayout() {}

    /** Returns the descriptor of the index's table, in a state. */
    static TableDescriptor of(
            IndexDefinition definition, IndexState state, TableDescriptor base, Configuration configuration)
            throws IOException {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(definition.indexTable())
                .setColumnFamily(family(definition, base, configuration))
                .setCoprocessor(Coprocessors.descriptor(Coprocessors.INDEX_TABLE_GUARD, configuration));
        return IndexDefinitions.markIndexTable(builder, definition, state).build();
    }

    private static ColumnFamilyDescriptor family(
            IndexDefinition definition, TableDescriptor base, Configuration configuration) {
        long keepTombstones =
                configuration.getLong(KEEP_TOMBSTONES_KEY, Duration.ofDays(1).toMillis());
        ColumnFamilyDescriptorBuilder family = EntryFormat.newFamily()
                .setTimeToLive(new Expiry(base, List.of(definition)).timeToLive(definition))
                .setConfiguration(TIME_TO_PURGE_DELETES, Long.toString(keepTombstones));
        inherit(definition, base, family);
        return family.build();
    }

    /** Returns whether a table has the TTL that a new one of the index would have, and is encrypted if that one would be. */
    static boolean isFor(
            IndexDefinition definition, TableDescriptor own, TableDescriptor base, Configuration configuration) {
        ColumnFamilyDescriptor made = family(definition, base, configuration);
        return EntryFormat.familyOf(own)
                .filter(family -> family.getTimeToLive() == made.getTimeToLive())
                .filter(family -> made.getEncryptionType() == null || family.getEncryptionType() != null)
                .isPresent();
    }

    /**
     * Copies encryption and storage policy from the indexed columns, whose values the entries contain. If the columns'
     * families differ, the first one that is encrypted counts, and likewise the first one that has a storage policy.
     */
    private static void inherit(
            IndexDefinition definition, TableDescriptor base, ColumnFamilyDescriptorBuilder family) {
        List<ColumnFamilyDescriptor> indexed = definition.readColumns().stream()
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
}
