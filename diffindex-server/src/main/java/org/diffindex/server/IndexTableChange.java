package org.diffindex.server;

import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;

/**
 * Refuses changes of an index table's descriptor by which the index would lose entries, keep deleted ones, expose them
 * unencrypted or to another cluster, lose its guard or the reference to its base table, or be read again after its drop
 * has begun. {@link DescriptorCheck#checkChange} refuses changes of its TTL. Thread-safe; has no mutable state.
 */
final class IndexTableChange {
    private final TableDescriptor table;

    private IndexTableChange(TableDescriptor table) {
        this.table = table;
    }

    /**
     * Checks a change; accepts any change of a table that is not an index table, unless it would become one. The durabilities SKIP_WAL and
     * ASYNC_WAL are refused even if the table has them already, unless the index is being dropped; everything else only
     * if it changes.
     *
     * @throws DoNotRetryIOException if it is refused; the message says why
     */
    static void check(TableDescriptor current, TableDescriptor changed) throws DoNotRetryIOException {
        if (IndexDefinitions.baseTableOf(current).isEmpty()
                && IndexDefinitions.baseTableOf(changed).isPresent()) {
            throw new DoNotRetryIOException("Cannot modify table " + changed.getTableName()
                    + ", nothing was changed: it is not the table of an index and cannot become one (diffindex.base); create"
                    + " indexes with DiffIndexAdmin or bin/diffindex create-index");
        }
        if (IndexDefinitions.baseTableOf(current).isPresent()) {
            IndexTableChange change = new IndexTableChange(changed);
            change.checkTable(current);
            Optional<ColumnFamilyDescriptor> before = EntryFormat.familyOf(current);
            if (before.isPresent()) {
                change.checkFamily(before.get(), EntryFormat.familyOf(changed));
            }
        }
    }

    private void checkTable(TableDescriptor current) throws DoNotRetryIOException {
        refuseIf(
                !IndexDefinitions.baseTableOf(current).equals(IndexDefinitions.baseTableOf(table))
                        || (!hasIdOf(current) && !isRenewal(current)),
                "it would no longer say of which index it is (diffindex.base, diffindex.id)");
        refuseIf(
                IndexFormat.namedBy(current) != IndexFormat.namedBy(table),
                "its format would change (diffindex.format), in which its entries are written");
        refuseIf(
                current.hasCoprocessor(IndexTableGuard.class.getName())
                        && !table.hasCoprocessor(IndexTableGuard.class.getName()),
                "it would lose its coprocessor " + IndexTableGuard.class.getName());
        checkState(current);
        checkBuildFamily(current);
        Durability durability = table.getDurability();
        refuseIf(
                !IndexDefinitions.isDropping(table)
                        && (durability == Durability.SKIP_WAL || durability == Durability.ASYNC_WAL),
                "with durability " + durability + " a crash would lose entries");
    }

    private boolean hasIdOf(TableDescriptor current) {
        return IndexDefinitions.indexIdOf(current).equals(IndexDefinitions.indexIdOf(table));
    }

    /** Returns whether the index is and stays DISABLED or to be rebuilt, and may get another id, before its table is emptied. */
    private boolean isRenewal(TableDescriptor current) {
        boolean staysDisabled = IndexDefinitions.stateOf(current) == IndexState.DISABLED
                && IndexDefinitions.stateOf(table) == IndexState.DISABLED;
        return (staysDisabled || (Rebuild.isDue(current) && Rebuild.isDue(table)))
                && IndexDefinitions.changesState(current, table);
    }

    private void checkBuildFamily(TableDescriptor current) throws DoNotRetryIOException {
        refuseIf(
                !IndexDefinitions.changesState(current, table)
                        && current.hasColumnFamily(BuildFamily.NAME)
                        && !table.hasColumnFamily(BuildFamily.NAME),
                "it would lose what the build of the index remembers (the column family b)");
        refuseIf(
                IndexDefinitions.stateOf(table) != IndexState.BUILDING
                        && !current.hasColumnFamily(BuildFamily.NAME)
                        && table.hasColumnFamily(BuildFamily.NAME),
                "it would get the column family b of a build, and the index is " + IndexDefinitions.stateOf(table));
    }

    /**
     * Refuses a state that may not follow the present one, such as that of a descriptor which was read before the present
     * one was stored. A change of the state may change nothing else, so that it undoes no other change of the table.
     */
    private void checkState(TableDescriptor current) throws DoNotRetryIOException {
        IndexState before = IndexDefinitions.stateOf(current);
        IndexState after = IndexDefinitions.stateOf(table);
        refuseIf(
                !before.mayBecome(after) && !isOrdered(before),
                "the index would become " + after + ", and is " + before
                        + " (diffindex.state); read the table's descriptor again and change that one");
        if (IndexDefinitions.changesState(current, table)) {
            refuseIf(
                    !IndexDefinitions.isNextState(current, table) || !changesOnlyState(current),
                    "not only its state would change, from " + before + " to " + after
                            + ": the table was changed meanwhile, or both were to be changed at once; read the table's descriptor again");
        }
        refuseIf(
                Rebuild.isDue(current) && !Rebuild.isDue(table) && !isEndOfRebuild(current),
                "the order to empty it before the index is built would be lost (diffindex.rebuild)");
        refuseIf(
                Rebuild.isDue(table) && IndexDefinitions.keptIn(table).isEmpty(),
                "the definition of an index that is rebuilt would be lost (diffindex.definition)");
        refuseIf(
                !IndexDefinitions.changesState(current, table) && !IndexDefinitions.haveSameSchemeState(current, table),
                "it would say something else of the index's schemes (diffindex.scheme); read the table's descriptor again"
                        + " and change that one");
        refuseIf(
                after == IndexState.DISABLED && IndexDefinitions.keptIn(table).isEmpty(),
                "the definition of a DISABLED index would be lost (diffindex.definition)");
        refuseIf(
                after == IndexState.BROKEN && IndexDefinitions.problemOf(table).isEmpty(),
                "it would not say why the index is BROKEN (diffindex.problem)");
    }

    /** Returns whether an index in that state becomes BUILDING because it is to be rebuilt. */
    private boolean isOrdered(IndexState before) {
        return before == IndexState.ACTIVE
                && Rebuild.isDue(table)
                && IndexDefinitions.stateOf(table) == IndexState.BUILDING;
    }

    /** Returns whether a change may end the order to rebuild the index: its build begins, or it is disabled or dropped. */
    private boolean isEndOfRebuild(TableDescriptor current) {
        IndexState after = IndexDefinitions.stateOf(table);
        return IndexDefinitions.changesState(current, table)
                && after != IndexState.ACTIVE
                && after != IndexState.BROKEN;
    }

    /**
     * Returns whether the table changes only its state, and what it keeps of its build. The totals of a build come with the
     * state ACTIVE; so a cancellation, with a descriptor of an index that was BUILDING, drops none that is ACTIVE by now.
     */
    private boolean changesOnlyState(TableDescriptor current) {
        if (isRenewal(current)) {
            TableDescriptor renewed = Rebuild.renewed(current, IndexDefinitions.indexIdOf(table));
            return IndexDefinitions.differOnlyInState(renewed, table);
        }
        return IndexDefinitions.stateOf(table) == IndexState.ACTIVE
                ? IndexDefinitions.differOnlyInState(BuildFamily.strip(current), BuildFamily.strip(table))
                : IndexDefinitions.differOnlyInState(BuildFamily.remove(current), BuildFamily.remove(table));
    }

    private void checkFamily(ColumnFamilyDescriptor before, Optional<ColumnFamilyDescriptor> changed)
            throws DoNotRetryIOException {
        refuseIf(changed.isEmpty(), "it would lose its column family");
        ColumnFamilyDescriptor after = changed.get();
        refuseIf(before.getMaxVersions() != after.getMaxVersions(), "its VERSIONS would change");
        refuseIf(before.getMinVersions() != after.getMinVersions(), "its MIN_VERSIONS would change");
        refuseIf(before.getKeepDeletedCells() != after.getKeepDeletedCells(), "its KEEP_DELETED_CELLS would change");
        refuseIf(
                before.isNewVersionBehavior() != after.isNewVersionBehavior(), "its NEW_VERSION_BEHAVIOR would change");
        refuseIf(before.getEncryptionType() != null && !isEncrypted(after), "its entries would no longer be encrypted");
        refuseIf(
                before.getEncryptionType() != null
                        && Optional.ofNullable(table.getColumnFamily(BuildFamily.NAME))
                                .filter(build -> !isEncrypted(build))
                                .isPresent(),
                "the column family b, with keys of base rows, would not be encrypted");
        refuseIf(
                before.getScope() != after.getScope() && after.getScope() != HConstants.REPLICATION_SCOPE_LOCAL,
                "it would be replicated, and the other cluster refuses that; replicate the base table, and create the"
                        + " index there too");
    }

    private static boolean isEncrypted(ColumnFamilyDescriptor family) {
        return family.getEncryptionType() != null;
    }

    private void refuseIf(boolean wrong, String why) throws DoNotRetryIOException {
        if (wrong) {
            throw new DoNotRetryIOException("Cannot modify table " + table.getTableName()
                    + ", nothing was changed: it is the table of an index, and " + why);
        }
    }
}
