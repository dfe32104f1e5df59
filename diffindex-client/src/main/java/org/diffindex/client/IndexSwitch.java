package org.diffindex.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.tasks.IndexStates;
import org.diffindex.tasks.Messages;

/**
 * Takes one index out of service, and puts it into service again, in steps. What an interrupted one leaves is completed, or
 * begun anew, by the same call again.
 *
 * <ul>
 *   <li>To disable an index: its table keeps the definition and its regions refuse readers; then its base table loses the
 *       definition, so that no write maintains it any more.
 *   <li>To enable it: its table gets another id, so that its regions refuse what servers still hold for the index of before;
 *       is emptied; becomes BUILDING; then the base table gets the definition back. The master builds the index as it builds a
 *       new one. An enabling that has ended before the last step begins again from the first: nobody knows whether writes have
 *       maintained the index since.
 * </ul>
 */
final class IndexSwitch {
    private final Connection connection;
    private final Admin admin;
    private final TableName table;
    private final String index;
    private final TableName indexTable;
    private final DefinitionRemoval definitions;

    /** Creates a switch of an index. */
    IndexSwitch(Connection connection, Admin admin, TableName table, String index, TableName indexTable) {
        this.connection = connection;
        this.admin = admin;
        this.table = table;
        this.index = index;
        this.indexTable = indexTable;
        this.definitions = new DefinitionRemoval(admin, table, index, indexTable);
    }

    /** Disables the index. Completes what is left to do if it is DISABLED already. */
    void disable() throws IOException {
        boolean isDefined = definitions.isDefined();
        String id = refuseReaders();
        if (isDefined) {
            definitions.remove(
                    Optional.of(id), "It cannot be read any more; writes may still maintain it; disable it again");
        } else {
            definitions.settle();
        }
        definitions.forgetRevision();
    }

    /** Makes the index DISABLED, also if another client gives it another id meanwhile; returns the id that it has. */
    private String refuseReaders() throws IOException {
        while (true) {
            TableDescriptor own = ownTable();
            String id = IndexDefinitions.indexIdOf(own);
            if (IndexDefinitions.isDropping(own)) {
                throw CreationChecks.refusal(named() + " is being dropped, or its drop was interrupted: drop it again");
            }
            if (isDisabled(id)) {
                return id;
            }
        }
    }

    private boolean isDisabled(String id) throws IOException {
        try {
            return IndexStates.disable(admin, indexTable, id, () -> definitionToKeep(ownTable()));
        } catch (NoSuchIndexException e) {
            throw e;
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    named() + " could not be disabled: its table " + indexTable + " could not be marked as "
                            + IndexState.DISABLED + ": " + Messages.of(e)
                            + ". Writes maintain it as before; reads by it may be refused, now or when HBase carries"
                            + " out the change after all. Disable it again. If a region of " + indexTable
                            + " cannot be opened, repair it first",
                    e);
        }
    }

    /** Returns the definition as the base table's descriptor has it, or as the index table keeps it already. */
    private String definitionToKeep(TableDescriptor own) throws IOException {
        Optional<String> defined = Optional.ofNullable(
                IndexDefinitions.texts(Descriptors.of(admin, table)).get(index));
        if (defined.map(IndexDefinitions::roleOf).equals(Optional.of(IndexRole.RETIRED))) {
            throw new DoNotRetryIOException("its columns were changed meanwhile; do it again");
        }
        return defined.or(() -> IndexDefinitions.keptIn(own)).orElseThrow(() -> new NoSuchIndexException(table, index));
    }

    /**
     * Enables the index, whose table keeps its definition; it is BUILDING then. If it is so already, because it was enabled
     * before and is not complete, lets its build go on.
     *
     * @throws DoNotRetryIOException if the index is not DISABLED, does not fit its table any more, or a step failed; the
     *     message says what is true now
     */
    void enable(BuildOptions options) throws IOException {
        enable(options, false);
    }

    private void enable(BuildOptions options, boolean isJustDisabled) throws IOException {
        TableDescriptor own = ownTable();
        IndexState state = IndexDefinitions.stateOf(own);
        boolean isDefined = definitions.isDefined();
        if (isDefined && state.isIncomplete() && IndexDefinitions.keptIn(own).isPresent()) {
            Optional<BuildStatus> unused =
                    new BuildCalls(connection).order(definition(own), request -> request.setRetry(true));
            return;
        }
        if (isDefined && state != IndexState.DISABLED) {
            throw CreationChecks.refusal(named() + " is " + state + ", not DISABLED");
        }
        requireBuilder();
        requireFitting(definition(own), own, CreationChecks.check(connection, admin, definition(own)));
        if (isDefined || state != IndexState.DISABLED) {
            disable();
        } else if (!isJustDisabled) {
            awaitNoWrites();
        }
        enter(begun(ownTable(), options));
    }

    /** Waits for regions that may still maintain the index, because its disabling was interrupted: its table is emptied next. */
    private void awaitNoWrites() throws IOException {
        try {
            definitions.settle();
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw failed(e, "It is DISABLED, and regions of " + table + " may still maintain it; enable it again");
        }
    }

    /** Disables the index and enables it, after it has checked that it can be enabled. */
    void rebuild(BuildOptions options) throws IOException {
        TableDescriptor own = ownTable();
        IndexDefinition rebuilt =
                TableIndexes.of(table, Map.of(index, definitionToKeep(own))).get(index);
        requireBuilder();
        requireFitting(rebuilt, own, CreationChecks.check(connection, admin, rebuilt));
        disable();
        enable(options, true);
    }

    /** Requires that the active master builds indexes, before the index is emptied. */
    private void requireBuilder() throws IOException {
        String observer = Coprocessors.INDEX_MASTER_OBSERVER;
        if (!admin.getMasterCoprocessorNames().contains(observer.substring(observer.lastIndexOf('.') + 1))) {
            throw CreationChecks.refusal("No master would build index " + index + " of " + table
                    + ": the active one lacks the coprocessor " + observer + " (hbase.coprocessor.master.classes)");
        }
    }

    /** Empties the table under another id and makes the index BUILDING; returns the index with that id. */
    private IndexDefinition begun(TableDescriptor own, BuildOptions options) throws IOException {
        IndexDefinition kept = definition(own);
        IndexDefinition enabled = kept.withId(UUID.randomUUID().toString());
        boolean isBegun;
        String after = "No write maintains it, and its table was not emptied; enable it again";
        try {
            isBegun = IndexStates.renew(admin, indexTable, kept.id(), enabled.id());
            if (isBegun) {
                new DefinitionEntry(connection, admin, enabled).awaitAccess();
                after = "No write maintains it, and its table may be empty; enable it again";
                new LeftOverTable(admin, table, index, indexTable, enabled.id()).empty();
                isBegun = IndexStates.enable(
                        admin,
                        indexTable,
                        enabled.id(),
                        renewed -> BuildFamily.add(renewed, options.rowsPerSecond(), options.isPaused()));
            }
        } catch (IndexExistsException e) {
            throw e; // another client has enabled it meanwhile
        } catch (IOException e) {
            throw failed(e, after);
        }
        if (!isBegun) {
            throw new DoNotRetryIOException(named() + " could not be enabled: another client has enabled or dropped it"
                    + " meanwhile; list the indexes of the table");
        }
        return enabled;
    }

    private void enter(IndexDefinition enabled) throws IOException {
        TableDescriptor own = ownTable();
        try {
            new DefinitionEntry(connection, admin, enabled).run(base -> requireFitting(enabled, own, base));
        } catch (IOException e) {
            throw failed(e, "Its table is BUILDING, and no write may maintain it yet; enable it again");
        }
    }

    /** Returns the index as its table keeps it, with the id of that table. */
    private IndexDefinition definition(TableDescriptor own) throws IOException {
        String kept = IndexDefinitions.keptIn(own).orElseThrow(() -> new NoSuchIndexException(table, index));
        return TableIndexes.of(table, Map.of(index, kept)).get(index).withId(IndexDefinitions.indexIdOf(own));
    }

    /** Requires that the table of the index keeps what a new one would, neither longer nor less secret. */
    private void requireFitting(IndexDefinition kept, TableDescriptor own, TableDescriptor base) throws IOException {
        CreationChecks.checkFamilies(kept, base);
        if (!IndexTableLayout.isFor(kept, own, base, connection.getConfiguration())) {
            throw new DoNotRetryIOException("The TTL of a column family of " + table + " has changed since index "
                    + index + " was made, or a family is encrypted now; drop the index and create it again");
        }
    }

    private TableDescriptor ownTable() throws IOException {
        return definitions.ownTable().orElseThrow(() -> new NoSuchIndexException(table, index));
    }

    private String named() {
        return "Index " + GenerationName.of(index).index() + " of " + table;
    }

    private DoNotRetryIOException failed(IOException cause, String after) {
        return new DoNotRetryIOException(
                named() + " could not be enabled: " + Messages.of(cause) + ". " + after, cause);
    }
}
