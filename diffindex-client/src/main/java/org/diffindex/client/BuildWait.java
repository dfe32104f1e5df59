package org.diffindex.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.diffindex.tasks.DescriptorChange;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.Retries;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until the master has built an index, and it is ACTIVE in all regions. The build does not depend on who waits for it: it goes on if
 * the wait ends, and the wait goes on if another master takes the build over.
 */
final class BuildWait {
    /**
     * The configuration key for the milliseconds for which neither the master nor a region may answer before a wait ends; 10
     * minutes by default.
     */
    static final String RETRY_MS_KEY = "diffindex.client.build.retry.ms";

    /** Why no master builds an index whose table {@link #isLeftToAClient} is true for. */
    static final String LEFT_TO_A_CLIENT = "a client of an earlier version builds it, or was to build it";

    private static final Logger LOG = LoggerFactory.getLogger(BuildWait.class);
    private static final long TRUNCATION_MS = 60_000;
    private static final long SHORTEST_PAUSE_MS = 20;
    private static final long LONGEST_PAUSE_MS = 500;

    private final Connection connection;
    private final Admin admin;
    private final BuildCalls calls;
    private final Configuration configuration;
    private final IndexDefinition index;

    /**
     * Creates a wait.
     *
     * @param admin of the connection
     * @param index as the base table's descriptor has it
     */
    BuildWait(Connection connection, Admin admin, IndexDefinition index) {
        this.connection = connection;
        this.admin = admin;
        this.calls = new BuildCalls(connection);
        this.configuration = connection.getConfiguration();
        this.index = index;
    }

    /**
     * Waits.
     *
     * @throws InterruptedIOException if the thread is interrupted
     * @throws DoNotRetryIOException if the index is dropped, or its build has failed; the message says what is true now
     */
    void run(BuildListener listener) throws IOException {
        try {
            long retryMs = configuration.getLong(RETRY_MS_KEY, TimeUnit.MINUTES.toMillis(10));
            Retries retries = new Retries(retryMs, () -> {});
            long begin = System.nanoTime();
            while (!retries.get(() -> isActive(listener))) {
                long waitedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
                Pauses.sleep(
                        Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, waitedMs / 20)),
                        "Interrupted; the master goes on building the index");
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + index.name() + " on " + index.table() + " is not ACTIVE: " + Messages.of(e) + ". "
                            + stateAfter(e),
                    e);
        }
    }

    /**
     * Waits until an index is empty that is to be rebuilt; its base table defines it under another id then. Returns at once if
     * no rebuild is ordered, or this user may not see the index table. While HBase truncates that table, nothing tells that it
     * exists; so waits for up to {@value #TRUNCATION_MS} ms for one that is missing while the base table lacks the definition.
     */
    static void awaitEmptied(Admin admin, TableName table, String index, TableName indexTable) throws IOException {
        long begin = System.nanoTime();
        while (isToBeEmptied(admin, table, index, indexTable, begin)) {
            Pauses.sleep(LONGEST_PAUSE_MS, "Interrupted; the master goes on rebuilding the index");
        }
    }

    private static boolean isToBeEmptied(Admin admin, TableName table, String index, TableName indexTable, long begin)
            throws IOException {
        Optional<TableDescriptor> own;
        try {
            own = DescriptorChange.find(admin, indexTable);
        } catch (AccessDeniedException e) {
            LOG.debug("Whether {} is to be emptied is not known", indexTable, e);
            return false;
        }
        return own.isPresent()
                ? Rebuild.isDue(own.get())
                : System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(TRUNCATION_MS)
                        && DescriptorChange.find(admin, table)
                                .filter(base -> !IndexDefinitions.texts(base).containsKey(index))
                                .isPresent();
    }

    /** Returns whether the index is ACTIVE; tells the listener of the build first. */
    private boolean isActive(BuildListener listener) throws IOException {
        Optional<TableDescriptor> own = own();
        if (own.filter(BuildWait::isLeftToAClient).isPresent()) {
            throw new DoNotRetryIOException(LEFT_TO_A_CLIENT);
        }
        if (own.map(IndexDefinitions::stateOf).equals(Optional.of(IndexState.ACTIVE))) {
            own.flatMap(BuildFamily::totals).map(BuildStatus::complete).ifPresent(listener::progress);
            return IndexTableRegions.areReadable(connection, index);
        }
        Optional<BuildStatus> status = calls.status(index);
        status.ifPresent(listener::progress);
        Optional<String> problem =
                status.isPresent() ? status.flatMap(BuildStatus::problem) : own.flatMap(IndexDefinitions::problemOf);
        if (problem.isPresent()) {
            throw new DoNotRetryIOException(
                    (status.isPresent() ? "its build has failed: " : "it is BROKEN: ") + Messages.line(problem.get()));
        }
        return own.isEmpty() && status.isEmpty() && IndexTableRegions.areReadable(connection, index);
    }

    /** Returns whether an index table was made by a client that builds the index itself. */
    static boolean isLeftToAClient(TableDescriptor own) {
        return IndexDefinitions.stateOf(own) == IndexState.BUILDING && !own.hasColumnFamily(BuildFamily.NAME);
    }

    /**
     * Returns the table of the index, whose state is BUILDING, BROKEN or ACTIVE; empty if this user may not see it. Reads the
     * definition last, so that an index which is ACTIVE was also defined.
     *
     * @throws DoNotRetryIOException if its drop has begun, or it is dropped or disabled
     */
    private Optional<TableDescriptor> own() throws IOException {
        Optional<TableDescriptor> own;
        boolean isVisible = true;
        try {
            own = findOwn();
        } catch (AccessDeniedException e) {
            own = Optional.empty();
            isVisible = false;
        }
        Optional<IndexState> state = own.map(IndexDefinitions::stateOf);
        if (state.equals(Optional.of(IndexState.DROPPING))) {
            throw new DoNotRetryIOException("its drop has begun");
        }
        if (state.equals(Optional.of(IndexState.DISABLED))) {
            throw new DoNotRetryIOException("it was disabled meanwhile");
        }
        if (!isDefined()) {
            throw new DoNotRetryIOException("its definition was removed by another client");
        }
        if (own.isEmpty() && isVisible) {
            throw new DoNotRetryIOException(index.indexTable() + " is not its table any more");
        }
        return own;
    }

    /** Returns the index's own table; empty if the index has none. */
    private Optional<TableDescriptor> findOwn() throws IOException {
        return DescriptorChange.find(admin, index.indexTable())
                .filter(found -> IndexDefinitions.indexIdOf(found).equals(index.id()));
    }

    /** Returns whether the base table defines the index, in whatever role: another client may let readers go over to it. */
    private boolean isDefined() throws IOException {
        Optional<TableDescriptor> base = DescriptorChange.find(admin, index.table());
        if (base.isEmpty()) {
            return false;
        }
        IndexDefinition defined = Descriptors.definitions(base.get()).get(index.name());
        return defined != null && defined.withRole(index.role()).equals(index);
    }

    /** Returns what is true after a failure, and what to do. */
    private String stateAfter(IOException failure) {
        if (index.role() == IndexRole.SHADOW) {
            return "Every write maintains it as long as it is defined";
        }
        try {
            Optional<IndexState> state = findOwn().map(IndexDefinitions::stateOf);
            if (state.equals(Optional.of(IndexState.DISABLED))) {
                return "It is DISABLED; enable it to build it again";
            }
            if (!isDefined()) {
                return "It was dropped by another client, or its table was deleted; nothing is left to resume";
            }
            if (state.isEmpty()) {
                return "Every write fails to maintain it as long as it has no table; " + dropping(index);
            }
            return switch (state.get()) {
                case ACTIVE ->
                    "It is ACTIVE all the same; a read may be refused until all regions of its table are open";
                case BROKEN ->
                    "It is BROKEN: every write maintains it, but it cannot be read. Remove the cause and create it again"
                            + " with the same definition, or resume its build, to go on from where it was, or "
                            + dropping(index);
                case DISABLED, DROPPING ->
                    "It cannot be read any more; every write maintains it until the drop has removed its definition."
                            + " If that drop was interrupted, drop the index again; then create it";
                case BUILDING ->
                    "It is BUILDING: every write maintains it, but it cannot be read. Remove the cause and create it again"
                            + " with the same definition to resume from where it was, or " + dropping(index);
            };
        } catch (IOException e) {
            failure.addSuppressed(e);
            return "It may be BUILDING: every write maintains it then, but it cannot be read, and the master goes on"
                    + " building it. Create it again with the same definition to wait for it";
        }
    }

    /** Returns, for a message, how to start over with an index. */
    static String dropping(IndexDefinition index) {
        return "drop index " + index.name() + " of " + index.table() + " and create it again";
    }
}
