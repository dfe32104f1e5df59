package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.tasks.DescriptorChange;
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
                .map(definition -> definition.withId(UUID.randomUUID().toString()))
                .toList();
    }

    void run() throws IOException {
        check();
        TableDescriptor indexed;
        try {
            indexed = createIndexTables();
        } catch (IOException | RuntimeException e) {
            removeIndexTables();
            throw e;
        }
        createBase(indexed);
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
                throw new TableExistsException(
                        "Table " + name + " already exists" + remainsIn(name) + ". Nothing was changed");
            }
        }
        ColumnTypeCheck.check(connection, admin, definitions);
    }

    /** Returns, for a message, what to do about a table that an interrupted creation of the base table has left. */
    private String remainsIn(TableName existing) throws IOException {
        return definitions.stream()
                                .anyMatch(definition -> definition.indexTable().equals(existing))
                        && IndexDefinitions.baseTableOf(Descriptors.of(admin, existing))
                                .equals(Optional.of(base.getTableName()))
                ? "; unless another client is creating " + base.getTableName() + ", it is left by an interrupted"
                        + " creation: drop its index, which deletes it"
                : "";
    }

    /** Creates the index tables; returns the descriptor of the base table with their definitions. */
    private TableDescriptor createIndexTables() throws IOException {
        TableDescriptor indexed =
                definitions.isEmpty() ? base : Coprocessors.withObserver(base, admin.getConfiguration());
        for (IndexDefinition definition : definitions) {
            TableDescriptor layout = IndexTableLayout.of(definition, IndexState.ACTIVE, base, admin.getConfiguration());
            Descriptors.create(admin, layout, definition.splitPoints());
            indexed = IndexDefinitions.with(indexed, definition);
        }
        return indexed;
    }

    /** Creates the base table. If it may still come into being after a failure, its indexes need their tables. */
    private void createBase(TableDescriptor indexed) throws IOException {
        try {
            Descriptors.create(admin, indexed, splitKeys);
        } catch (DoNotRetryIOException | RuntimeException e) {
            removeIndexTables();
            throw e;
        } catch (IOException e) {
            throw definitions.isEmpty() ? e : outcomeUnknown(e);
        }
    }

    private DoNotRetryIOException outcomeUnknown(IOException failure) {
        List<String> names = definitions.stream().map(IndexDefinition::name).toList();
        return new DoNotRetryIOException(
                "It is not known whether table " + base.getTableName() + " is being created: " + failure.getMessage()
                        + ". The tables of its indexes " + names + " were created and left. If HBase creates the table,"
                        + " these indexes are ACTIVE; if the table does not exist after some minutes, drop them, and"
                        + " create it again",
                failure);
    }

    /** Deletes the index tables that this creation has made, known by the ids of their indexes. */
    private void removeIndexTables() {
        for (IndexDefinition definition : definitions) {
            try {
                if (isMade(definition)) {
                    leftOver(definition).delete();
                }
            } catch (IOException e) {
                LOG.warn(
                        "Table {}, created for {}, whose creation failed, could not be deleted",
                        definition.indexTable(),
                        definition.table(),
                        e);
            }
        }
    }

    private LeftOverTable leftOver(IndexDefinition definition) {
        return new LeftOverTable(
                admin, definition.table(), definition.name(), definition.indexTable(), definition.id());
    }

    private boolean isMade(IndexDefinition definition) throws IOException {
        return DescriptorChange.find(admin, definition.indexTable())
                .filter(found -> IndexDefinitions.indexIdOf(found).equals(definition.id()))
                .isPresent();
    }
}
