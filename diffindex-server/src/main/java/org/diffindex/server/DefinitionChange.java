package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.IndexedColumn;

/**
 * A change of a base table's index definitions: a compare-and-set on the descriptor. A descriptor that was read before
 * the definitions changed has an old revision, and therefore cannot undo the change. One that changes the definitions
 * differs in {@linkplain OtherDifferences nothing else} from the table's, and therefore undoes no other change of the
 * table. Thread-safe; has no mutable state.
 */
final class DefinitionChange {
    private final TableDescriptor current;
    private final TableDescriptor changed;

    private DefinitionChange(TableDescriptor current, TableDescriptor changed) {
        this.current = current;
        this.changed = changed;
    }

    /** Finds the descriptor of a table; empty if there is no such table. */
    @FunctionalInterface
    interface Tables {
        Optional<TableDescriptor> find(TableName table) throws IOException;
    }

    /**
     * Admits a descriptor as the successor of the current one if it leaves the index definitions as they are and has their
     * revision or none, or if its revision {@linkplain IndexDefinitions#isNextOf follows} the current one and nothing but
     * the definitions changes, if anything does.
     * A new definition must have an id; of an existing one only the scheme may change, or the role, by a {@link
     * GenerationSwitch}.
     *
     * @param changed a descriptor whose definitions can be parsed
     * @return the descriptor to store: {@code changed} if the definitions differ; else {@code changed} with the current
     *     revision, or without any if no index is defined and nothing but the revision changes
     * @throws DoNotRetryIOException if it is not admitted; the message says what to do
     */
    static TableDescriptor admit(TableDescriptor current, TableDescriptor changed) throws DoNotRetryIOException {
        DefinitionChange change = new DefinitionChange(current, changed);
        List<String> names = change.changedNames();
        if (names.isEmpty()) {
            return change.isRepetition() ? changed : change.withRevisionToStore();
        }
        if (!IndexDefinitions.isNextOf(current, changed)) {
            throw change.refused("the descriptor adds, changes or removes the definitions of the indexes " + names
                    + " and is not the next revision of them [revision of the table="
                    + IndexDefinitions.revisionOf(current)
                    + ", of the descriptor=" + IndexDefinitions.revisionOf(changed)
                    + "]; read the table's descriptor again and change that one. Create and drop indexes with DiffIndexAdmin"
                    + " or bin/diffindex create-index and drop-index");
        }
        change.checkEach(names);
        change.requireNothingElse();
        return changed;
    }

    /**
     * Returns whether the change {@linkplain IndexDefinitions#again repeats} the last one of the definitions; that it changes
     * nothing else is {@linkplain #requireCurrent required} under the table's lock.
     */
    private boolean isRepetition() {
        return IndexDefinitions.definesAny(current) && IndexDefinitions.isNextOf(current, changed);
    }

    /**
     * Returns the descriptor to store of a change that leaves the definitions as they are. A change of them that another
     * client has made already leaves them so too; it is told by its revision from one of something else.
     */
    private TableDescriptor withRevisionToStore() throws DoNotRetryIOException {
        if (IndexDefinitions.forgetsRevision(current, changed)) {
            requireNothingElse();
            return IndexDefinitions.withRevision(changed, 0);
        }
        requireNoOtherRevision();
        boolean removesOnlyTheRevision =
                removesRevision() && OtherDifferences.between(current, changed).isEmpty();
        return removesOnlyTheRevision
                ? changed
                : IndexDefinitions.withRevision(changed, IndexDefinitions.revisionOf(current));
    }

    private void requireNoOtherRevision() throws DoNotRetryIOException {
        long revision = IndexDefinitions.revisionOf(changed);
        if (revision != 0 && revision != IndexDefinitions.revisionOf(current)) {
            throw changedMeanwhile();
        }
    }

    private DoNotRetryIOException changedMeanwhile() {
        return refused("its indexes were changed meanwhile; read the table's descriptor again and change that one");
    }

    private boolean removesRevision() {
        return !IndexDefinitions.definesAny(changed) && IndexDefinitions.revisionOf(changed) == 0;
    }

    /**
     * Requires that a descriptor may still replace the current one, after it was {@link #admit admitted} as the
     * successor of an earlier one, which is not available any more: its revision is the next one and nothing but the
     * definitions changes, or it has the same definitions and revision, or neither descriptor defines an index and its
     * revision is the current one or none. If the change removes the revision, nothing else may change, either.
     *
     * @param current the table's descriptor, read while HBase holds the table's lock
     * @throws DoNotRetryIOException if the definitions, or what the change would undo, were changed meanwhile
     */
    static void requireCurrent(TableDescriptor current, TableDescriptor changed) throws DoNotRetryIOException {
        DefinitionChange change = new DefinitionChange(current, changed);
        if (!IndexDefinitions.definesAny(current) && !IndexDefinitions.definesAny(changed)) {
            change.requireNoOtherRevision();
            if (change.removesRevision() && IndexDefinitions.revisionOf(current) != 0) {
                change.requireNothingElse();
            }
        } else if (IndexDefinitions.isNextOf(current, changed)) {
            change.requireNothingElse();
        } else if (!isSame(current, changed)) {
            throw change.changedMeanwhile();
        }
    }

    /** Requires that a change of the definitions, or of their revision, changes nothing else of the table. */
    private void requireNothingElse() throws DoNotRetryIOException {
        List<String> others = OtherDifferences.between(current, changed);
        if (!others.isEmpty()) {
            throw refused("the descriptor changes the indexes, and differs from the table's also in " + others
                    + ": the table was changed meanwhile, or both were to be changed at once; read the table's"
                    + " descriptor again, and change the indexes apart from everything else");
        }
    }

    private static boolean isSame(TableDescriptor one, TableDescriptor other) {
        return IndexDefinitions.revisionOf(one) == IndexDefinitions.revisionOf(other)
                && IndexDefinitions.texts(one).equals(IndexDefinitions.texts(other));
    }

    /**
     * Requires that each index which a descriptor defines for the first time has its own table, which is BUILDING unless
     * the base table is created with it: it lacks the rows that are there. Of an index that was defined before, requires
     * that a change of its scheme has begun in its table, if its definition changes, or that its readers may {@linkplain
     * GenerationSwitch go over} to another generation, if its role changes.
     *
     * @param current the descriptor before; empty if the table is created with the changed one
     * @throws DoNotRetryIOException if an index has no table, one of another index, or one that may be read; the message
     *     says which
     * @throws IOException if a descriptor cannot be read
     */
    static void requireIndexTables(Optional<TableDescriptor> current, TableDescriptor changed, Tables tables)
            throws IOException {
        Map<String, String> known = current.map(IndexDefinitions::texts).orElse(Map.of());
        Map<String, String> texts = IndexDefinitions.texts(changed);
        Map<String, IndexDefinition> definitions = IndexDefinitions.of(changed);
        for (IndexDefinition definition : definitions.values()) {
            String before = known.get(definition.name());
            if (texts.get(definition.name()).equals(before)) {
                continue;
            }
            Optional<TableDescriptor> own = tables.find(definition.indexTable());
            if (before != null) {
                requireChangeable(before, definition, own, definitions);
                continue;
            }
            GenerationSwitch.requirePlace(definition, definitions);
            if (definition.role() == IndexRole.SHADOW
                    && own.flatMap(IndexDefinitions::keptIn).isEmpty()) {
                requireUnchanging(definition, definitions, tables);
            }
            if (current.isPresent()
                    && own.map(IndexDefinitions::stateOf)
                            .filter(state -> state != IndexState.BUILDING)
                            .isPresent()) {
                throw new DoNotRetryIOException("Table " + changed.getTableName() + " cannot have the index "
                        + definition.name() + ", nothing was changed: its table " + definition.indexTable() + " is "
                        + IndexDefinitions.stateOf(own.get()) + ", and lacks what was written before; create the index"
                        + " with DiffIndexAdmin or bin/diffindex create-index");
            }
            if (!isTableOf(definition, own)) {
                throw new DoNotRetryIOException("Table " + changed.getTableName() + " cannot have the index "
                        + definition.name() + ", nothing was changed: " + definition.indexTable()
                        + " is not the table of this index. A copied descriptor does not bring its indexes along: leave"
                        + " out the values diffindex.*, and create the indexes with DiffIndexAdmin or bin/diffindex"
                        + " create-index");
            }
        }
    }

    /** Requires of a shadow that is entered, and does not come back, that the index which it is to replace does not change. */
    private static void requireUnchanging(
            IndexDefinition shadow, Map<String, IndexDefinition> definitions, Tables tables) throws IOException {
        for (IndexDefinition other : definitions.values()) {
            if (other.logicalName().equals(shadow.logicalName()) && other.role() == IndexRole.IN_SERVICE) {
                Optional<TableDescriptor> replaced = tables.find(other.indexTable());
                if (replaced.isPresent()) {
                    GenerationSwitch.requireUnchanging(shadow, replaced.get());
                }
            }
        }
    }

    /** Requires that the table of an index admits that the definition of before is replaced by this one. */
    private static void requireChangeable(
            String before,
            IndexDefinition definition,
            Optional<TableDescriptor> own,
            Map<String, IndexDefinition> definitions)
            throws IOException {
        if (!isTableOf(definition, own)) {
            throw new DoNotRetryIOException(
                    "Table " + definition.table() + " cannot have this definition of its index ["
                            + definition.name()
                            + "], nothing was changed: it is of an index of that name that was dropped or disabled"
                            + " since; read the table's descriptor again and change that one");
        }
        if (IndexDefinitions.roleOf(before) != definition.role()) {
            GenerationSwitch.requireReady(definition, own, definitions);
        } else {
            GenerationSwitch.requireOnly(definition, definitions);
            requireBegunChange(definition, own);
        }
    }

    /** Requires that the present change of the scheme of an index is the one by which the definition has its scheme. */
    private static void requireBegunChange(IndexDefinition definition, Optional<TableDescriptor> own)
            throws DoNotRetryIOException {
        boolean hasBegun = IndexDefinitions.schemeStateOf(own.get())
                .filter(schemes -> schemes.isUnderWay(definition.change())
                        && schemes.next().equals(Optional.of(definition.scheme())))
                .isPresent();
        if (!hasBegun) {
            throw new DoNotRetryIOException("The definition of index " + definition.name() + " on " + definition.table()
                    + " cannot be replaced, nothing was changed: no change of its scheme to " + definition.scheme()
                    + " has begun in its table, or another change has taken its place; change schemes with"
                    + " bin/diffindex alter-index");
        }
    }

    /**
     * Requires that no index stores in clear text what its base table encrypts: neither a new index, nor one of whose
     * families one becomes encrypted. An index that already does so does not prevent other changes.
     *
     * @throws DoNotRetryIOException if the table of such an index is not encrypted; the message says what to do
     * @throws IOException if a descriptor cannot be read
     */
    static void requireEncryptedIndexes(Optional<TableDescriptor> current, TableDescriptor changed, Tables tables)
            throws IOException {
        Map<String, String> known = current.map(IndexDefinitions::texts).orElse(Map.of());
        for (IndexDefinition definition : IndexDefinitions.of(changed).values()) {
            boolean isNew = !known.containsKey(definition.name());
            boolean isSecret = definition.readColumns().stream()
                    .anyMatch(column -> isEncrypted(family(changed, column))
                            && (isNew || !isEncrypted(current.flatMap(before -> family(before, column)))));
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
                && IndexDefinitions.indexIdOf(table.get()).equals(definition.id())
                && IndexFormat.namedBy(table.get()) == definition.format();
    }

    /** Returns the names of the indexes whose definition differs as text, or exists in only one of the descriptors. */
    private List<String> changedNames() {
        Map<String, String> before = IndexDefinitions.texts(current);
        Map<String, String> after = IndexDefinitions.texts(changed);
        List<String> names = new ArrayList<>(before.keySet());
        after.keySet().stream().filter(name -> !before.containsKey(name)).forEach(names::add);
        names.removeIf(name -> Objects.equals(before.get(name), after.get(name)));
        return names;
    }

    private void checkEach(List<String> names) throws DoNotRetryIOException {
        Map<String, IndexDefinition> before = before();
        Map<String, IndexDefinition> after = IndexDefinitions.of(changed);
        if (GenerationSwitch.changesRoles(before, after)) {
            Optional<String> problem = GenerationSwitch.problem(before, after, names);
            if (problem.isPresent()) {
                throw refused(problem.get());
            }
            return;
        }
        for (String name : names) {
            if (after.containsKey(name)) {
                check(Optional.ofNullable(before.get(name)), after.get(name));
            }
        }
    }

    /** Returns the previous definitions, by name; none if one of them cannot be parsed. */
    private Map<String, IndexDefinition> before() {
        try {
            return IndexDefinitions.of(current);
        } catch (IllegalArgumentException e) {
            return Map.of();
        }
    }

    private void check(Optional<IndexDefinition> before, IndexDefinition after) throws DoNotRetryIOException {
        if (before.isEmpty()) {
            if (after.id().isEmpty()) {
                throw refused("index " + after.name() + " has no id in the descriptor; create the index with"
                        + " DiffIndexAdmin or bin/diffindex create-index");
            }
        } else if (!before.get().withScheme(after.scheme()).equals(after)) {
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
