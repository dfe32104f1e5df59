package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.tasks.DescriptorChange;
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

    /** The index that is to be replaced by the one created. */
    private final Optional<IndexDefinition> replaced;

    IndexCreation(Connection connection, Admin admin, IndexDefinition definition, BuildOptions options) {
        this(connection, admin, definition, Optional.empty(), options);
    }

    /** Returns the creation of a shadow, which is entered only beside the index that it is to replace. */
    static IndexCreation ofShadow(
            Connection connection,
            Admin admin,
            IndexDefinition shadow,
            IndexDefinition replaced,
            BuildOptions options) {
        return new IndexCreation(connection, admin, shadow, Optional.of(replaced), options);
    }

    private IndexCreation(
            Connection connection,
            Admin admin,
            IndexDefinition definition,
            Optional<IndexDefinition> replaced,
            BuildOptions options) {
        this.replaced = replaced;
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
        TableDescriptor base = CreationChecks.check(connection, admin, definition);
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
            new DefinitionEntry(connection, admin, definition).awaitBuilder();
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "The creation of index " + definition.name() + " on " + table
                            + ", which is BUILDING, does not go on: " + Messages.of(e)
                            + ". Remove the cause, and create the index again",
                    e);
        }
    }

    /** Returns the index that an interrupted creation has entered; empty if there is none of the name. */
    private Optional<IndexDefinition> begun(TableDescriptor base) throws IOException {
        TableIndexes indexes = Descriptors.definitions(base);
        IndexDefinition existing = indexes.get(definition.name());
        if (existing == null) {
            requireNoOther(indexes);
            return Optional.empty();
        }
        Optional<IndexState> state = Descriptors.stateOf(admin, indexTable);
        boolean mayBeBuilding = state.isEmpty() || state.get().isIncomplete();
        if (state.equals(Optional.of(IndexState.DROPPING))) {
            throw new IndexExistsException("Index " + definition.name() + " of " + table
                    + " is being dropped, or its drop was interrupted: every write still maintains it, but it cannot be"
                    + " read any more. Drop it again, then create it. Nothing was changed");
        }
        if (mayBeBuilding && existing.equals(definition.withId(existing.id()))) {
            return Optional.of(existing);
        }
        throw exists(existing, state, mayBeBuilding);
    }

    /** Requires, for a new index, that there is no later generation of an index of its name, not even a DISABLED one. */
    private void requireNoOther(TableIndexes indexes) throws IOException {
        if (definition.role() == IndexRole.IN_SERVICE) {
            String index = definition.logicalName();
            Optional<String> other = indexes.generation(index, IndexRole.IN_SERVICE)
                    .or(() -> indexes.generation(index, IndexRole.SHADOW))
                    .or(() -> indexes.generation(index, IndexRole.RETIRED));
            if (other.isEmpty()) {
                other = Generations.disabled(admin, table, index).filter(kept -> !kept.equals(definition.name()));
            }
            if (other.isPresent()) {
                throw new IndexExistsException("There is already an index " + index + " of " + table
                        + ", whose table is " + IndexDefinition.indexTable(table, other.get())
                        + "; drop it first, or choose another name. Nothing was changed");
            }
        }
    }

    private static IndexExistsException exists(
            IndexDefinition existing, Optional<IndexState> state, boolean mayBeBuilding) {
        return new IndexExistsException("There is already an index " + existing
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
        return DescriptorChange.find(admin, indexTable)
                .filter(found -> IndexDefinitions.indexIdOf(found).equals(index.id()));
    }

    /**
     * Deletes the table left by an interrupted creation or removal: the table of an index that the base table does not
     * define. Waits before that for regions of the base table that may still maintain it, and whose writes would wait for it.
     */
    private void clearPlace() throws IOException {
        Optional<TableDescriptor> found = DescriptorChange.find(admin, indexTable);
        if (found.isEmpty()) {
            return;
        }
        if (found.flatMap(IndexDefinitions::baseTableOf).filter(table::equals).isEmpty()) {
            throw new IndexExistsException(replaced.isPresent() ? occupied(found.get()) : taken());
        }
        if (found.flatMap(IndexDefinitions::keptIn).isPresent()) {
            throw new IndexExistsException("There is already an index " + definition.name() + " of " + table
                    + ", which is " + IndexState.DISABLED
                    + "; enable it, or drop it first, or choose another name. Nothing"
                    + " was changed");
        }
        LOG.info("Deleting {}, the remains of an index that {} does not define", indexTable, table);
        try {
            new DefinitionRemoval(admin, table, definition.name(), indexTable).settle();
            remains(IndexDefinitions.indexIdOf(found.get())).delete();
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

    private String taken() {
        return "Table " + indexTable + ", the place of the index, already exists and does not belong to an index of "
                + table + "; choose another name. Nothing was changed";
    }

    /** Returns the message that a table is in the place of the next generation, whose name nobody chooses. */
    private String occupied(TableDescriptor other) {
        String index = definition.logicalName();
        Optional<String> otherIndex = IndexDefinitions.indexNameOf(other);
        String what = otherIndex.isPresent()
                ? "the table of index " + otherIndex.get() + " on "
                        + IndexDefinitions.baseTableOf(other).get()
                : "a table of its own, of no index";
        String remedy = otherIndex.isPresent()
                ? "drop that index, or let it have another name"
                : "drop that table, or let it have another name (in hbase shell: disable, snapshot, clone_snapshot with the"
                        + " other name, drop)";
        return "The columns of index " + index + " of " + table
                + " cannot be changed, nothing was changed: the table of"
                + " the next generation would be " + indexTable + ", and there is already a table of that name, " + what
                + ". Look whether it is needed: " + remedy + ", and repeat the change";
    }

    /** Returns the index table, to be deleted while it is that of the index with this id. */
    private LeftOverTable remains(String id) {
        return new LeftOverTable(admin, table, definition.name(), indexTable, id);
    }

    private void makeIndexTable(TableDescriptor base) throws IOException {
        TableDescriptor descriptor = withBuild(likeReplaced(layout(base)));
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

    /** Returns a new index table's descriptor, with what was set by hand for the table of the index that is to be replaced. */
    private TableDescriptor likeReplaced(TableDescriptor made) throws IOException {
        if (replaced.isEmpty()) {
            return made;
        }
        return Descriptors.findVisible(admin, replaced.get().indexTable())
                .map(present -> IndexTableSettings.takenOver(made, present))
                .orElse(made);
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
            new DefinitionEntry(connection, admin, definition).run(current -> requireFitting(base, current));
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

    /** Returns the failure of a creation whose base table was deleted, but not the table of the index. */
    private IOException leftBehind(TableNotFoundException deleted) {
        return new DoNotRetryIOException(
                "Index " + definition.name() + " could not be created: table " + table
                        + " was deleted by another client. Its table " + indexTable
                        + " may be left; disable and delete it in hbase shell",
                deleted);
    }

    /** Requires that the index table, made from an earlier descriptor of the base table, fits the current one. */
    private void requireFitting(TableDescriptor base, TableDescriptor current) throws IOException {
        if (replaced.isPresent()
                && !IndexDefinitions.defines(
                        current, replaced.get().name(), replaced.get().id())) {
            throw new DoNotRetryIOException(
                    "the index that it is to replace was dropped, disabled or rebuilt by another"
                            + " client meanwhile");
        }
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
            Optional<TableDescriptor> base = DescriptorChange.find(admin, table);
            if (base.isPresent() && Descriptors.definitions(base.get()).containsKey(definition.name())) {
                return false;
            }
            if (tableOf(definition).isPresent()) {
                remains(definition.id()).delete();
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
