package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps that make one index: look whether it can be made; make the index table; enter the definition as BUILDING, so
 * that every write is indexed from then on; fill in the rows that were there before; turn the definition ACTIVE. Each
 * step's error says what is true after it. A creation that was interrupted after the definition was entered goes on with
 * the last two steps; one that was interrupted before begins anew.
 */
final class IndexCreation {
    private static final Logger LOG = LoggerFactory.getLogger(IndexCreation.class);

    private final Connection connection;
    private final Admin admin;
    private final Configuration configuration;

    /** What is to be made; its id is that of a new index. */
    private final IndexDefinition definition;

    private final TableName table;
    private final TableName indexTable;

    IndexCreation(Connection connection, Admin admin, IndexDefinition definition) {
        this.connection = connection;
        this.admin = admin;
        this.configuration = connection.getConfiguration();
        this.definition = definition
                .withState(IndexState.BUILDING)
                .withId(UUID.randomUUID().toString());
        this.table = definition.table();
        this.indexTable = definition.indexTable();
    }

    void run(FillListener progress) throws IOException {
        TableDescriptor base = check();
        Optional<IndexDefinition> begun = begun(base);
        if (begun.isPresent()) {
            requireOwnTable(begun.get());
            progress.continued(begun.get());
        } else {
            clearPlace();
            makeIndexTable(base);
            enterDefinition();
        }
        new IndexCompletion(connection, admin, begun.orElse(definition)).run(progress);
    }

    /** Looks at everything that can be wrong before anything is changed. */
    private TableDescriptor check() throws IOException {
        if (table.isSystemTable()) {
            throw DefinitionChecks.refusal(table + " is one of HBase's own tables and cannot be indexed");
        }
        TableDescriptor base = Descriptors.of(admin, table);
        Optional<TableName> baseOfBase = IndexDefinitions.baseTableOf(base);
        if (baseOfBase.isPresent()) {
            throw DefinitionChecks.refusal(
                    table + " is itself an index table, of " + baseOfBase.get() + ", and cannot be indexed");
        }
        DefinitionChecks.checkFamilies(definition, base);
        DefinitionChecks.checkSplitPoints(definition);
        if (!admin.isTableEnabled(table)) {
            throw new TableNotEnabledException(
                    "Table " + table + " is disabled, and an index is filled through its regions; enable it first."
                            + " Nothing was changed");
        }
        ColumnTypeCheck.check(connection, admin, List.of(definition));
        return base;
    }

    /** The index as an interrupted creation entered it; empty if there is none of the name. */
    private Optional<IndexDefinition> begun(TableDescriptor base) throws IOException {
        IndexDefinition existing = Descriptors.definitions(base).get(definition.name());
        if (existing == null) {
            return Optional.empty();
        }
        if (existing.equals(definition.withId(existing.id()))) {
            return Optional.of(existing);
        }
        throw new IndexExistsException("There is already an index " + existing + "; "
                + (existing.state() == IndexState.BUILDING
                        ? "to go on with its creation give the same columns, scheme and split points; else "
                        : "")
                + "drop it first, or choose another name. Nothing was changed");
    }

    /** Refuses to fill the table of another index than the one that is BUILDING. */
    private void requireOwnTable(IndexDefinition begun) throws IOException {
        if (!admin.tableExists(indexTable)
                || !IndexDefinitions.indexIdOf(Descriptors.of(admin, indexTable))
                        .equals(begun.id())) {
            throw DefinitionChecks.refusal("Index " + begun.name() + " of " + table + " is BUILDING, but " + indexTable
                    + " is not its table; " + IndexCompletion.dropping(begun));
        }
    }

    /**
     * Removes the table that an interrupted creation or removal has left: that of an index of this table which the table
     * does not define.
     */
    private void clearPlace() throws IOException {
        if (!admin.tableExists(indexTable)) {
            return;
        }
        Optional<TableName> baseOfTable = IndexDefinitions.baseTableOf(Descriptors.of(admin, indexTable));
        if (baseOfTable.filter(table::equals).isEmpty()) {
            throw new IndexExistsException(
                    "Table " + indexTable + ", which is to hold the index, is already there, and is"
                            + " none of an index of " + table + "; choose another name. Nothing was changed");
        }
        LOG.info("Removing {}, which is left of an index that {} does not define", indexTable, table);
        IndexRemoval.deleteTable(admin, indexTable);
    }

    private void makeIndexTable(TableDescriptor base) throws IOException {
        TableDescriptor descriptor = IndexTableLayout.of(definition, base, configuration);
        try {
            Descriptors.create(admin, descriptor, definition.splitPoints());
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be made: its table " + indexTable
                            + " could not be created: " + e.getMessage() + ". Table " + table
                            + " is as it was; mend the cause and create the index again",
                    e);
        }
    }

    /** Enters the definition; returns when each region of the base table has been opened with it. */
    private void enterDefinition() throws IOException {
        try {
            TableDescriptor current = Descriptors.of(admin, table);
            admin.modifyTable(IndexDefinitions.with(Coprocessors.withObserver(current, configuration), definition));
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be made: " + e.getMessage() + ". "
                            + (undone()
                                    ? "Nothing was changed"
                                    : "It may be BUILDING now; create it again with the same definition to go on"),
                    e);
        }
    }

    /**
     * Removes the index table again if the definition was not entered; whether that is so, and was done. Another creation of
     * the name may have taken its place; that one's table stays.
     */
    private boolean undone() {
        try {
            if (Descriptors.definitions(admin, table).containsKey(definition.name())) {
                return false;
            }
            if (admin.tableExists(indexTable)
                    && IndexDefinitions.indexIdOf(Descriptors.of(admin, indexTable))
                            .equals(definition.id())) {
                IndexRemoval.deleteTable(admin, indexTable);
            }
            return true;
        } catch (IOException e) {
            LOG.warn("What a failed creation of index {} on {} has left could not be removed", definition, table, e);
            return false;
        }
    }
}
