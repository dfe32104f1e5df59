package org.diffindex.server;

import com.google.protobuf.Service;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.server.spill.SpillFiles;
import org.diffindex.server.spill.StampFiles;

/**
 * The coprocessor of the master: refuses definitions that are not valid, and changes to tables that would leave an index
 * without its base, or a base without its index. Everything is refused before anything is changed. Tells what the master runs
 * and is set to.
 */
public final class IndexMasterObserver implements MasterCoprocessor, MasterObserver {
    private volatile Inspection inspection;

    @Override
    public Iterable<Service> getServices() {
        return Set.of(new InspectionEndpoint(() -> inspection));
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) {
        MasterCoprocessorEnvironment master = (MasterCoprocessorEnvironment) env;
        inspection = new Inspection(master.getServerName(), master.getConfiguration(), List.of());
    }

    @Override
    public Optional<MasterObserver> getMasterObserver() {
        return Optional.of(this);
    }

    @Override
    public void preCreateTable(
            ObserverContext<MasterCoprocessorEnvironment> context, TableDescriptor descriptor, RegionInfo[] regions)
            throws IOException {
        DefinitionCheck.check(descriptor, context.getEnvironment().getConfiguration());
    }

    @Override
    public TableDescriptor preModifyTable(
            ObserverContext<MasterCoprocessorEnvironment> context,
            TableName table,
            TableDescriptor current,
            TableDescriptor changed)
            throws IOException {
        DefinitionCheck.check(changed, context.getEnvironment().getConfiguration());
        DefinitionCheck.checkChange(current, changed);
        return changed;
    }

    @Override
    public void preDeleteTable(ObserverContext<MasterCoprocessorEnvironment> context, TableName table)
            throws IOException {
        refuseIfIndexed(context, table, "delete");
        refuseIfIndexTable(context, table, "delete");
        forgetSpilled(context, table);
    }

    @Override
    public void preTruncateTable(ObserverContext<MasterCoprocessorEnvironment> context, TableName table)
            throws IOException {
        refuseIfIndexed(context, table, "truncate");
        refuseIfIndexTable(context, table, "truncate");
    }

    @Override
    public void preCloneSnapshot(
            ObserverContext<MasterCoprocessorEnvironment> context,
            SnapshotDescription snapshot,
            TableDescriptor descriptor)
            throws IOException {
        refuseSnapshot(descriptor, "clone");
    }

    @Override
    public void preRestoreSnapshot(
            ObserverContext<MasterCoprocessorEnvironment> context,
            SnapshotDescription snapshot,
            TableDescriptor descriptor)
            throws IOException {
        refuseSnapshot(descriptor, "restore");
    }

    private static void refuseSnapshot(TableDescriptor descriptor, String verb) throws IOException {
        if (!IndexDefinitions.of(descriptor).isEmpty()
                || IndexDefinitions.baseTableOf(descriptor).isPresent()) {
            throw new DoNotRetryIOException(
                    "Cannot " + verb + " this snapshot, nothing was changed: it is of a table with"
                            + " indexes, whose entries a snapshot of one table does not hold [table="
                            + descriptor.getTableName() + "]. Drop the indexes, take the snapshot, create them again");
        }
    }

    private static void refuseIfIndexed(
            ObserverContext<MasterCoprocessorEnvironment> context, TableName table, String verb) throws IOException {
        Map<String, IndexDefinition> definitions = IndexDefinitions.of(descriptorOf(context, table));
        if (!definitions.isEmpty()) {
            throw new DoNotRetryIOException("Cannot " + verb + " " + table
                    + ", nothing was changed: it has the indexes " + definitions.keySet() + "; drop them first");
        }
    }

    private static void refuseIfIndexTable(
            ObserverContext<MasterCoprocessorEnvironment> context, TableName table, String verb) throws IOException {
        Optional<TableName> base = IndexDefinitions.baseTableOf(descriptorOf(context, table));
        if (base.isEmpty()) {
            return;
        }
        try (Admin admin = context.getEnvironment().getConnection().getAdmin()) {
            if (admin.tableExists(base.get())) {
                for (IndexDefinition definition :
                        IndexDefinitions.of(admin.getDescriptor(base.get())).values()) {
                    if (definition.indexTable().equals(table)) {
                        throw new DoNotRetryIOException("Cannot " + verb + " " + table + ", nothing was changed: it is"
                                + " the table of index " + definition.name() + " on " + base.get()
                                + "; drop the index instead");
                    }
                }
            }
        }
    }

    /** With the last index of a base table goes what its servers had kept on disk for it. */
    private static void forgetSpilled(ObserverContext<MasterCoprocessorEnvironment> context, TableName indexTable)
            throws IOException {
        Optional<TableName> base = IndexDefinitions.baseTableOf(descriptorOf(context, indexTable));
        if (base.isEmpty()) {
            return;
        }
        try (Admin admin = context.getEnvironment().getConnection().getAdmin()) {
            if (!admin.tableExists(base.get())
                    || IndexDefinitions.of(admin.getDescriptor(base.get())).isEmpty()) {
                SpillFiles.removeAll(context.getEnvironment().getConfiguration(), base.get());
                StampFiles.removeAll(context.getEnvironment().getConfiguration(), base.get());
            }
        }
    }

    private static TableDescriptor descriptorOf(ObserverContext<MasterCoprocessorEnvironment> context, TableName table)
            throws IOException {
        try (Admin admin = context.getEnvironment().getConnection().getAdmin()) {
            return admin.getDescriptor(table);
        }
    }
}
