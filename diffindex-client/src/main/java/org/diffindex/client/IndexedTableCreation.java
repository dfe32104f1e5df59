package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a table together with its indexes: first the index tables, then the base table with its definitions, ACTIVE
 * from its first row on, so that there is nothing to backfill and no region is reopened.
 */
final class IndexedTableCreation {
    private static final Logger LOG = LoggerFactory.getLogger(IndexedTableCreation.class);

    private final Connection connection;
    private final Admin admin;
    private final TableDescriptor base;
    private final byte[][] splitKeys;
    private final List<IndexDefinition> definitions;
    private final List<TableName> made = new ArrayList<>();

    IndexedTableCreation(
            Connection connection,
            Admin admin,
            TableDescriptor base,
            byte[][] splitKeys,
            List<IndexDefinition> definitions) {
        this.connection = connection;
        this.admin = admin;
        this.base = base;
        this.splitKeys = splitKeys;
        this.definitions = definitions.stream()
                .map(definition -> definition
                        .withState(IndexState.ACTIVE)
                        .withId(UUID.randomUUID().toString()))
                .toList();
    }

    void run() throws IOException {
        check();
        boolean done = false;
        try {
            create();
            done = true;
        } finally {
            if (!done) {
                removeWhatWasMade();
            }
        }
    }

    private void check() throws IOException {
        List<TableName> names = new ArrayList<>(List.of(base.getTableName()));
        for (IndexDefinition definition : definitions) {
            if (!definition.table().equals(base.getTableName())) {
                throw CreationChecks.refusal("Index " + definition.name() + " is defined on " + definition.table()
                        + ", not on " + base.getTableName());
            }
            CreationChecks.checkFamilies(definition, base);
            CreationChecks.checkSplitPoints(definition);
            names.add(definition.indexTable());
        }
        if (names.stream().distinct().count() < names.size()) {
            throw CreationChecks.refusal("Two of the indexes of " + base.getTableName() + " have the same name");
        }
        for (TableName name : names) {
            if (admin.tableExists(name)) {
                throw new TableExistsException("Table " + name + " already exists. Nothing was changed");
            }
        }
        ColumnTypeCheck.check(connection, admin, definitions);
    }

    private void create() throws IOException {
        TableDescriptor indexed =
                definitions.isEmpty() ? base : Coprocessors.withObserver(base, admin.getConfiguration());
        for (IndexDefinition definition : definitions) {
            createTable(IndexTableLayout.of(definition, base, admin.getConfiguration()), definition.splitPoints());
            indexed = IndexDefinitions.with(indexed, definition);
        }
        createTable(indexed, splitKeys);
    }

    private void createTable(TableDescriptor descriptor, byte[][] splits) throws IOException {
        Descriptors.create(admin, descriptor, splits);
        made.add(descriptor.getTableName());
    }

    private void removeWhatWasMade() {
        for (TableName name : made) {
            try {
                IndexRemoval.deleteTable(admin, name);
            } catch (IOException e) {
                LOG.warn("Table {}, created for {}, whose creation failed, could not be deleted", name, base, e);
            }
        }
    }
}
