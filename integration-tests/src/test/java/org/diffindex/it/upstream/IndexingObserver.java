package org.diffindex.it.upstream;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexedDescriptors;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;

/**
 * Creates indexes on each family of every table of a client, compares them before the table is disabled, and drops them
 * before it is deleted, so that tests that know nothing of indexes can do both.
 */
public final class IndexingObserver implements MasterCoprocessor, MasterObserver {
    /**
     * How many families of a table have indexes, at least 1, divided by the number of their schemes: creating indexes
     * takes time.
     */
    private static final int FAMILIES = 3;

    @Override
    public Optional<MasterObserver> getMasterObserver() {
        return Optional.of(this);
    }

    @Override
    public TableDescriptor preCreateTableRegionsInfos(
            ObserverContext<MasterCoprocessorEnvironment> context, TableDescriptor table) throws IOException {
        Connection connection = context.getEnvironment().getConnection();
        try (Admin admin = connection.getAdmin()) {
            if (!isTableOfATest(table) || admin.tableExists(table.getTableName())) {
                return table;
            }
            TableDescriptor indexed = IndexedDescriptors.withIndexes(admin, table, indexesOf(table));
            IndexedTables.created(connection, table.getTableName());
            return indexed;
        }
    }

    private static boolean isTableOfATest(TableDescriptor table) {
        return !table.getTableName().getNamespaceAsString().equals(NamespaceDescriptor.SYSTEM_NAMESPACE_NAME_STR)
                && !IndexDefinitions.definesAny(table)
                && IndexDefinitions.baseTableOf(table).isEmpty()
                && table.getColumnFamilyCount() > 0;
    }

    /** Returns the indexes of the running test class, on each of the first families, with each of the next schemes. */
    private static List<IndexDefinition> indexesOf(TableDescriptor table) {
        List<IndexScheme> schemes = HBaseTestRun.nextSchemes();
        int families = Math.max(1, FAMILIES / schemes.size());
        List<IndexDefinition> indexes = new ArrayList<>();
        for (ColumnFamilyDescriptor family :
                List.of(table.getColumnFamilies()).subList(0, Math.min(families, table.getColumnFamilyCount()))) {
            for (List<byte[]> qualifiers : HBaseTestRun.running().qualifiers()) {
                for (IndexScheme scheme : schemes) {
                    IndexDefinition.Builder index = IndexDefinition.builder(table.getTableName(), "i" + indexes.size())
                            .scheme(scheme);
                    qualifiers.forEach(qualifier ->
                            index.column(IndexedColumn.of(family.getName(), qualifier, ColumnTypes.BYTES)));
                    indexes.add(index.build());
                }
            }
        }
        return indexes;
    }

    @Override
    public void preDisableTable(ObserverContext<MasterCoprocessorEnvironment> context, TableName table) {
        IndexedTables.compare(table);
    }

    @Override
    public void preDeleteTable(ObserverContext<MasterCoprocessorEnvironment> context, TableName table)
            throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(context.getEnvironment().getConnection())) {
            for (IndexDefinition index : admin.listIndexes(table)) {
                admin.dropIndex(table, index.name());
            }
        }
        IndexedTables.deleted(table);
    }

    /** Hides index tables from clients that list tables, to count or to delete them. */
    @Override
    public void postGetTableDescriptors(
            ObserverContext<MasterCoprocessorEnvironment> context,
            List<TableName> names,
            List<TableDescriptor> descriptors,
            String regex) {
        if (names == null || names.isEmpty()) {
            hideIndexTables(descriptors);
        }
    }

    @Override
    public void postGetTableNames(
            ObserverContext<MasterCoprocessorEnvironment> context, List<TableDescriptor> descriptors, String regex) {
        hideIndexTables(descriptors);
    }

    private static void hideIndexTables(List<TableDescriptor> descriptors) {
        descriptors.removeIf(
                descriptor -> IndexDefinitions.baseTableOf(descriptor).isPresent());
    }
}
