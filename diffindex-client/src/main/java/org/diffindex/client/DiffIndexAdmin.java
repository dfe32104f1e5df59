package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;

/**
 * Makes, drops, lists and watches indexes.
 *
 * <pre>{@code
 * try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
 *     admin.createIndex(IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
 *             .column("f", "origin", ColumnTypes.STRING)
 *             .scheme(IndexScheme.SYNC_INSERT)
 *             .build());
 * }
 * }</pre>
 *
 * <p>Each operation is one HBase table operation or a few, as the calling user, and returns when it is done. Of two operations
 * that change the indexes of one table at the same time one may fail with an error that says what is true then; neither undoes
 * the other. Safe for use by many threads.
 */
public final class DiffIndexAdmin implements Closeable {
    private final Connection connection;
    private final Admin admin;

    /** An admin that works through a connection, which it does not close. */
    public DiffIndexAdmin(Connection connection) throws IOException {
        this.connection = connection;
        this.admin = connection.getAdmin();
    }

    /** As {@link #createIndex(IndexDefinition, FillListener)}, with nobody listening. */
    public void createIndex(IndexDefinition definition) throws IOException {
        createIndex(definition, FillListener.NONE);
    }

    /**
     * Makes an index and fills it with the rows that are there, while writers may write on; when it returns the index is
     * ACTIVE. The state of the given definition does not matter.
     *
     * <p>If an index of the same name, columns, scheme and split points is BUILDING, since an earlier creation was interrupted,
     * goes on with it: all rows are filled, for those that were filled before it changes nothing.
     *
     * <p>No call to a server fills more than {@code diffindex.client.fill.rows} rows or reads for longer than a quarter of
     * {@code hbase.rpc.timeout}. A call that fails is tried again for {@code diffindex.client.fill.retry.ms}.
     *
     * <p>The message of an error says what is true after it: nothing was changed, or the index is BUILDING, and can be
     * created again to go on, or dropped.
     *
     * @throws org.apache.hadoop.hbase.TableNotFoundException if there is no such base table
     * @throws org.apache.hadoop.hbase.TableNotEnabledException if the base table is disabled
     * @throws IndexExistsException if there is an index of that name, or a table where the index's is to be
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the definition does not fit the table, or a step failed
     */
    public void createIndex(IndexDefinition definition, FillListener progress) throws IOException {
        new IndexCreation(connection, admin, definition).run(progress);
    }

    /**
     * Makes a table together with its indexes, which are ACTIVE from its first row on. Quicker than making the indexes
     * afterwards: there is nothing to fill, and no region is reopened.
     *
     * @param table the base table's descriptor, without indexes
     * @param splitKeys where to split the base table; empty for one region
     * @param indexes what indexes it has; the state of the given definitions does not matter
     * @throws org.apache.hadoop.hbase.TableExistsException if the table, or one for an index, is already there
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if a definition does not fit the table; nothing was changed
     */
    public void createTable(TableDescriptor table, byte[][] splitKeys, IndexDefinition... indexes) throws IOException {
        new IndexedTableCreation(connection, admin, table, splitKeys, List.of(indexes)).run();
    }

    /**
     * Drops an index and its table; also one that is half made, or half dropped. The base table's rows stay as they are.
     *
     * @throws NoSuchIndexException if there is neither such an index nor a table left of one
     * @throws org.apache.hadoop.hbase.TableNotFoundException if there is not even the base table
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if a step failed; the message says what is true now
     */
    public void dropIndex(TableName table, String index) throws IOException {
        new IndexRemoval(admin, table, index).run();
    }

    /**
     * The indexes of a table, by name; none if it has none.
     *
     * @throws org.apache.hadoop.hbase.TableNotFoundException if there is no such table
     */
    public List<IndexDefinition> listIndexes(TableName table) throws IOException {
        return List.copyOf(Descriptors.definitions(admin, table).values());
    }

    /** The indexes of all tables, by table and name. */
    public List<IndexDefinition> listIndexes() throws IOException {
        List<TableDescriptor> tables = new ArrayList<>(admin.listTableDescriptors());
        tables.sort(TableDescriptor.COMPARATOR);
        List<IndexDefinition> indexes = new ArrayList<>();
        for (TableDescriptor table : tables) {
            indexes.addAll(Descriptors.definitions(table).values());
        }
        return indexes;
    }

    /**
     * The definition of an index, in whatever state it is.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.apache.hadoop.hbase.TableNotFoundException if there is no such table
     */
    public IndexDefinition describeIndex(TableName table, String index) throws IOException {
        IndexDefinition definition = Descriptors.definitions(admin, table).get(index);
        if (definition == null) {
            throw new NoSuchIndexException(table, index);
        }
        return definition;
    }

    /**
     * Waits until every index update that was accepted before the call is delivered, in all regions of a table.
     *
     * @param timeout the longest time to wait; a region that cannot be reached can take longer, as HBase's client is
     *     configured
     * @return how many updates were still waiting when the time was up; 0 if all are delivered
     * @throws org.apache.hadoop.hbase.TableNotFoundException if there is no such table
     */
    public long drain(TableName table, Duration timeout) throws IOException {
        return drain(table, List.of(), timeout).remaining();
    }

    /**
     * Waits until every update of some indexes that was accepted before the call is delivered, in all regions of a table. An
     * index that is not named is not waited for.
     *
     * @param indexes the names of the indexes; none for all
     * @param timeout the longest time to wait; a region that cannot be reached can take longer, as HBase's client is
     *     configured
     * @return what was still waiting when the time was up, and which indexes lack it
     * @throws org.apache.hadoop.hbase.TableNotFoundException if there is no such table
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the table has no index of one of the names
     */
    public DrainResult drain(TableName table, Collection<String> indexes, Duration timeout) throws IOException {
        return isIndexed(table) ? new IndexRegions(connection, table).drain(indexes, timeout) : DrainResult.DRAINED;
    }

    /**
     * The upkeep of a table's indexes, region by region.
     *
     * @throws org.apache.hadoop.hbase.TableNotFoundException if there is no such table
     */
    public IndexStatus status(TableName table) throws IOException {
        List<RegionStatus> regions = isIndexed(table) ? new IndexRegions(connection, table).status() : List.of();
        return new IndexStatus(table, listIndexes(table), regions);
    }

    private boolean isIndexed(TableName table) throws IOException {
        return Descriptors.of(admin, table).hasCoprocessor(Coprocessors.INDEX_OBSERVER);
    }

    /** Closes what it holds; the connection stays open. */
    @Override
    public void close() throws IOException {
        admin.close();
    }
}
