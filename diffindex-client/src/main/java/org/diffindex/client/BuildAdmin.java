package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.tasks.IndexStates;

/**
 * Follows and controls the builds of indexes, which the master runs. While the columns of an index are being changed ({@link
 * ColumnsChange}), its build is that of its shadow. Obtained from {@link DiffIndexAdmin#builds}. Safe for
 * use by many threads.
 */
public final class BuildAdmin {
    private final Connection connection;
    private final DiffIndexAdmin indexes;
    private final BuildCalls calls;

    BuildAdmin(Connection connection, DiffIndexAdmin indexes) {
        this.connection = connection;
        this.indexes = indexes;
        this.calls = new BuildCalls(connection);
    }

    /**
     * Returns how far the build of an index is.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     */
    public BuildStatus status(TableName table, String index) throws IOException {
        return order(table, index, request -> request);
    }

    /**
     * Lets the build of an index stand still after the pages that are being written, until it is resumed. Every write
     * maintains the index meanwhile.
     *
     * @return how far the build is
     * @throws NoSuchIndexException if the table has no index of that name
     */
    public BuildStatus pause(TableName table, String index) throws IOException {
        return order(table, index, request -> request.setPaused(true));
    }

    /**
     * Resumes the build of an index, or tries it again if it has failed, from where it was.
     *
     * @return how far the build is
     * @throws NoSuchIndexException if the table has no index of that name
     */
    public BuildStatus resume(TableName table, String index) throws IOException {
        return order(table, index, request -> request.setPaused(false).setRetry(true));
    }

    /**
     * Takes the build of an index from the job that builds it, dead or alive, and resumes it: the master does what the job has
     * not recorded.
     *
     * @return how far the build is
     * @throws NoSuchIndexException if the table has no index of that name
     */
    public BuildStatus resumeOnMaster(TableName table, String index) throws IOException {
        return order(
                table, index, request -> request.setPaused(false).setRetry(true).setEndJob(""));
    }

    /**
     * Cancels the build of an index: drops the index, as {@link DiffIndexAdmin#dropIndex(TableName, String)} does; or, if its
     * columns are being changed, only its shadow, as {@link ColumnsChange#cancel} does.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the index is neither BUILDING nor BROKEN, and nothing was changed; or if a
     *     step failed; the message says what is true now
     */
    public void cancel(TableName table, String index) throws IOException {
        IndexDefinition definition = toBuild(table, index);
        if (definition.role() == IndexRole.SHADOW) {
            ColumnsChange.cancel(connection, table, index);
            return;
        }
        if (!isCancelled(definition)) {
            throw CreationChecks.refusal("Index " + index + " of " + table + " is "
                    + indexes.stateOf(table, index)
                            .map(IndexState::toString)
                            .orElse("without a table, or this user may not see it")
                    + ", neither BUILDING nor BROKEN; to remove it, drop it");
        }
        indexes.dropIndex(table, index);
    }

    /** Returns the definition that is built under the name of an index: the shadow, if its columns are being changed. */
    private IndexDefinition toBuild(TableName table, String index) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            TableIndexes all = Descriptors.definitions(admin, table);
            Optional<String> shadow = all.generation(index, IndexRole.SHADOW);
            return shadow.isPresent() ? all.get(shadow.get()) : indexes.describeIndex(table, index);
        }
    }

    private boolean isCancelled(IndexDefinition definition) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            return IndexStates.cancel(admin, definition.indexTable(), definition.id());
        }
    }

    /**
     * Limits the rate of the build of an index, also while it runs.
     *
     * @param rowsPerSecond the base rows that it reads a second; 0 for no limit
     * @return how far the build is
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws IllegalArgumentException if the rate is negative, infinite or not a number
     */
    public BuildStatus limit(TableName table, String index, double rowsPerSecond) throws IOException {
        if (!Double.isFinite(rowsPerSecond) || rowsPerSecond < 0) {
            throw new IllegalArgumentException(
                    "A build is limited to a number of rows a second, or 0 for no limit, not " + rowsPerSecond);
        }
        return order(table, index, request -> request.setRowsPerSecond(rowsPerSecond));
    }

    /** Orders something for a build; returns how far it is, or was when the index became ACTIVE. */
    private BuildStatus order(TableName table, String index, UnaryOperator<BuildRequest.Builder> orders)
            throws IOException {
        IndexDefinition definition = toBuild(table, index);
        Optional<BuildStatus> building = calls.order(definition, orders);
        if (building.isPresent()) {
            return building.get();
        }
        try (Admin admin = connection.getAdmin()) {
            return BuildCalls.ended(admin, definition);
        }
    }
}
