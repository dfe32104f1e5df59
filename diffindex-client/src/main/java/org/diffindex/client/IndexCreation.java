package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.Regions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates one index in steps: checks that it can be created; creates the index table, BUILDING; enters the definition,
 * so that every write is indexed from then on. The master then backfills the rows written before and makes the index
 * ACTIVE. The error of each step says what is true after it. A creation that was interrupted before the definition
 * was entered starts over.
 */
final class IndexCreation {
    private static final Logger LOG = LoggerFactory.getLogger(IndexCreation.class);

    /**
     * The configuration key for the milliseconds for which a creation waits for a master to take the index over; a minute by
     * default.
     */
    static final String BUILDER_MS_KEY = "diffindex.client.builder.ms";

    private static final long BUILDER_PAUSE_MS = 10;

    /** The most regions of an index table for each region server, unless more are asked for. */
    private static final int REGIONS_OF_A_SERVER = 3;

    private final Connection connection;
    private final Admin admin;
    private final Configuration configuration;

    private final BuildOptions options;

    /** The definition to be entered, with the id of a new index. */
    private final IndexDefinition definition;

    private final TableName table;
    private final TableName indexTable;

    IndexCreation(Connection connection, Admin admin, IndexDefinition definition, BuildOptions options) {
        this.connection = connection;
        this.admin = admin;
        this.configuration = connection.getConfiguration();
        this.options = options;
        this.definition = definition.withId(UUID.randomUUID().toString());
        this.table = definition.table();
        this.indexTable = definition.indexTable();
    }

    /**
     * Begins the creation; returns the index, which is BUILDING.
     *
     * @param listener receives the index if it was BUILDING already; its build is tried again if it has failed
     */
    IndexDefinition begin(BuildListener listener) throws IOException {
        TableDescriptor base = check();
        Optional<IndexDefinition> begun = begun(base);
        if (begun.isPresent()) {
            resume(begun.get());
            listener.continued(begun.get());
        } else {
            clearPlace();
            makeIndexTable(base);
            enterDefinition(base);
        }
        return begun.orElse(definition);
    }

    /** Lets a build that has failed go on. Does nothing if the index has become ACTIVE meanwhile. */
    private void resume(IndexDefinition begun) throws IOException {
        TableDescriptor own = ownTable(begun);
        if (IndexDefinitions.stateOf(own) == IndexState.BUILDING && !own.hasColumnFamily(BuildFamily.NAME)) {
            handOver(own);
        }
        Optional<BuildStatus> unused = new BuildCalls(connection).order(begun, request -> request.setRetry(true));
    }

    /** Lets the master build an index that a client of an earlier version has begun to build. */
    private void handOver(TableDescriptor own) throws IOException {
        admin.modifyTable(withBuild(own));
        try {
            awaitBuilder();
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "The creation of index " + definition.name() + " on " + table
                            + ", which is BUILDING, does not go on: " + Messages.of(e)
                            + ". Remove the cause, and create the index again",
                    e);
        }
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

    /** Returns the table of an index that is BUILDING; refuses to build one whose table is not its own. */
    private TableDescriptor ownTable(IndexDefinition begun) throws IOException {
        return tableOf(begun)
                .orElseThrow(() -> CreationChecks.refusal("Index " + begun.name() + " of " + table
                        + " is BUILDING, but " + indexTable + " is not its table; " + BuildWait.dropping(begun)));
    }

    private Optional<TableDescriptor> tableOf(IndexDefinition index) throws IOException {
        return Descriptors.find(admin, indexTable)
                .filter(found -> IndexDefinitions.indexIdOf(found).equals(index.id()));
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
                            + ", the remains of an index, failed: " + Messages.of(e) + ". Table " + table
                            + " is unchanged; remove the cause and create the index again",
                    e);
        }
    }

    /** Returns the deletion of the index table while it is that of the index with this id. */
    private IndexTableDeletion deletion(String id) {
        return new IndexTableDeletion(admin, table, definition.name(), indexTable, id);
    }

    private void makeIndexTable(TableDescriptor base) throws IOException {
        TableDescriptor descriptor = withBuild(layout(base));
        try {
            Descriptors.create(admin, descriptor, splitKeys());
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be created: creating its table "
                            + indexTable + " failed: " + Messages.of(e) + ". Table " + table
                            + " is unchanged; remove the cause and create the index again",
                    e);
        }
    }

    /** Returns the split points of the definition, or split keys from a sample if it has none. */
    private byte[][] splitKeys() throws IOException {
        return definition.splitPoints().length > 0
                ? definition.splitPoints()
                : new IndexSample(connection, definition).splitKeys(regions());
    }

    private int regions() throws IOException {
        if (options.regions().isPresent()) {
            return options.regions().getAsInt();
        }
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            int most = REGIONS_OF_A_SERVER * admin.getRegionServers().size();
            return Math.max(1, Math.min(most, Regions.of(locator).size()));
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
            awaitBuilder();
            while (!isEntered(base)) {
                LOG.info("Table {} was changed by another client; {} is entered after that", table, definition);
            }
        } catch (TableNotFoundException e) {
            throw undone() ? e : leftBehind(e);
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + table + " could not be created: " + Messages.of(e) + ". "
                            + (undone()
                                    ? "Nothing was changed"
                                    : "It may be BUILDING now; create it again with the same definition to resume"),
                    e);
        }
    }

    /**
     * Waits until a master has taken over the index table, to build the index. HBase may take a while to tell its servers
     * that this user owns the new table, and may read it.
     *
     * @throws DoNotRetryIOException if none does for a while, this user may not find out, or the table was deleted
     */
    private void awaitBuilder() throws IOException {
        long waitMs = configuration.getLong(BUILDER_MS_KEY, TimeUnit.MINUTES.toMillis(1));
        long begin = System.nanoTime();
        Optional<AccessDeniedException> denied = Optional.empty();
        while (true) {
            try {
                if (isTakenOver()) {
                    return;
                }
                denied = Optional.empty();
            } catch (AccessDeniedException e) {
                denied = Optional.of(e);
            }
            if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) >= waitMs) {
                throw denied.isPresent() ? unseen(waitMs, denied.get()) : noBuilder(waitMs);
            }
            Pauses.sleep(BUILDER_PAUSE_MS, "Interrupted");
        }
    }

    private boolean isTakenOver() throws IOException {
        Get builder = new Get(BuildFamily.ROW).addColumn(BuildFamily.NAME, BuildFamily.BUILDER);
        try (Table own = connection.getTable(indexTable)) {
            return own.exists(builder);
        } catch (TableNotFoundException e) {
            throw new DoNotRetryIOException("its table " + indexTable + " was deleted by another client", e);
        }
    }

    private static IOException noBuilder(long waitMs) {
        return new DoNotRetryIOException("no master builds it: none has taken over its table within " + waitMs
                + " ms; each master needs the coprocessor " + Coprocessors.INDEX_MASTER_OBSERVER
                + " (hbase.coprocessor.master.classes), of this version");
    }

    private IOException unseen(long waitMs, AccessDeniedException denied) {
        return new DoNotRetryIOException(
                "for " + waitMs + " ms this user was not allowed to read its table " + indexTable
                        + ", which tells whether a master builds it: HBase's AccessController lets the user who creates a"
                        + " table read it; if another coprocessor controls access, let this user read that table ("
                        + Messages.of(denied) + ")",
                denied);
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

    private TableDescriptor withBuild(TableDescriptor indexTable) {
        return BuildFamily.add(indexTable, options.rowsPerSecond(), options.isPaused());
    }

    private TableDescriptor layout(TableDescriptor base) throws IOException {
        return IndexTableLayout.of(definition, IndexState.BUILDING, base, configuration);
    }

    /**
     * Deletes the index table again if the definition was not entered; returns whether the definition was not entered
     * and the table is gone. The table of a concurrent creation of the same name stays.
     */
    private boolean undone() {
        boolean isInterrupted = Thread.interrupted(); // with the flag, each call would fail
        try {
            Optional<TableDescriptor> base = Descriptors.find(admin, table);
            if (base.isPresent() && Descriptors.definitions(base.get()).containsKey(definition.name())) {
                return false;
            }
            if (tableOf(definition).isPresent()) {
                deletion(definition.id()).run();
            }
            return true;
        } catch (IOException e) {
            LOG.warn("The remains of the failed creation of index {} on {} could not be removed", definition, table, e);
            return false;
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
