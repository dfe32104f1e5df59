package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * Creates, drops, lists, drains and monitors indexes.
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
 * <p>Each operation consists of one or a few HBase table operations, which run as the calling user; it returns when
 * they are complete. If two operations change the indexes of one table concurrently, one of them may fail with an error
 * that says what is true then; neither undoes the other, nor, unless both make the same change, another change of the
 * table. Safe for use by many threads.
 */
public final class DiffIndexAdmin implements Closeable {
    private final Connection connection;
    private final Admin admin;
    private final BuildAdmin builds;

    /** Creates an admin that uses a connection, which it does not close. */
    public DiffIndexAdmin(Connection connection) throws IOException {
        this.connection = connection;
        this.admin = connection.getAdmin();
        this.builds = new BuildAdmin(connection, this);
    }

    /** Creates an index like {@link #createIndex(IndexDefinition, BuildListener)}, without a listener. */
    public void createIndex(IndexDefinition definition) throws IOException {
        createIndex(definition, BuildListener.NONE);
    }

    /**
     * {@linkplain #beginIndex Begins} an index and {@linkplain #awaitIndex waits} until the master has built it: when this
     * method returns, the index is ACTIVE. Writers may continue. If the caller ends before, the master goes on.
     *
     * @param listener follows the build
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException also if the build has failed, or the index was dropped
     *     meanwhile; the message says what is true now
     */
    public void createIndex(IndexDefinition definition, BuildListener listener) throws IOException {
        IndexDefinition begun = new IndexCreation(connection, admin, definition, BuildOptions.DEFAULT).begin(listener);
        new BuildWait(connection, admin, begun).run(listener);
    }

    /**
     * Begins an index: makes its table and enters its definition. When this method returns, the index is BUILDING: every
     * write maintains it. The master then backfills the rows that were written before, whether or not a client waits for
     * it, and makes the index ACTIVE.
     *
     * <p>If there is an index of the same name, columns, scheme and split points that is BUILDING, nothing is changed; if
     * its build has failed, the master tries again, from where it was.
     *
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the base table does not exist
     * @throws org.apache.hadoop.hbase.TableNotEnabledException if the base table is disabled
     * @throws IndexExistsException if an index of that name exists, even one whose drop was interrupted, or a table of
     *     the index table's name
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the definition does not fit the table, no master builds
     *     indexes, or a step failed; the message says what is true now
     */
    public void beginIndex(IndexDefinition definition) throws IOException {
        beginIndex(definition, BuildOptions.DEFAULT);
    }

    /**
     * Begins an index like {@link #beginIndex(IndexDefinition)}, whose build begins as the options say.
     *
     * @param options of no effect if the index is BUILDING already
     */
    public void beginIndex(IndexDefinition definition, BuildOptions options) throws IOException {
        IndexDefinition unused = new IndexCreation(connection, admin, definition, options).begin(BuildListener.NONE);
    }

    /**
     * Waits until an index is ACTIVE. While no master answers, as when one takes over from another, waits for {@code
     * diffindex.client.build.retry.ms} (10 minutes by default).
     *
     * @param listener follows the build
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws java.io.InterruptedIOException if the thread is interrupted; the master goes on
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the build has failed, or the index was dropped meanwhile;
     *     the message says what is true now
     */
    public void awaitIndex(TableName table, String index, BuildListener listener) throws IOException {
        String generation = Generations.inService(admin, table, index);
        Optional<TableName> indexTable = indexTable(table, generation);
        if (indexTable.isPresent()) {
            BuildWait.awaitEmptied(admin, table, generation, indexTable.get());
        }
        new BuildWait(connection, admin, describeIndex(table, index)).run(listener);
    }

    /** Returns what follows and controls the builds of indexes. */
    public BuildAdmin builds() {
        return builds;
    }

    /**
     * Creates a table together with its indexes, which are ACTIVE from its first row on. This is faster than creating
     * the indexes afterwards: there is nothing to backfill, and no region is reopened. If a step fails, the tables
     * created so far are deleted; one that cannot be deleted is named in the log. If it is not known whether HBase
     * creates the base table, because the call was interrupted or timed out, the index tables stay, and the error says
     * so.
     *
     * @param table the base table's descriptor, without indexes
     * @param splitKeys the split keys of the base table; empty for one region
     * @param indexes the definitions of its indexes
     * @throws org.apache.hadoop.hbase.TableExistsException if the table, or the table of one of the indexes, exists
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if a definition does not fit the table, and nothing was
     *     changed; or if it is not known whether the base table is created; the message says which
     */
    public void createTable(TableDescriptor table, byte[][] splitKeys, IndexDefinition... indexes) throws IOException {
        new IndexedTableCreation(connection, admin, table, splitKeys, List.of(indexes)).run();
    }

    /**
     * Drops an index and its table, whether complete or left by an interrupted creation or removal, and the shadow by which
     * its columns are being changed. The rows of the base table are not changed.
     *
     * <p>First the regions of the index table are opened again, and from then on refuse reads by the index ({@link
     * NoSuchIndexException}); then those of the base table, without the index; then the index table is deleted. An index
     * whose drop was interrupted cannot be read any more, and can only be dropped again.
     *
     * @throws NoSuchIndexException if the table has no such index and no table of such an index is left
     * @throws IndexExistsException if what looked like the remains of an index belongs to one that another client is
     *     creating; it was left to it
     * @throws org.apache.hadoop.hbase.TableNotFoundException if, in addition, the base table does not exist
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if a step failed; the message says what is true now
     */
    public void dropIndex(TableName table, String index) throws IOException {
        dropIndex(table, index, false);
    }

    /**
     * Drops an index like {@link #dropIndex(TableName, String)}, on request without refusing readers first. While a region
     * of the index table cannot be opened, HBase changes neither that table's descriptor nor its state, and a drop that
     * is not forced times out and leaves the index as it is. A forced one removes the index from the base table, whose
     * writes then no longer depend on the index table. Until that table is deleted, which may have to wait until the
     * region can be opened, clients that have read by the index before may read it in the regions that are open, and
     * get answers that lack later writes: let nobody read by the index.
     *
     * @param force whether not to refuse readers before writes stop maintaining the index
     * @throws NoSuchIndexException if the table has no such index and no table of such an index is left
     * @throws IndexExistsException if what looked like the remains of an index belongs to one that another client is
     *     creating; it was left to it
     * @throws org.apache.hadoop.hbase.TableNotFoundException if, in addition, the base table does not exist
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if a step failed; the message says what is true now
     */
    public void dropIndex(TableName table, String index, boolean force) throws IOException {
        Generations.drop(admin, table, index, force);
    }

    /**
     * Takes an index out of service. When this method returns, reads by the index are refused ({@link
     * org.diffindex.model.IndexNotReadableException}), and no write maintains it, waits for it or fails because of it. Its
     * definition and its table stay. First the regions of the index table are opened again, then those of the base table. An
     * index may be disabled in every state but DROPPING; one that is DISABLED is left so.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if a change of its columns is under way, or a step failed; the
     *     message says what is true now
     */
    public void disableIndex(TableName table, String index) throws IOException {
        Generations.requireOne(admin, table, index, "disable");
        switchOf(table, index).disable();
    }

    /**
     * Puts an index into service again. When this method returns, the index is BUILDING, as after {@link #beginIndex}: its
     * table was emptied, every write maintains it, and the master adds the entries of all rows. Its table keeps its regions,
     * attributes and permissions. If the index was enabled before and is not complete, lets its build go on.
     *
     * @param options of no effect if the index was enabled before
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the index is not DISABLED, does not fit its table any more, no
     *     master builds indexes, or a step failed; the message says what is true now
     */
    public void enableIndex(TableName table, String index, BuildOptions options) throws IOException {
        switchOf(table, index).enable(options);
    }

    /**
     * Builds an index anew, whatever it contains: {@linkplain #disableIndex disables} and {@linkplain #enableIndex enables}
     * it. When this method returns, the index is BUILDING; if it fails in between, the index is DISABLED, and {@link
     * #enableIndex} goes on. Checks first whether the index can be enabled.
     */
    public void rebuildIndex(TableName table, String index, BuildOptions options) throws IOException {
        Generations.requireOne(admin, table, index, "rebuild");
        switchOf(table, index).rebuild(options);
    }

    private IndexSwitch switchOf(TableName table, String index) throws IOException {
        String generation = Generations.inService(admin, table, index);
        return new IndexSwitch(
                connection,
                admin,
                table,
                generation,
                indexTable(table, generation).orElseThrow(() -> new NoSuchIndexException(table, index)));
    }

    /**
     * Returns the indexes of a table as readers use them, sorted by name; an empty list if it has none. Those whose
     * definitions this client cannot load are left out: {@link #listUnloadedIndexes(TableName)} returns them. {@link
     * #columnsChangeOf} tells which of them are being replaced.
     *
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     */
    public List<IndexDefinition> listIndexes(TableName table) throws IOException {
        return List.copyOf(
                Descriptors.definitions(admin, table).inService().loaded().values());
    }

    /**
     * Returns the indexes of all tables, sorted by table and name, except for those of {@link #listUnloadedIndexes()}.
     */
    public List<IndexDefinition> listIndexes() throws IOException {
        List<IndexDefinition> indexes = new ArrayList<>();
        for (TableDescriptor table : tables()) {
            indexes.addAll(Descriptors.definitions(table).inService().loaded().values());
        }
        return indexes;
    }

    /**
     * Returns the indexes of a table whose definitions this client cannot load, sorted by name. The reason may concern
     * this client alone, such as a column type whose class it does not have.
     *
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     */
    public List<UnloadedIndex> listUnloadedIndexes(TableName table) throws IOException {
        return List.copyOf(
                Descriptors.definitions(admin, table).inService().unloaded().values());
    }

    /** Returns the indexes of all tables whose definitions this client cannot load, sorted by table and name. */
    public List<UnloadedIndex> listUnloadedIndexes() throws IOException {
        List<UnloadedIndex> indexes = new ArrayList<>();
        for (TableDescriptor table : tables()) {
            indexes.addAll(Descriptors.definitions(table).inService().unloaded().values());
        }
        return indexes;
    }

    /**
     * Returns the indexes of a table that are {@link IndexState#DISABLED}, sorted by name, as far as the caller may see the
     * descriptors of their tables; {@link #listIndexes(TableName)} does not return them. The table need not exist any more.
     */
    public TableIndexes listDisabledIndexes(TableName table) throws IOException {
        return DisabledIndexes.of(admin, table);
    }

    /**
     * Returns the indexes of all tables that are {@link IndexState#DISABLED}, by table, as far as the caller may see the
     * descriptors of their tables.
     */
    public Map<TableName, TableIndexes> listDisabledIndexes() throws IOException {
        return DisabledIndexes.ofAll(tables());
    }

    private List<TableDescriptor> tables() throws IOException {
        List<TableDescriptor> tables = new ArrayList<>(admin.listTableDescriptors());
        tables.sort(TableDescriptor.COMPARATOR);
        return tables;
    }

    /**
     * Returns the definition of an index, whatever its {@linkplain #stateOf state}.
     *
     * @param index the name of the index, or {@link IndexDefinition#name} of the generation in service
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.diffindex.model.IndexNotLoadedException if this client cannot load the index's definition
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     */
    public IndexDefinition describeIndex(TableName table, String index) throws IOException {
        IndexDefinition definition = Descriptors.definitions(admin, table).named(index);
        if (definition == null) {
            boolean isDisabled = Generations.disabled(admin, table, index).isPresent();
            throw isDisabled ? NoSuchIndexException.disabled(table, index) : new NoSuchIndexException(table, index);
        }
        return definition;
    }

    /**
     * Returns the state of an index, including one whose definition this client cannot load; empty if the index has no
     * table, or the caller may not see that table's descriptor.
     */
    public Optional<IndexState> stateOf(TableName table, String index) throws IOException {
        Optional<TableName> indexTable = indexTable(table, Generations.inService(admin, table, index));
        return indexTable.isPresent() ? Descriptors.stateOf(admin, indexTable.get()) : Optional.empty();
    }

    /**
     * Returns what the table of an index says of its schemes: whether the scheme is being changed, and which promise holds
     * meanwhile. Empty if the scheme was never changed since the index was built, the index has no table, or the caller may
     * not see that table's descriptor. {@code org.diffindex.verify.SchemeChange} changes schemes.
     *
     * @throws org.diffindex.model.UnknownSchemesException if a later build has written it
     * @throws IllegalArgumentException if it cannot be understood
     */
    public Optional<SchemeState> schemesOf(TableName table, String index) throws IOException {
        Optional<TableName> indexTable = indexTable(table, Generations.inService(admin, table, index));
        return indexTable.isPresent()
                ? Descriptors.findVisible(admin, indexTable.get()).flatMap(IndexDefinitions::schemeStateOf)
                : Optional.empty();
    }

    /**
     * Returns how far the change of the columns of an index is; empty if none is under way, or readers have gone over to the new
     * ones. {@link ColumnsChange} changes columns.
     *
     * @throws org.diffindex.model.IndexNotLoadedException if this client cannot load the definition of the shadow
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     */
    public Optional<ColumnsChangeStatus> columnsChangeOf(TableName table, String index) throws IOException {
        return ColumnsChanges.of(connection, admin, Descriptors.definitions(admin, table), index);
    }

    /** Returns the table of an index; empty if the index has a name that no table can have. */
    private static Optional<TableName> indexTable(TableName table, String index) {
        try {
            return Optional.of(IndexDefinition.indexTable(table, index));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Waits until every index update that was accepted before the call is delivered, in all regions of a table.
     *
     * @param timeout the longest time to wait; a region that cannot be reached may take longer, as configured for
     *     HBase's client
     * @return how many batches of these updates were not yet delivered when the timeout elapsed; 0 if all are
     *     delivered. A batch covers the writes that HBase applied to a region together
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     */
    public long drain(TableName table, Duration timeout) throws IOException {
        return drain(table, List.of(), timeout).remaining();
    }

    /**
     * Waits until every update of the given indexes that was accepted before the call is delivered, in all regions of a
     * table. Does not wait for other indexes.
     *
     * @param indexes the names of the indexes; empty for all
     * @param timeout the longest time to wait; a region that cannot be reached may take longer, as configured for
     *     HBase's client
     * @return how many batches of these updates were not yet delivered when the timeout elapsed, and to which indexes.
     *     A table without any index counts as drained if no name is given
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the table has no index of one of the given names
     */
    public DrainResult drain(TableName table, Collection<String> indexes, Duration timeout) throws IOException {
        if (isIndexed(table)) {
            List<String> generations = new ArrayList<>();
            for (String index : indexes) {
                generations.add(Generations.inService(admin, table, index));
            }
            return new IndexRegions(connection, table).drain(generations, timeout);
        }
        if (!indexes.isEmpty()) {
            throw new NoSuchIndexException(table, indexes.iterator().next());
        }
        return DrainResult.DRAINED;
    }

    /**
     * Returns the state of index maintenance in each region of a table.
     *
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     */
    public IndexStatus status(TableName table) throws IOException {
        List<RegionStatus> regions = isIndexed(table) ? new IndexRegions(connection, table).status() : List.of();
        return StatusLook.of(connection, admin, table, regions);
    }

    private boolean isIndexed(TableName table) throws IOException {
        return Descriptors.of(admin, table).hasCoprocessor(Coprocessors.INDEX_OBSERVER);
    }

    /** Releases the resources of this admin; the connection stays open. */
    @Override
    public void close() throws IOException {
        admin.close();
    }
}
