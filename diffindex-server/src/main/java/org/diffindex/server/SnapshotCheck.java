package org.diffindex.server;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder.ModifyableTableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;

/**
 * Checks whether a snapshot may be restored or cloned. A snapshot has the descriptor that its table had, with the definitions
 * of its indexes, but not their entries. Thread-safe; has no mutable state.
 */
final class SnapshotCheck {
    private SnapshotCheck() {}

    /**
     * Checks whether a snapshot may be restored over a table: both define the same indexes, apart from their ids, which differ
     * if an index was rebuilt since; and the restored table could be changed to and from the present one.
     *
     * @param current the table's present descriptor
     * @param restored the descriptor in the snapshot, which the table gets
     * @return whether the table has indexes, which are to be rebuilt
     * @throws DoNotRetryIOException if it may not be restored; the message says what to do
     */
    static boolean hasIndexesToRebuild(
            TableDescriptor current, TableDescriptor restored, DefinitionChange.Tables tables, Configuration conf)
            throws IOException {
        if (!IndexDefinitions.definesAny(current) && !IndexDefinitions.definesAny(restored)) {
            return false;
        }
        DescriptorCheck.check(current, conf);
        DescriptorCheck.check(restored, conf);
        Map<String, IndexDefinition> now = withoutIds(current);
        Map<String, IndexDefinition> then = withoutIds(restored);
        if (!now.equals(then)) {
            throw new DoNotRetryIOException("Cannot restore this snapshot of " + current.getTableName()
                    + ", nothing was changed: the table had the indexes " + then.values() + " then, and has "
                    + now.values()
                    + " now. Drop those that it did not have, create those that it had, and restore it then;"
                    + " if one is being rebuilt, wait until the table has it again");
        }
        DescriptorCheck.checkChange(current, restored);
        DefinitionChange.requireEncryptedIndexes(Optional.of(current), restored, tables);
        return true;
    }

    /**
     * Requires that a table still has the indexes that the snapshot has, after the order to rebuild them was given: one may
     * have been dropped or created meanwhile, or its scheme changed. The master may have begun the rebuilds, so that the base
     * table lacks definitions, which the tables of the indexes keep.
     *
     * @param current the table's present descriptor
     * @throws DoNotRetryIOException if an index was dropped, disabled, created or changed meanwhile
     */
    static void requireSameIndexes(TableDescriptor current, TableDescriptor restored, DefinitionChange.Tables tables)
            throws IOException {
        TableName base = current.getTableName();
        Map<String, IndexDefinition> now = withoutIds(current);
        Map<String, IndexDefinition> then = withoutIds(restored);
        Set<String> changed = new TreeSet<>(now.keySet());
        changed.removeAll(then.keySet());
        for (IndexDefinition index : then.values()) {
            Optional<TableDescriptor> own =
                    tables.find(index.indexTable()).filter(found -> RowReplacement.isReadOrBuilt(found, base));
            Optional<IndexDefinition> kept = own.flatMap(IndexDefinitions::keptIn)
                    .map(text ->
                            IndexDefinitions.parse(base, index.name(), text).withId(""));
            if (own.isEmpty() || !index.equals(kept.orElse(now.get(index.name())))) {
                changed.add(index.name());
            }
        }
        if (!changed.isEmpty()) {
            throw new DoNotRetryIOException("Cannot restore this snapshot of " + base
                    + ", no row was changed: its indexes " + changed
                    + " were created, changed, disabled or dropped meanwhile. Try again;"
                    + " the master rebuilds the other ones");
        }
    }

    private static Map<String, IndexDefinition> withoutIds(TableDescriptor table) {
        Map<String, IndexDefinition> definitions = new TreeMap<>(IndexDefinitions.of(table));
        definitions.replaceAll((name, definition) -> definition.withId(""));
        return definitions;
    }

    /** Refuses a snapshot of the table of an index, whose base table it does not hold. */
    static void refuseIfOfAnIndex(TableDescriptor snapshot, String verb) throws DoNotRetryIOException {
        if (IndexDefinitions.baseTableOf(snapshot).isPresent()) {
            throw new DoNotRetryIOException("Cannot " + verb
                    + " this snapshot, nothing was changed: it is of the table of an"
                    + " index, whose base table it does not hold. " + ("clone".equals(verb) ? "Clone" : "Restore")
                    + " a snapshot of the base table instead"
                    + ("clone".equals(verb) ? ", and create the index on the clone" : ", and the index is rebuilt"));
        }
    }

    /**
     * Removes the indexes from the descriptor that a clone of a snapshot is about to get: the clone has none, and so cannot
     * write to those of another table. HBase hands the descriptor to the hook before it creates the clone with it, and has
     * no other way to change it.
     *
     * @throws DoNotRetryIOException if the descriptor of this version of HBase cannot be changed
     */
    static void removeIndexes(TableDescriptor clone) throws DoNotRetryIOException {
        if (clone instanceof ModifyableTableDescriptor own) {
            TableDescriptor plain = IndexDefinitions.withoutAny(clone);
            for (Bytes key : new TreeMap<>(clone.getValues()).keySet()) {
                if (plain.getValue(key) == null) {
                    own.removeValue(key);
                }
            }
            own.removeCoprocessor(IndexObserver.class.getName());
        }
        if (IndexDefinitions.definesAny(clone)) {
            throw new DoNotRetryIOException("Cannot clone this snapshot, nothing was changed: the clone would get the"
                    + " definitions of the indexes "
                    + IndexDefinitions.texts(clone).keySet()
                    + ", whose tables it does not have, and this version of HBase does not let them be removed. Drop the"
                    + " indexes, take the snapshot, and create them again");
        }
    }
}
