package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder.ModifyableTableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexedColumn;

/**
 * Checks whether a snapshot may be restored or cloned. A snapshot has the descriptor that its table had, with the definitions
 * of its indexes, but not their entries. Thread-safe; has no mutable state.
 */
final class SnapshotCheck {
    private SnapshotCheck() {}

    /**
     * Returns the descriptor that a table gets when a snapshot is restored over it: that of the snapshot, with the definitions
     * that the table has now, of every {@linkplain IndexRole role}, as their next revision. The rows are those of the snapshot,
     * and each index is built anew from them; so only what readers rely on has to be the same in both: the indexes that are in
     * service, by the names that users give them, their columns, protected cells and schemes.
     *
     * @param current the table's present descriptor
     * @param snapshot the descriptor in the snapshot
     * @throws DoNotRetryIOException if other indexes were in service, the table could not be changed to that descriptor and
     *     back, or HBase does not let the descriptor in the snapshot be changed; the message says what to do
     */
    static TableDescriptor toRestore(
            TableDescriptor current, TableDescriptor snapshot, DefinitionChange.Tables tables, Configuration conf)
            throws IOException {
        DescriptorCheck.check(current, conf);
        DescriptorCheck.check(snapshot, conf);
        requireSameInService(current, snapshot);
        TableDescriptor restored = IndexDefinitions.withDefinitionsOf(snapshot, current);
        if (!(snapshot instanceof ModifyableTableDescriptor)
                && !IndexDefinitions.texts(snapshot).equals(IndexDefinitions.texts(restored))) {
            throw new DoNotRetryIOException("Cannot restore this snapshot of " + current.getTableName()
                    + ", nothing was changed: the table would get the definitions that its indexes had then, and this"
                    + " version of HBase does not let them be replaced. Drop the indexes, restore the snapshot from a clone"
                    + " of it, and create them again");
        }
        DescriptorCheck.check(restored, conf);
        DescriptorCheck.checkChange(current, restored);
        DefinitionChange.requireEncryptedIndexes(Optional.of(current), restored, tables);
        return restored;
    }

    private static void requireSameInService(TableDescriptor current, TableDescriptor snapshot)
            throws DoNotRetryIOException {
        Map<String, IndexDefinition> now = inService(current);
        Map<String, IndexDefinition> then = inService(snapshot);
        List<String> changed = now.keySet().stream()
                .filter(index -> then.containsKey(index) && !isSameToReaders(now.get(index), then.get(index)))
                .toList();
        if (!now.keySet().equals(then.keySet()) || !changed.isEmpty()) {
            throw new DoNotRetryIOException("Cannot restore this snapshot of " + current.getTableName()
                    + ", nothing was changed: the table had the indexes " + then.values() + " then, and has "
                    + now.values()
                    + " now. Drop those that it did not have, create those that it had, "
                    + changed.stream()
                            .map(index -> changingBack(now.get(index), then.get(index)))
                            .collect(Collectors.joining())
                    + "and restore it then; if one is being rebuilt, wait until the table has it again");
        }
    }

    private static Map<String, IndexDefinition> inService(TableDescriptor table) {
        Map<String, IndexDefinition> definitions = new TreeMap<>();
        for (IndexDefinition definition : IndexDefinitions.of(table).values()) {
            if (definition.role() == IndexRole.IN_SERVICE) {
                definitions.put(definition.logicalName(), definition);
            }
        }
        return definitions;
    }

    private static boolean isSameToReaders(IndexDefinition now, IndexDefinition then) {
        return now.keyColumns().equals(then.keyColumns())
                && now.indexesProtectedCells() == then.indexesProtectedCells()
                && now.scheme() == then.scheme();
    }

    /** Returns, for a message, how an index becomes what it was to readers. */
    private static String changingBack(IndexDefinition now, IndexDefinition then) {
        String command = "bin/diffindex alter-index " + then.table() + " " + then.logicalName();
        List<String> changes = new ArrayList<>();
        if (now.scheme() != then.scheme()) {
            changes.add(command + " --scheme " + then.scheme());
        }
        if (!isSameToReaders(now, then.withScheme(now.scheme()))) {
            String columns =
                    then.keyColumns().stream().map(IndexedColumn::toString).collect(Collectors.joining(","));
            changes.add(command + " --columns " + columns
                    + (then.indexesProtectedCells() ? " --protected-cells" : " --no-protected-cells") + " --wait");
        }
        return "change " + then.logicalName() + " back (" + String.join("; ", changes) + "), ";
    }

    /**
     * Gives the descriptor in a snapshot the definitions that the table is to get. HBase hands it to the hook before it starts
     * to restore the table with it, and has no other way to change it.
     *
     * @param restored as returned by {@link #toRestore}
     */
    static void setIndexes(TableDescriptor snapshot, TableDescriptor restored) {
        if (snapshot instanceof ModifyableTableDescriptor own) {
            removeValuesUnless(restored, own);
            restored.getValues().forEach(own::setValue);
        }
    }

    private static void removeValuesUnless(TableDescriptor wanted, ModifyableTableDescriptor own) {
        for (Bytes key : new TreeMap<>(own.getValues()).keySet()) {
            if (wanted.getValue(key) == null) {
                own.removeValue(key);
            }
        }
    }

    /**
     * Requires that a table still has its indexes, after the order to rebuild them was given: one may have been dropped or
     * created meanwhile, its scheme changed, or its readers may have gone over to other columns. The master may have begun the
     * rebuilds, so that the base table lacks definitions, which the tables of the indexes keep.
     *
     * @param current the table's present descriptor
     * @param restored as returned by {@link #toRestore}, before the order
     * @throws DoNotRetryIOException if an index was dropped, disabled, created or changed meanwhile
     */
    static void requireSameIndexes(TableDescriptor current, TableDescriptor restored, DefinitionChange.Tables tables)
            throws IOException {
        TableName base = current.getTableName();
        Map<String, IndexDefinition> now = withoutIds(current);
        Map<String, IndexDefinition> before = withoutIds(restored);
        Set<String> changed = new TreeSet<>(now.keySet());
        changed.removeAll(before.keySet());
        for (IndexDefinition index : before.values()) {
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
            removeValuesUnless(IndexDefinitions.withoutAny(clone), own);
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
