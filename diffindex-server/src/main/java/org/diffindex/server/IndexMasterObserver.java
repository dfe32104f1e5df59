package org.diffindex.server;

import com.google.protobuf.Service;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.server.build.IndexBuilds;
import org.diffindex.server.spill.TableFiles;

/**
 * The coprocessor of the master: refuses invalid definitions, and changes to tables that would leave an index without
 * its base table or a base table without its index. Refuses before anything is changed. Lets the indexes of a table be
 * rebuilt that is truncated, or over which a snapshot is restored. Removes the spill and stamp files of a base table with its
 * last index table. Builds indexes, and lets those read them who may read their columns. Reports the master's versions and
 * settings. Thread-safe: HBase calls hooks concurrently.
 */
public final class IndexMasterObserver implements MasterCoprocessor, MasterObserver {
    private volatile Inspection inspection;
    private volatile StoredTables tables;
    private volatile TableOperations operations;

    private final BuildMetrics buildMetrics = new BuildMetrics();

    /** The builds of this master; null before it has started. */
    private volatile IndexBuilds builds;

    /** The permissions on index tables; null before this master has started, and if it has none to follow. */
    private volatile IndexGrants grants;

    /** Closes the folder of the spill files; null before this master has started. */
    private volatile FolderProtection folder;

    @Override
    public Iterable<Service> getServices() {
        return Set.of(new InspectionEndpoint(() -> inspection));
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) {
        MasterCoprocessorEnvironment master = (MasterCoprocessorEnvironment) env;
        inspection = new Inspection(master.getServerName(), master.getConfiguration(), List.of());
        tables = new StoredTables(master.getConfiguration());
        operations = new TableOperations(tables);
    }

    /** Continues the builds that an earlier master has left, and closes the folder of the spill files to other users. */
    @Override
    public void postStartMaster(ObserverContext<MasterCoprocessorEnvironment> context) throws IOException {
        MasterCoprocessorEnvironment master = context.getEnvironment();
        IndexBuilds own =
                new IndexBuilds(master.getConnection(), master.getServerName().getServerName(), buildMetrics);
        builds = own;
        own.start();
        if (IndexGrants.areFollowed(master.getConfiguration())) {
            IndexGrants followed = new IndexGrants(master.getConnection());
            grants = followed;
            followed.start();
        }
        FolderProtection closing = new FolderProtection(master.getConfiguration());
        folder = closing;
        closing.start();
    }

    /** Takes over the index whose table is created. */
    @Override
    public void postCompletedCreateTableAction(
            ObserverContext<MasterCoprocessorEnvironment> context, TableDescriptor table, RegionInfo[] regions) {
        lookSoonIf(IndexDefinitions.baseTableOf(table).isPresent());
    }

    /** Builds the indexes that a table has got, and ends the build of one that is dropped. */
    @Override
    public void postCompletedModifyTableAction(
            ObserverContext<MasterCoprocessorEnvironment> context,
            TableName table,
            TableDescriptor before,
            TableDescriptor changed) {
        lookSoonIf(IndexDefinitions.definesAny(before)
                || IndexDefinitions.definesAny(changed)
                || IndexDefinitions.baseTableOf(changed).isPresent());
    }

    private void lookSoonIf(boolean concernsIndexes) {
        IndexBuilds own = builds;
        if (own != null && concernsIndexes) {
            own.lookSoon();
            followGrants();
        }
    }

    private void followGrants() {
        IndexGrants own = grants;
        if (own != null) {
            own.lookSoon();
        }
    }

    /** Looks again: the AccessController makes a user the owner of a table after it has completed that user's change. */
    @Override
    public void postModifyTable(
            ObserverContext<MasterCoprocessorEnvironment> context,
            TableName table,
            TableDescriptor before,
            TableDescriptor changed) {
        followGrants();
    }

    /** Looks again: the AccessController gives the table the permissions again that it had before. */
    @Override
    public void postTruncateTable(ObserverContext<MasterCoprocessorEnvironment> context, TableName table) {
        followGrants();
    }

    @Override
    public void preGrant(
            ObserverContext<MasterCoprocessorEnvironment> context, UserPermission permission, boolean isMerged)
            throws IOException {
        refuseToChange("grant", permission, context);
    }

    @Override
    public void preRevoke(ObserverContext<MasterCoprocessorEnvironment> context, UserPermission permission)
            throws IOException {
        refuseToChange("revoke", permission, context);
    }

    private void refuseToChange(
            String verb, UserPermission permission, ObserverContext<MasterCoprocessorEnvironment> context)
            throws IOException {
        GuardedHook.run(() -> {
            if (grants != null) {
                IndexGrants.refuse(verb, permission, context.getCaller(), tables::find);
            }
            return null;
        });
    }

    @Override
    public void postGrant(
            ObserverContext<MasterCoprocessorEnvironment> context, UserPermission permission, boolean isMerged) {
        followGrants();
    }

    @Override
    public void postRevoke(ObserverContext<MasterCoprocessorEnvironment> context, UserPermission permission) {
        followGrants();
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void stop(CoprocessorEnvironment env) {
        IndexBuilds own = builds;
        if (own != null) {
            own.close();
        }
        IndexGrants followed = grants;
        if (followed != null) {
            followed.close();
        }
        FolderProtection closing = folder;
        if (closing != null) {
            closing.close();
        }
        buildMetrics.close();
    }

    @Override
    public Optional<MasterObserver> getMasterObserver() {
        return Optional.of(this);
    }

    @Override
    public void preCreateTable(
            ObserverContext<MasterCoprocessorEnvironment> context, TableDescriptor descriptor, RegionInfo[] regions)
            throws IOException {
        GuardedHook.run(() -> {
            DescriptorCheck.check(descriptor, context.getEnvironment().getConfiguration());
            DescriptorCheck.checkNumber(0, descriptor);
            KeptDefinitions.requireNone(descriptor);
            DefinitionChange.requireIndexTables(Optional.empty(), descriptor, tables::find);
            DefinitionChange.requireEncryptedIndexes(Optional.empty(), descriptor, tables::find);
            FormatCheck.check(
                    Optional.empty(),
                    descriptor,
                    tables::find,
                    context.getEnvironment().getConnection());
            return null;
        });
    }

    /**
     * Checks again under the table's lock: the table of an index may have been deleted while the operation waited for
     * the lock.
     */
    @Override
    public void preCreateTableAction(
            ObserverContext<MasterCoprocessorEnvironment> context, TableDescriptor descriptor, RegionInfo[] regions)
            throws IOException {
        GuardedHook.run(() -> {
            DefinitionChange.requireIndexTables(Optional.empty(), descriptor, tables::find);
            return null;
        });
    }

    /**
     * Checks the change of a table. Leaves that of a table that does not exist to HBase, which then says so.
     *
     * @param current null if HBase finds no descriptor of the table
     */
    @Override
    public TableDescriptor preModifyTable(
            ObserverContext<MasterCoprocessorEnvironment> context,
            TableName table,
            TableDescriptor current,
            TableDescriptor changed)
            throws IOException {
        return GuardedHook.run(() -> {
            DescriptorCheck.check(changed, context.getEnvironment().getConfiguration());
            Optional<TableDescriptor> before = current == null ? tables.find(table) : Optional.of(current);
            if (before.isPresent()) {
                KeptDefinitions.requireOwn(before.get(), changed, context.getCaller(), tables::find);
            }
            FormatCheck.check(
                    before, changed, tables::find, context.getEnvironment().getConnection());
            return before.isEmpty() ? changed : admit(before.get(), changed, context.getEnvironment());
        });
    }

    private TableDescriptor admit(TableDescriptor current, TableDescriptor changed, MasterCoprocessorEnvironment master)
            throws IOException {
        DescriptorCheck.checkChange(current, changed);
        PendingRebuilds.requireNone(current, changed, tables);
        KeptDefinitions.requireNoOther(current, changed, tables);
        IndexTableChange.check(current, changed);
        DefinitionChange.requireIndexTables(Optional.of(current), changed, tables::find);
        DefinitionChange.requireEncryptedIndexes(Optional.of(current), changed, tables::find);
        TableDescriptor admitted = DefinitionChange.admit(current, changed);
        boolean isFollowed = IndexGrants.areFollowed(master.getConfiguration());
        GenerationReaders.prepare(current, changed, tables::find, isFollowed, grants, master.getConnection());
        return admitted;
    }

    /**
     * Checks the change again under the table's lock, which excludes further changes: {@link #preModifyTable} saw the
     * descriptor before the lock was acquired, and another change may have happened in between. The current
     * descriptor is read from the file system.
     */
    @Override
    public void preModifyTableAction(
            ObserverContext<MasterCoprocessorEnvironment> context,
            TableName table,
            TableDescriptor before,
            TableDescriptor changed)
            throws IOException {
        GuardedHook.run(() -> {
            Optional<TableDescriptor> current = tables.find(table);
            if (current.isPresent()) {
                DescriptorCheck.checkChange(current.get(), changed);
                PendingRebuilds.requireNone(current.get(), changed, tables);
                KeptDefinitions.requireNoOther(current.get(), changed, tables);
                IndexTableChange.check(current.get(), changed);
                DefinitionChange.requireCurrent(current.get(), changed);
                DefinitionChange.requireIndexTables(current, changed, tables::find);
            }
            return null;
        });
    }

    @Override
    public void preDeleteTable(ObserverContext<MasterCoprocessorEnvironment> context, TableName table)
            throws IOException {
        GuardedHook.run(() -> {
            operations.requireDeletable(table);
            forgetSpilled(context.getEnvironment().getConfiguration(), table);
            return null;
        });
    }

    /** Refuses again under the table's lock: an index may have been created while the operation waited for it. */
    @Override
    public void preDeleteTableAction(ObserverContext<MasterCoprocessorEnvironment> context, TableName table)
            throws IOException {
        GuardedHook.run(() -> {
            Void unused = operations.requireDeletable(table);
            tables.noteDeletion(table);
            return null;
        });
    }

    @Override
    public void preTruncateTable(ObserverContext<MasterCoprocessorEnvironment> context, TableName table)
            throws IOException {
        GuardedHook.run(() -> operations.requireTruncatable(table));
    }

    /**
     * Lets the indexes be rebuilt, and refuses again under the table's lock. HBase holds the lock until the table is
     * truncated, and the master needs it to begin to build the indexes.
     */
    @Override
    public void preTruncateTableAction(ObserverContext<MasterCoprocessorEnvironment> context, TableName table)
            throws IOException {
        GuardedHook.run(() -> {
            Void unused = operations.requireTruncatable(table);
            tables.noteTruncation(table);
            return rebuildIndexes(context, table, "truncate");
        });
    }

    /** Refuses to truncate a region of an index. HBase 2.5 has neither this hook nor this operation. */
    @Override
    public void preTruncateRegion(ObserverContext<MasterCoprocessorEnvironment> context, RegionInfo region) {
        GuardedHook.runDeclaringNothing(() -> operations.requireTruncatable(region));
    }

    /** Lets the indexes be rebuilt, and refuses again, as {@link #preTruncateTableAction}, under the region's lock. */
    @Override
    public void preTruncateRegionAction(ObserverContext<MasterCoprocessorEnvironment> context, RegionInfo region) {
        GuardedHook.runDeclaringNothing(() -> {
            Void unused = operations.requireTruncatable(region);
            return rebuildIndexes(context, region.getTable(), "truncate a region of");
        });
    }

    private Void rebuildIndexes(
            ObserverContext<MasterCoprocessorEnvironment> context, TableName table, String operation)
            throws IOException {
        Optional<TableDescriptor> base = tables.find(table);
        if (base.isPresent()) {
            DescriptorCheck.check(
                    base.get(), context.getEnvironment().getConfiguration()); // else they could not be rebuilt
            new RowReplacement(base.get(), operation)
                    .prepare(context.getEnvironment().getConnection(), tables::find);
        }
        return null;
    }

    /** Lets the clone have no indexes. */
    @Override
    public void preCloneSnapshot(
            ObserverContext<MasterCoprocessorEnvironment> context,
            SnapshotDescription snapshot,
            TableDescriptor descriptor)
            throws IOException {
        GuardedHook.run(() -> {
            SnapshotCheck.refuseIfOfAnIndex(descriptor, "clone");
            SnapshotCheck.removeIndexes(descriptor);
            return null;
        });
    }

    /**
     * Lets the indexes be rebuilt, and then checks again, since that takes a while. The table keeps the definitions that it has
     * now. HBase has no hook under the table's lock: if the master has begun a rebuild before the snapshot is restored, it finds
     * that the table's definitions are of other ids, and begins again.
     */
    @Override
    public void preRestoreSnapshot(
            ObserverContext<MasterCoprocessorEnvironment> context,
            SnapshotDescription snapshot,
            TableDescriptor descriptor)
            throws IOException {
        GuardedHook.run(() -> {
            SnapshotCheck.refuseIfOfAnIndex(descriptor, "restore");
            TableDescriptor current = operations.toRestore(descriptor.getTableName());
            PendingRebuilds.requireNone("restore a snapshot of", current, tables);
            if (IndexDefinitions.definesAny(current) || IndexDefinitions.definesAny(descriptor)) {
                TableDescriptor restored = SnapshotCheck.toRestore(
                        current,
                        descriptor,
                        tables::find,
                        context.getEnvironment().getConfiguration());
                Void unused = rebuildIndexes(context, current.getTableName(), "restore a snapshot of");
                SnapshotCheck.requireSameIndexes(operations.toRestore(current.getTableName()), restored, tables::find);
                SnapshotCheck.setIndexes(descriptor, restored);
            }
            return null;
        });
    }

    /**
     * Removes the spill and stamp files of a base table when the table of one of its indexes is about to be deleted and
     * it has no index any more. They are listed before the look at the table's descriptor: if an index is created after
     * that look, its files stay.
     */
    private void forgetSpilled(Configuration conf, TableName indexTable) throws IOException {
        Optional<TableName> base = tables.find(indexTable).flatMap(IndexDefinitions::baseTableOf);
        if (base.isPresent()) {
            TableFiles files = TableFiles.list(conf, base.get());
            if (tables.find(base.get()).filter(IndexDefinitions::definesAny).isEmpty()) {
                files.remove();
            }
        }
    }
}
