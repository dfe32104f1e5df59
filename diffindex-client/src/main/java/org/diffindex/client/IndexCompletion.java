package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;

/**
 * The second half of a creation: backfills an index that is BUILDING with the rows written before it, then makes it
 * ACTIVE. Any client may repeat it until it succeeds: backfilling a row a second time changes nothing.
 */
final class IndexCompletion {
    private final Connection connection;
    private final Admin admin;
    private final IndexDefinition definition;

    /**
     * Creates the completion of an index.
     *
     * @param definition as the base table's descriptor has it
     */
    IndexCompletion(Connection connection, Admin admin, IndexDefinition definition) {
        this.connection = connection;
        this.admin = admin;
        this.definition = definition;
    }

    void run(BackfillListener progress) throws IOException {
        try {
            BackfillRetries retries = new BackfillRetries(connection.getConfiguration(), this::requireWorthwhile);
            new IndexRegions(connection, definition.table()).backfill(definition, retries, progress);
            retries.get(() -> activate());
        } catch (IOException | RuntimeException e) {
            throw new DoNotRetryIOException(
                    "The backfill of index " + definition.name() + " on " + definition.table() + " failed: "
                            + e.getMessage() + ". " + stateAfter(e),
                    e);
        }
    }

    /** Returns what is true after a failure, and what to do. */
    private String stateAfter(Exception failure) {
        try {
            IndexDefinition entered =
                    Descriptors.definitions(admin, definition.table()).get(definition.name());
            if (entered == null || !entered.id().equals(definition.id())) {
                return "The index was dropped by another client; nothing is left to resume";
            }
            Optional<IndexState> state = Descriptors.stateOf(admin, definition.indexTable());
            if (state.equals(Optional.of(IndexState.DROPPING))) {
                return "The index cannot be read any more; every write maintains it until the drop has removed its"
                        + " definition. If that drop was interrupted, drop the index again; then create it";
            }
            if (state.isEmpty()) {
                return "The index may be BUILDING now, which its table, if there is one, does not show to this user."
                        + " " + resuming();
            }
            if (state.equals(Optional.of(IndexState.ACTIVE))) {
                return "The index is ACTIVE all the same; a read may be refused until all regions of its table are open";
            }
        } catch (TableNotFoundException e) {
            return "The table was deleted by another client, and the index with it; nothing is left to resume";
        } catch (IOException e) {
            failure.addSuppressed(e);
            return "The index may be BUILDING now: every write maintains it then, but it cannot be read. " + resuming();
        }
        return "The index is BUILDING now: every write maintains it, but it cannot be read. " + resuming();
    }

    private String resuming() {
        return "Create it again with the same definition to resume, or " + dropping(definition);
    }

    /** Returns, for a message, how to start over with an index. */
    static String dropping(IndexDefinition definition) {
        return "drop index " + definition.name() + " of " + definition.table() + " and create it again";
    }

    /**
     * Throws an exception if a further attempt makes no sense, that is, if the drop of the index has begun, or the base
     * table does not define it any more.
     */
    private void requireWorthwhile() throws IOException {
        requireNotDropping();
        IndexDefinition entered =
                Descriptors.definitions(admin, definition.table()).get(definition.name());
        if (!definition.equals(entered)) {
            throw new DoNotRetryIOException(
                    entered == null
                            ? "its definition was removed by another client"
                            : "its definition was changed by another client: " + entered);
        }
    }

    private void requireNotDropping() throws IOException {
        if (Descriptors.stateOf(admin, definition.indexTable())
                .filter(state -> state == IndexState.DROPPING)
                .isPresent()) {
            throw new DoNotRetryIOException("its drop has begun");
        }
    }

    /**
     * Makes the index ACTIVE, again if an earlier attempt has ended without an answer. Fails if the drop of the index has
     * begun, or has removed its definition, even meanwhile.
     */
    private Void activate() throws IOException {
        requireWorthwhile();
        if (!Descriptors.changeState(admin, definition.indexTable(), definition.id(), IndexState.ACTIVE)) {
            throw new DoNotRetryIOException(definition.indexTable() + " is not its table any more");
        }
        requireWorthwhile();
        return null;
    }

    /**
     * Returns whether HBase can change a base table's descriptor without reopening the regions. HBase refuses that for a
     * change of the coprocessors, and compares them by a hash code that releases up to 2.6.1 at least do not define, so
     * that it refuses every table with a coprocessor ({@code ModifyTableProcedure}). Its client would retry the refusal
     * for minutes; the same comparison here foresees it.
     */
    static boolean canKeepRegionsOpen(TableDescriptor descriptor) {
        TableDescriptor copy = TableDescriptorBuilder.newBuilder(descriptor).build();
        return descriptor.getCoprocessorDescriptors().hashCode()
                == copy.getCoprocessorDescriptors().hashCode();
    }
}
