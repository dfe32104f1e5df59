package org.diffindex.client;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps that make one index: look whether it can be made; make the index table; enter the definition as BUILDING, so
 * that every write is indexed from then on; fill in the rows that were there before; turn the definition ACTIVE. Each
 * step's error says what is true after it.
 */
final class IndexCreation {
    private static final Logger LOG = LoggerFactory.getLogger(IndexCreation.class);

    private final Connection connection;
    private final Admin admin;
    private final Configuration configuration;
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
        makeIndexTable(base);
        enterDefinition();
        try {
            fill(progress);
            activate();
        } catch (IOException | RuntimeException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be filled: " + e.getMessage()
                            + ". It is BUILDING now: kept by every write, but not readable; " + startOver(),
                    e);
        }
    }

    private String startOver() {
        return "drop index " + definition.name() + " of " + table + " and create it again";
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
        Map<String, IndexDefinition> existing = Descriptors.definitions(base);
        if (existing.containsKey(definition.name())) {
            throw new IndexExistsException("There is already an index " + existing.get(definition.name())
                    + "; drop it first, or choose another name. Nothing was changed");
        }
        if (admin.tableExists(indexTable)) {
            throw new IndexExistsException("Table " + indexTable + ", which is to hold the index, is already there; if"
                    + " it is left of an earlier index, " + startOver() + "; else choose another name. Nothing was"
                    + " changed");
        }
        if (!admin.isTableEnabled(table)) {
            throw new TableNotEnabledException(
                    "Table " + table + " is disabled, and an index is filled through its regions; enable it first."
                            + " Nothing was changed");
        }
        return base;
    }

    private void makeIndexTable(TableDescriptor base) throws IOException {
        TableDescriptor descriptor = IndexTableLayout.of(definition, base, configuration);
        try {
            Descriptors.create(admin, descriptor, definition.splitPoints());
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be made: its table " + indexTable
                            + " could not be created: " + e.getMessage() + ". Table " + table
                            + " is as it was; mend the cause and create the index again; if " + indexTable
                            + " should be there by then, drop the index first",
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
                            + (undone() ? "Nothing was changed" : "It may be BUILDING now; " + startOver()),
                    e);
        }
    }

    /** Removes the index table again if the definition was not entered; whether that is so, and was done. */
    private boolean undone() {
        try {
            if (Descriptors.definitions(admin, table).containsKey(definition.name())) {
                return false;
            }
            IndexRemoval.deleteTable(admin, indexTable);
            return true;
        } catch (IOException e) {
            LOG.warn("What a failed creation of index {} on {} has left could not be removed", definition, table, e);
            return false;
        }
    }

    private void fill(FillListener progress) throws IOException {
        if (!isEmpty()) {
            new IndexRegions(connection, table).fill(definition.name(), progress);
        }
    }

    private boolean isEmpty() throws IOException {
        Scan firstRow = new Scan().setLimit(1).setFilter(new FirstKeyOnlyFilter());
        try (Table base = connection.getTable(table);
                ResultScanner rows = base.getScanner(firstRow)) {
            return rows.next() == null;
        }
    }

    private void activate() throws IOException {
        TableDescriptor current = Descriptors.of(admin, table);
        IndexDefinition entered = Descriptors.definitions(current).get(definition.name());
        if (!definition.equals(entered)) {
            throw new IOException("its definition was changed or removed meanwhile: " + entered);
        }
        admin.modifyTable(IndexDefinitions.with(current, definition.withState(IndexState.ACTIVE)));
    }
}
