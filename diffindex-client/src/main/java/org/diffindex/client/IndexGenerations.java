package org.diffindex.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.TableIndexes;

/**
 * The {@linkplain org.diffindex.model.GenerationName generations} of indexes, each by itself; {@link DiffIndexAdmin} knows an
 * index by the one that is in service. An index has more than one while its columns are changed. Safe for use by many threads.
 */
public final class IndexGenerations {
    private IndexGenerations() {}

    /**
     * Returns the definitions of all generations of the indexes of a table, whatever their roles.
     *
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     */
    public static TableIndexes of(Connection connection, TableName table) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            return Descriptors.definitions(admin, table);
        }
    }

    /**
     * Returns the state of a generation; empty if it has no table, or the caller may not see that table's descriptor.
     *
     * @param generation {@link IndexDefinition#name}
     */
    public static Optional<IndexState> stateOf(Connection connection, TableName table, String generation)
            throws IOException {
        try (Admin admin = connection.getAdmin()) {
            return Descriptors.stateOf(admin, IndexDefinition.indexTable(table, generation));
        }
    }

    /**
     * Returns the schemes of a generation; empty if it has no table, the caller may not see that table's descriptor, or the
     * scheme was never changed.
     *
     * @param generation {@link IndexDefinition#name}
     * @throws org.diffindex.model.UnknownSchemesException if a later build has written it
     * @throws IllegalArgumentException if it cannot be understood
     */
    public static Optional<SchemeState> schemesOf(Connection connection, TableName table, String generation)
            throws IOException {
        try (Admin admin = connection.getAdmin()) {
            return Descriptors.findVisible(admin, IndexDefinition.indexTable(table, generation))
                    .flatMap(IndexDefinitions::schemeStateOf);
        }
    }

    /**
     * Waits until every update of a generation that was accepted before the call is delivered, like {@link
     * DiffIndexAdmin#drain(TableName, java.util.Collection, Duration)}.
     *
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the table does not have this generation
     */
    public static DrainResult drain(Connection connection, IndexDefinition generation, Duration timeout)
            throws IOException {
        return new IndexRegions(connection, generation.table()).drain(List.of(generation.name()), timeout);
    }
}
