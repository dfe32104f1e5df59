package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.IndexedColumn;

/**
 * A change of a base table's index definitions: a compare-and-set on the revision in the descriptor. A descriptor that
 * was read before an index was created or dropped has an old revision, and therefore cannot undo that. Has no mutable
 * state.
 */
final class DefinitionChange {
    private final TableDescriptor current;
    private final TableDescriptor changed;

    private DefinitionChange(TableDescriptor current, TableDescriptor changed) {
        this.current = current;
        this.changed = changed;
    }

    /** Reads the descriptor of a table. */
    @FunctionalInterface
    interface Tables {
        Optional<TableDescriptor> find(TableName table) throws IOException;
    }

    /**
     * Admits a descriptor as the successor of the current one if it leaves the index definitions unchanged or is their
     * next revision.
     *
     * @return the descriptor to use; if the definitions do not change it has the current revision, or none if it
     *     defines no index and had none
     * @throws DoNotRetryIOException if it is not admitted; the message says what to do
     */
    static TableDescriptor admit(TableDescriptor current, TableDescriptor changed) throws DoNotRetryIOException {
        DefinitionChange change = new DefinitionChange(current, changed);
        List<String> names = change.changedNames();
        long revision = IndexDefinitions.revisionOf(current);
        if (names.isEmpty()) {
            boolean isWithoutRevision =
                    !IndexDefinitions.definesAny(changed) && IndexDefinitions.revisionOf(changed) == 0;
            return isWithoutRevision ? changed : IndexDefinitions.withRevision(changed, revision);
        }
        if (IndexDefinitions.revisionOf(changed) != revision + 1) {
            throw change.refused("the descriptor adds, changes or removes the definitions of the indexes " + names
                    + " and is not the next revision of them [revision of the table=" + revision
                    + ", of the descriptor=" + IndexDefinitions.revisionOf(changed)
                    + "]; read the table's descriptor again and change that one. Create and drop indexes with DiffIndexAdmin"
                    + " or bin/diffindex create-index and drop-index");
        }
        change.checkEach(names);
        return changed;
    }

    /**
     * Requires that a descriptor may still replace the current one, after it was {@link #admit admitted}. The
     * descriptor that was current then is not available: HBase reads the table's descriptor again once it holds the
     * table's lock.
     *
     * @throws DoNotRetryIOException if the definitions were changed meanwhile
     */
    static void requireCurrent(TableDescriptor current, TableDescriptor changed) throws DoNotRetryIOException {
        boolean isNext = IndexDefinitions.revisionOf(changed) == IndexDefinitions.revisionOf(current) + 1;
        boolean isAboutNone = !IndexDefinitions.definesAny(current) && !IndexDefinitions.definesAny(changed);
        if (!isNext && !isAboutNone && !isSame(current, changed)) {
            throw new DefinitionChange(current, changed)
                    .refused(
                            "its indexes were changed meanwhile; read the table's descriptor again and change that one");
        }
    }

    private static boolean isSame(TableDescriptor one, TableDescriptor other) {
        return IndexDefinitions.revisionOf(one) == IndexDefinitions.revisionOf(other)
                && IndexDefinitions.texts(one).equals(IndexDefinitions.texts(other));
    }

    /**
     * Requires that each index which a descriptor defines for the first time has its own table.
     *
     * @param current the descriptor before; empty if the table is created with it
     * @throws DoNotRetryIOException if an index has no table, or one of another index; the message says which
     */
    static void requireIndexTables(Optional<TableDescriptor> current, TableDescriptor changed, Tables tables)
            throws IOException {
        Collection<String> known = current.map(
                        descriptor -> IndexDefinitions.texts(descriptor).keySet())
                .orElse(Set.of());
        for (IndexDefinition definition : IndexDefinitions.of(changed).values()) {
            if (!known.contains(definition.name()) && !isTableOf(definition, tables.find(definition.indexTable()))) {
                throw new DoNotRetryIOException("Table " + changed.getTableName() + " cannot have the index "
                        + definition.name() + ", nothing was changed: " + definition.indexTable()
                        + " is not the table of this index. A copied descriptor does not bring its indexes along: leave"
                        + " out the values diffindex.*, and create the indexes with DiffIndexAdmin or bin/diffindex"
                        + " create-index");
            }
        }
    }

    /**
     * Requires that no index stores in clear text what its table will encrypt from now on. An index that already did so
     * does not prevent other changes.
     *
     * @throws DoNotRetryIOException if the table of an index is not encrypted; the message says what to do
     */
    static void requireEncryptedIndexes(TableDescriptor current, TableDescriptor changed, Tables tables)
            throws IOException {
        Map<String, String> known = IndexDefinitions.texts(current);
        for (IndexDefinition definition : IndexDefinitions.of(changed).values()) {
            boolean isNew = !known.containsKey(definition.name());
            boolean isSecret = definition.readColumns().stream()
                    .anyMatch(column ->
                            isEncrypted(family(changed, column)) && (isNew || !isEncrypted(family(current, column))));
            if (isSecret && !isEncrypted(tables.find(definition.indexTable()).flatMap(EntryFormat::familyOf))) {
                throw new DoNotRetryIOException("Cannot encrypt what index " + definition.name() + " on "
                        + changed.getTableName() + " holds, nothing was changed: the index would keep it in clear; set"
                        + " ENCRYPTION for the family of " + definition.indexTable()
                        + " first and compact it, or drop the index and create it again after the change");
            }
        }
    }

    private static Optional<ColumnFamilyDescriptor> family(TableDescriptor table, IndexedColumn column) {
        return Optional.ofNullable(table.getColumnFamily(column.family()));
    }

    private static boolean isEncrypted(Optional<ColumnFamilyDescriptor> family) {
        return family.map(ColumnFamilyDescriptor::getEncryptionType).isPresent();
    }

    private static boolean isTableOf(IndexDefinition definition, Optional<TableDescriptor> table) {
        return table.isPresent()
                && IndexDefinitions.baseTableOf(table.get()).equals(Optional.of(definition.table()))
                && IndexDefinitions.indexIdOf(table.get()).equals(definition.id());
    }

    /** Returns the names of the indexes whose definition differs, or exists in only one of the two. */
    private List<String> changedNames() {
        Map<String, String> before = IndexDefinitions.texts(current);
        Map<String, String> after = IndexDefinitions.texts(changed);
        List<String> names = new ArrayList<>(before.keySet());
        after.keySet().stream().filter(name -> !before.containsKey(name)).forEach(names::add);
        names.removeIf(name -> Objects.equals(before.get(name), after.get(name)));
        return names;
    }

    private void checkEach(List<String> names) throws DoNotRetryIOException {
        Map<String, IndexDefinition> after = IndexDefinitions.of(changed);
        for (String name : names) {
            if (after.containsKey(name)) {
                check(before(name), after.get(name));
            }
        }
    }

    /**
     * Returns the previous definition; empty also if it cannot be read, since nothing derived from it can be trusted.
     */
    private Optional<IndexDefinition> before(String name) {
        try {
            return Optional.ofNullable(IndexDefinitions.of(current).get(name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private void check(Optional<IndexDefinition> before, IndexDefinition after) throws DoNotRetryIOException {
        if (before.isEmpty()) {
            if (after.state() != IndexState.BUILDING || after.id().isEmpty()) {
                throw refused(
                        "index " + after.name() + " is " + after.state() + " in the descriptor and not in the table;"
                                + " what was written meanwhile would be missing from it; create the index with DiffIndexAdmin or"
                                + " bin/diffindex create-index");
            }
        } else if (!before.get().withState(after.state()).equals(after)) {
            throw refused("index " + after.name() + " would become another one [before=" + before.get() + ", id "
                    + before.get().id() + "; after=" + after + ", id " + after.id()
                    + "]; drop it and create the other one");
        }
    }

    private DoNotRetryIOException refused(String why) {
        return new DoNotRetryIOException(
                "Cannot modify table " + changed.getTableName() + ", nothing was changed: " + why);
    }
}
