package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.tasks.DescriptorChange;
import org.diffindex.tasks.Messages;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enters the definition of an index, whose table is there and BUILDING, into its base table, as soon as a master has taken
 * over that table to build the index. Every write maintains the index when that returns.
 */
final class DefinitionEntry {
    private static final Logger LOG = LoggerFactory.getLogger(DefinitionEntry.class);

    /**
     * The configuration key for the milliseconds for which a creation waits for a master to take the index over; a minute by
     * default.
     */
    static final String BUILDER_MS_KEY = "diffindex.client.builder.ms";

    private static final long BUILDER_PAUSE_MS = 10;

    private final Connection connection;
    private final Admin admin;
    private final Configuration configuration;
    private final IndexDefinition definition;

    /** A check of the base table's descriptor just before the definition is entered. */
    @FunctionalInterface
    interface Check {
        void check(TableDescriptor base) throws IOException;
    }

    DefinitionEntry(Connection connection, Admin admin, IndexDefinition definition) {
        this.connection = connection;
        this.admin = admin;
        this.configuration = connection.getConfiguration();
        this.definition = definition;
    }

    /**
     * Enters the definition; returns when every region of the base table has been opened with it. Repeats that as often as
     * other clients change the table.
     */
    void run(Check fitting) throws IOException {
        awaitBuilder();
        while (!isEntered(fitting)) {
            LOG.info(
                    "Table {} was changed by another client; {} is entered after that", definition.table(), definition);
        }
    }

    /**
     * Waits until a master has taken over the index table, to build the index. HBase may take a while to tell its servers
     * that this user owns the new table, and may read it.
     *
     * @throws DoNotRetryIOException if none does for a while, this user may not find out, or the table was deleted
     */
    void awaitBuilder() throws IOException {
        await(this::isTakenOver);
    }

    /**
     * Waits until this user may read the index table, as {@link #awaitBuilder} has to. HBase makes a user who changes
     * the descriptor of a table its owner, but may take a while to tell its servers. A table that is disabled tells nothing;
     * returns at once.
     *
     * @throws DoNotRetryIOException if this user may not for a while, or the table was deleted
     */
    void awaitAccess() throws IOException {
        try {
            await(() -> {
                boolean unused = isThere(new Get(BuildFamily.ROW));
                return true;
            });
        } catch (TableNotEnabledException e) {
            LOG.debug("Whether {} may be read is not known before it is enabled", definition.indexTable(), e);
        }
    }

    /** Something to be found out by reading the index table. */
    @FunctionalInterface
    private interface Question {
        boolean ask() throws IOException;
    }

    private void await(Question question) throws IOException {
        long waitMs = configuration.getLong(BUILDER_MS_KEY, TimeUnit.MINUTES.toMillis(1));
        long begin = System.nanoTime();
        Optional<AccessDeniedException> denied = Optional.empty();
        while (true) {
            try {
                if (question.ask()) {
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
        return isThere(new Get(BuildFamily.ROW).addColumn(BuildFamily.NAME, BuildFamily.BUILDER));
    }

    private boolean isThere(Get cells) throws IOException {
        try (Table own = connection.getTable(definition.indexTable())) {
            return own.exists(cells);
        } catch (TableNotFoundException e) {
            throw new DoNotRetryIOException(
                    "its table " + definition.indexTable() + " was deleted by another client", e);
        }
    }

    private static IOException noBuilder(long waitMs) {
        return new DoNotRetryIOException("no master builds it: none has taken over its table within " + waitMs
                + " ms; each master needs the coprocessor " + Coprocessors.INDEX_MASTER_OBSERVER
                + " (hbase.coprocessor.master.classes), of this version");
    }

    private IOException unseen(long waitMs, AccessDeniedException denied) {
        return new DoNotRetryIOException(
                "for " + waitMs + " ms this user was not allowed to read its table " + definition.indexTable()
                        + ", which tells whether a master builds it: HBase's AccessController lets the user who creates a"
                        + " table read it; if another coprocessor controls access, let this user read that table ("
                        + Messages.of(denied) + ")",
                denied);
    }

    /**
     * Enters the definition into the base table as it is now; returns false if another client has changed the table's
     * descriptor at the same time.
     */
    private boolean isEntered(Check fitting) throws IOException {
        TableDescriptor current = Descriptors.of(admin, definition.table());
        fitting.check(current);
        TableDescriptor observed = Coprocessors.withObserver(current, configuration);
        return DescriptorChange.isMade(admin, current, IndexDefinitions.with(observed, definition));
    }
}
