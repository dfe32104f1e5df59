package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.diffindex.tasks.IndexStates;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.TaskPool;

/**
 * Prepares the indexes of a base table for an operation that replaces rows without passing by the indexes: a truncation, or
 * the restoring of a snapshot. Orders that each index be {@linkplain Rebuild rebuilt}, so that no reader is answered from
 * before the operation until the master has emptied and built the index. If the operation does not take place after all, the
 * index is rebuilt in vain. An index that is DISABLED or DROPPING needs no order: nobody reads it, and it is emptied when it is
 * enabled.
 *
 * <p>Waits for the locks of the index tables only, and so may run while HBase holds that of the base table. Acts as the
 * server, on threads of its own: the user who truncates the table needs no permission on its indexes.
 */
final class RowReplacement {
    private static final int AT_A_TIME = 8;

    private final TableDescriptor base;
    private final String operation;

    /**
     * Creates the preparation of an operation.
     *
     * @param base the base table's present descriptor
     * @param operation what the operation does, for a message, such as "truncate"
     */
    RowReplacement(TableDescriptor base, String operation) {
        this.base = base;
        this.operation = operation;
    }

    /**
     * Orders the rebuilds; returns when every region of every index refuses readers.
     *
     * @param connection the master's own
     * @throws DoNotRetryIOException if that failed for one of the indexes; the message says what is true now
     */
    void prepare(Connection connection, DefinitionChange.Tables tables) throws IOException {
        List<TaskPool.Task> orders = new ArrayList<>();
        IndexDefinitions.texts(base).forEach((index, definition) -> {
            TableName indexTable = IndexDefinition.indexTable(base.getTableName(), index);
            orders.add(() -> order(
                    connection,
                    () -> tables.find(indexTable).filter(own -> isReadOrBuilt(own, base.getTableName())),
                    () -> present(tables, index).orElse(definition)));
        });
        if (!orders.isEmpty()) {
            new TaskPool("diffindex-rebuild-orders", AT_A_TIME).run(orders, done -> {});
        }
    }

    /** Returns the definition of an index as the base table has it now, or else the index table keeps it. */
    private Optional<String> present(DefinitionChange.Tables tables, String index) throws IOException {
        TableName name = base.getTableName();
        Optional<String> defined =
                tables.find(name).map(now -> IndexDefinitions.texts(now).get(index));
        return defined.isPresent()
                ? defined
                : tables.find(IndexDefinition.indexTable(name, index)).flatMap(IndexDefinitions::keptIn);
    }

    /** Returns whether a table is that of an index of a base table which is read, or is built. */
    static boolean isReadOrBuilt(TableDescriptor own, TableName base) {
        IndexState state = IndexDefinitions.stateOf(own);
        return IndexDefinitions.baseTableOf(own).equals(Optional.of(base))
                && (state.isReadable() || state.isIncomplete());
    }

    /** The table of an index that is read or built; empty if it is not, or is being truncated because it is to be rebuilt. */
    @FunctionalInterface
    private interface OwnTable {
        Optional<TableDescriptor> find() throws IOException;
    }

    /** Orders the rebuild of an index; repeats that as often as others change the table, such as a rebuild that has begun. */
    private void order(Connection connection, OwnTable table, IndexStates.Definition definition) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            Optional<TableDescriptor> own = table.find();
            while (own.isPresent()
                    && !IndexStates.rebuild(
                            admin, own.get().getTableName(), IndexDefinitions.indexIdOf(own.get()), definition)) {
                own = table.find();
            }
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Cannot " + operation + " " + base.getTableName()
                            + ", no row was changed: its indexes have to be rebuilt,"
                            + " and the table of one could not be marked: " + Messages.of(e)
                            + ". If a region of that table"
                            + " cannot be opened, repair it, or drop the index, then try again. The master rebuilds the"
                            + " indexes that are marked already, in vain",
                    e);
        }
    }
}
