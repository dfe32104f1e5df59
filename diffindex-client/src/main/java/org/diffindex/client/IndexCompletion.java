package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;

/**
 * The second half of a creation: fills an index that is BUILDING with the rows from before it, then turns it ACTIVE. Can be
 * done again, by any client, until it succeeds: filling a row a second time changes nothing.
 */
final class IndexCompletion {
    private final Connection connection;
    private final Admin admin;
    private final IndexDefinition definition;

    /**
     * The completion of an index.
     *
     * @param definition as the base table's descriptor has it
     */
    IndexCompletion(Connection connection, Admin admin, IndexDefinition definition) {
        this.connection = connection;
        this.admin = admin;
        this.definition = definition;
    }

    void run(FillListener progress) throws IOException {
        try {
            FillPatience patience = new FillPatience(connection.getConfiguration(), this::requireWorthwhile);
            new IndexRegions(connection, definition.table()).fill(definition, patience, progress);
            patience.get(() -> activate());
        } catch (IOException | RuntimeException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + definition.table() + " could not be filled: "
                            + e.getMessage()
                            + ". It is BUILDING now: kept by every write, but not readable; create it again with the same"
                            + " definition to go on, or " + dropping(definition),
                    e);
        }
    }

    /** Returns how to remove the remains of an index, for a message. */
    static String dropping(IndexDefinition definition) {
        return "drop index " + definition.name() + " of " + definition.table() + " and create it again";
    }

    /** A further try makes sense as long as the definition is BUILDING, or ACTIVE since the last try. */
    private void requireWorthwhile() throws IOException {
        IndexDefinition entered =
                Descriptors.definitions(admin, definition.table()).get(definition.name());
        if (!definition.withState(IndexState.ACTIVE).equals(entered)) {
            TableDescriptor unused = requireEntered();
        }
    }

    /** Returns the table's descriptor if it has the definition as it was entered. */
    private TableDescriptor requireEntered() throws IOException {
        TableDescriptor current = Descriptors.of(admin, definition.table());
        IndexDefinition entered = Descriptors.definitions(current).get(definition.name());
        if (!definition.equals(entered)) {
            throw new DoNotRetryIOException("its definition was changed or removed meanwhile: " + entered);
        }
        return current;
    }

    /** Returns the definition as it is then; done already if an earlier try was, and its answer was lost. */
    private IndexDefinition activate() throws IOException {
        IndexDefinition active = definition.withState(IndexState.ACTIVE);
        if (!active.equals(Descriptors.definitions(admin, definition.table()).get(definition.name()))) {
            TableDescriptor current = requireEntered();
            try {
                modify(IndexDefinitions.with(current, active));
            } catch (DoNotRetryIOException e) {
                if (IndexDefinitions.revisionOf(Descriptors.of(admin, definition.table()))
                        != IndexDefinitions.revisionOf(current)) {
                    throw new IOException(e.getMessage(), e); // another index was created or dropped; worth another try
                }
                throw e;
            }
        }
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
     * Whether HBase can change the descriptor without reopening the regions, which do not go by the state. It refuses that
     * for a change of the coprocessors, and compares them by a hash code that the releases up to 2.6.1 at least do not
     * define, so that any table with a coprocessor is refused (HBase's {@code ModifyTableProcedure}). Its client would try
     * such a refusal again for minutes, so it is foreseen here by the same comparison.
     */
    static boolean canKeepRegionsOpen(TableDescriptor descriptor) {
        TableDescriptor copy = TableDescriptorBuilder.newBuilder(descriptor).build();
        return descriptor.getCoprocessorDescriptors().hashCode()
                == copy.getCoprocessorDescriptors().hashCode();
    }
}
