package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates one index in steps: checks that it can be created; creates the index table, BUILDING; enters the definition,
 * so that every write is indexed from then on; backfills the rows written before; makes the index ACTIVE. The error of each step says what is true after it. A creation that was interrupted after the definition was
 * entered resumes with the last two steps; one that was interrupted before starts over.
 */
final class IndexCreation {
    private static final Logger LOG = LoggerFactory.getLogger(IndexCreation.class);

    private final Connection connection;
    private final Admin admin;
    private final Configuration configuration;

    /** The definition to be entered, with the id of a new index. */
    private final IndexDefinition definition;

    private final TableName table;
    private final TableName indexTable;

    IndexCreation(Connection connection, Admin admin, IndexDefinition definition) {
        this.connection = connection;
        this.admin = admin;
        this.configuration = connection.getConfiguration();
        this.definition = definition.withId(UUID.randomUUID().toString());
        this.table = definition.table();
        this.indexTable = definition.indexTable();
    }

    void run(BackfillListener progress) throws IOException {
        TableDescriptor base = check();
        Optional<IndexDefinition> begun = begun(base);
        if (begun.isPresent()) {
            requireOwnTable(begun.get());
            progress.continued(begun.get());
        } else {
            clearPlace();
            makeIndexTable(base);
            enterDefinition(base);
        }
        new IndexCompletion(connection, admin, begun.orElse(definition)).run(progress);
    }

    /** Checks everything that can be wrong before anything is changed. */
    private TableDescriptor check() throws IOException {
        if (table.isSystemTable()) {
            throw CreationChecks.refusal(table + " is one of HBase's own tables and cannot be indexed");
        }
        TableDescriptor base = Descriptors.of(admin, table);
        Optional<TableName> baseOfBase = IndexDefinitions.baseTableOf(base);
        if (baseOfBase.isPresent()) {
            throw CreationChecks.refusal(
                    table + " is itself an index table, of " + baseOfBase.get() + ", and cannot be indexed");
        }
        CreationChecks.checkFamilies(definition, base);
        CreationChecks.checkSplitPoints(definition);
        if (!admin.isTableEnabled(table)) {
            throw new TableNotEnabledException(
                    "Table " + table + " is disabled, and an index is backfilled through its regions; enable it first."
                            + " Nothing was changed");
        }
        ColumnTypeCheck.check(connection, admin, List.of(definition));
        return base;
    }

    /** Returns the index that an interrupted creation has entered; empty if there is none of the name. */
    private Optional<IndexDefinition> begun(TableDescriptor base) throws IOException {
        IndexDefinition existing = Descriptors.definitions(base).get(definition.name());
        if (existing == null) {
            return Optional.empty();
        }
        Optional<IndexState> state = Descriptors.stateOf(admin, indexTable);
        boolean mayBeBuilding = state.isEmpty() || state.get() == IndexState.BUILDING;
        if (state.equals(Optional.of(IndexState.DROPPING))) {
            throw new IndexExistsException("Index " + definition.name() + " of " + table
                    + " is being dropped, or its drop was interrupted: every write still maintains it, but it cannot be"
                    + " read any more. Drop it again, then create it. Nothing was changed");
        }
        if (mayBeBuilding && existing.equals(definition.withId(existing.id()))) {
            return Optional.of(existing);
        }
        throw new IndexExistsException("There is already an index " + existing
                + state.map(known -> ", which is " + known).orElse(", whose state this user may not see") + "; "
                + (mayBeBuilding
                        ? "if it is BUILDING, to resume its creation, give the same columns, scheme and split points; otherwise "
                        : "")
                + "drop it first, or choose another name. Nothing was changed");
    }

    /** Refuses to backfill a table that belongs to another index than the one that is BUILDING. */
    private void requireOwnTable(IndexDefinition begun) throws IOException {
        if (!isTableOf(begun)) {
            throw CreationChecks.refusal("Index " + begun.name() + " of " + table + " is BUILDING, but " + indexTable
                    + " is not its table; " + IndexCompletion.dropping(begun));
        }
    }

    private boolean isTableOf(IndexDefinition index) throws IOException {
        return Descriptors.find(admin, indexTable)
                .filter(found -> IndexDefinitions.indexIdOf(found).equals(index.id()))
                .isPresent();
    }

    /**
     * Deletes the table left by an interrupted creation or removal: the table of an index that the base table does not
     * define.
     */
    private void clearPlace() throws IOException {
        Optional<TableDescriptor> found = Descriptors.find(admin, indexTable);
        if (found.isEmpty()) {
            return;
        }
        if (found.flatMap(IndexDefinitions::baseTableOf).filter(table::equals).isEmpty()) {
            throw new IndexExistsException(
                    "Table " + indexTable + ", the place of the index, already exists and does not belong to an index"
                            + " of " + table + "; choose another name. Nothing was changed");
        }
        LOG.info("Deleting {}, the remains of an index that {} does not define", indexTable, table);
        try {
            deletion(IndexDefinitions.indexIdOf(found.get())).run();
        } catch (IndexExistsException e) {
            throw e;
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be created: deleting " + indexTable
                            + ", the remains of an index, failed: " + e.getMessage() + ". Table " + table
                            + " is unchanged; remove the cause and create the index again",
                    e);
        }
    }

    /** Returns the deletion of the index table while it is that of the index with this id. */
    private IndexTableDeletion deletion(String id) {
        return new IndexTableDeletion(admin, table, definition.name(), indexTable, id);
    }

    private void makeIndexTable(TableDescriptor base) throws IOException {
        TableDescriptor descriptor = layout(base);
        try {
            Descriptors.create(admin, descriptor, definition.splitPoints());
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be created: creating its table "
                            + indexTable + " failed: " + e.getMessage() + ". Table " + table
                            + " is unchanged; remove the cause and create the index again",
                    e);
        }
    }

    /**
     * Enters the definition; returns when every region of the base table has been opened with it. Repeats that as often
     * as other clients change the table.
     *
     * @param base the base table's descriptor from which the index table was made
     */
    private void enterDefinition(TableDescriptor base) throws IOException {
        try {
            while (!isEntered(base)) {
                LOG.info("Table {} was changed by another client; {} is entered after that", table, definition);
            }
        } catch (TableNotFoundException e) {
            throw undone() ? e : leftBehind(e);
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be created: " + e.getMessage() + ". "
                            + (undone()
                                    ? "Nothing was changed"
                                    : "It may be BUILDING now; create it again with the same definition to resume"),
                    e);
        }
    }

    /** Returns the failure of a creation whose base table was deleted, but not the table of the index. */
    private IOException leftBehind(TableNotFoundException deleted) {
        return new DoNotRetryIOException(
                "Index " + definition.name() + " could not be created: table " + table
                        + " was deleted by another client. Its table " + indexTable
                        + " may be left; disable and delete it in hbase shell",
                deleted);
    }

    /**
     * Enters the definition into the base table as it is now; returns false if another client has changed the table's
     * descriptor at the same time.
     */
    private boolean isEntered(TableDescriptor base) throws IOException {
        TableDescriptor current = Descriptors.of(admin, table);
        requireFitting(base, current);
        TableDescriptor observed = Coprocessors.withObserver(current, configuration);
        return Descriptors.replace(
                admin, current, () -> admin.modifyTable(IndexDefinitions.with(observed, definition)));
    }

    /** Requires that the index table, made from an earlier descriptor of the base table, fits the current one. */
    private void requireFitting(TableDescriptor base, TableDescriptor current) throws IOException {
        boolean hasFamilies =
                definition.readColumns().stream().allMatch(column -> current.hasColumnFamily(column.family()));
        if (hasFamilies && !layout(current).equals(layout(base))) {
            throw new DoNotRetryIOException("another client changed the TTL, the encryption or the storage policy of a"
                    + " column family of the index after its table " + indexTable
                    + " was made; create the index again");
        }
    }

    private TableDescriptor layout(TableDescriptor base) throws IOException {
        return IndexTableLayout.of(definition, IndexState.BUILDING, base, configuration);
    }

    /**
     * Deletes the index table again if the definition was not entered; returns whether the definition was not entered
     * and the table is gone. The table of a concurrent creation of the same name stays.
     */
    private boolean undone() {
        try {
            Optional<TableDescriptor> base = Descriptors.find(admin, table);
            if (base.isPresent() && Descriptors.definitions(base.get()).containsKey(definition.name())) {
                return false;
            }
            if (isTableOf(definition)) {
                deletion(definition.id()).run();
            }
            return true;
        } catch (IOException e) {
            LOG.warn("The remains of the failed creation of index {} on {} could not be removed", definition, table, e);
            return false;
        }
    }
}
