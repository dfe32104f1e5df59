package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
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
            if (Descriptors.isDropping(admin, definition.indexTable())) {
                return "The index cannot be read any more; every write maintains it until the drop has removed its"
                        + " definition. If that drop was interrupted, drop the index again; then create it";
            }
            if (entered.state() == IndexState.ACTIVE) {
                return "The index is ACTIVE all the same; nothing is left to do";
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
     * Throws an exception if a further attempt makes no sense, that is, if the drop of the index has begun, or unless the
     * definition is BUILDING, or the last attempt has made it ACTIVE.
     */
    private void requireWorthwhile() throws IOException {
        requireNotDropping();
        IndexDefinition entered =
                Descriptors.definitions(admin, definition.table()).get(definition.name());
        if (!definition.withState(IndexState.ACTIVE).equals(entered)) {
            TableDescriptor unused = requireEntered();
        }
    }

    private void requireNotDropping() throws IOException {
        if (Descriptors.isDropping(admin, definition.indexTable())) {
            throw new DoNotRetryIOException("its drop has begun");
        }
    }

    /** Returns the table's descriptor if it still contains the definition. */
    private TableDescriptor requireEntered() throws IOException {
        TableDescriptor current = Descriptors.of(admin, definition.table());
        IndexDefinition entered = Descriptors.definitions(current).get(definition.name());
        if (!definition.equals(entered)) {
            throw new DoNotRetryIOException(
                    entered == null
                            ? "its definition was removed by another client"
                            : "its definition was changed by another client: " + entered);
        }
        return current;
    }

    /**
     * Makes the index ACTIVE and returns its definition. Changes nothing if an earlier attempt succeeded and its answer
     * was lost. Fails if the drop of the index has begun, even meanwhile: the index cannot be read then.
     */
    private IndexDefinition activate() throws IOException {
        requireNotDropping();
        IndexDefinition active = definition.withState(IndexState.ACTIVE);
        if (!active.equals(Descriptors.definitions(admin, definition.table()).get(definition.name()))) {
            TableDescriptor current = requireEntered();
            if (!Descriptors.replace(admin, current, () -> modify(IndexDefinitions.with(current, active)))) {
                throw new IOException("another client changed the table at the same time"); // is retried
            }
        }
        requireNotDropping();
        return active;
    }

    private void modify(TableDescriptor changed) throws IOException {
        if (canKeepRegionsOpen(changed)) {
            admin.modifyTable(changed, false);
        } else {
            admin.modifyTable(changed);
        }
    }

    /**
     * Returns whether HBase can change the descriptor without reopening the regions, which do not depend on the state.
     * HBase refuses that for a change of the coprocessors, and compares them by a hash code that releases up to 2.6.1
     * at least do not define, so that it refuses every table with a coprocessor ({@code ModifyTableProcedure}). Its
     * client would retry the refusal for minutes; the same comparison here foresees it.
     */
    static boolean canKeepRegionsOpen(TableDescriptor descriptor) {
        TableDescriptor copy = TableDescriptorBuilder.newBuilder(descriptor).build();
        return descriptor.getCoprocessorDescriptors().hashCode()
                == copy.getCoprocessorDescriptors().hashCode();
    }
}
