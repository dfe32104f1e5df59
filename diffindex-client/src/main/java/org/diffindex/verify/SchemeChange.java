package org.diffindex.verify;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.client.ColumnsChange;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.UnknownSchemesException;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.SchemeChangeEndedException;
import org.diffindex.tasks.SchemeSteps;
import org.diffindex.verify.SchemeChangeListener.Step;

/**
 * Changes the scheme of an index while readers and writers continue.
 *
 * <pre>{@code
 * SchemeChange.run(connection, TableName.valueOf("flights"), "by_origin", IndexScheme.SYNC_FULL,
 *         SchemeChangeOptions.DEFAULT, SchemeChangeListener.NONE);
 * }</pre>
 *
 * <p>While the change is under way, the index promises what the weaker of both schemes promises. A change that failed or was
 * interrupted leaves it so, and is completed by the same call again; a call with another scheme, the former one among them,
 * takes its place. {@link SchemeState} describes the steps.
 *
 * <p>Used by one thread, once.
 */
public final class SchemeChange {
    /**
     * How often the index is compared at most. The first comparison removes all stale entries but those of rows of which
     * nothing was known at the time.
     */
    private static final int MOST_COMPARISONS = 10;

    private final IndexDefinition index;
    private final IndexScheme target;
    private final SchemeSteps steps;
    private final Remains remains;
    private final SchemeChangeListener listener;

    /** The entries that the old scheme has left. */
    interface Remains {
        /** Waits until the updates that the index lacks are delivered; returns how many are not, after a time. */
        long drain() throws IOException;

        /** Compares and repairs the index. */
        ScrubReport repair(IndexDefinition byNewScheme) throws IOException;
    }

    /**
     * Creates a change.
     *
     * @param index the index as its base table defines it
     */
    SchemeChange(
            IndexDefinition index,
            IndexScheme target,
            SchemeSteps steps,
            Remains remains,
            SchemeChangeListener listener) {
        this.index = index;
        this.target = target;
        this.steps = steps;
        this.remains = remains;
        this.listener = listener;
    }

    /**
     * Changes the scheme of an index. When this returns, the promise of the new scheme holds. Does nothing if the index has
     * the scheme.
     *
     * <p>If the old scheme leaves stale entries and the new one does not, the index is compared with its table, both as this
     * user sees them: call it as a user from whom no cell is hidden.
     *
     * @throws org.diffindex.client.NoSuchIndexException if the table has no index of that name, or it is DISABLED
     * @throws SchemeChangeEndedException if the index was disabled, rebuilt or dropped meanwhile, or another change of its
     *     scheme has taken the place of this one
     * @throws DoNotRetryIOException if the index is not ACTIVE, or a step failed; the message says what is true now
     * @throws InterruptedIOException if the thread is interrupted; the change is not complete
     */
    public static void run(
            Connection connection,
            TableName table,
            String index,
            IndexScheme scheme,
            SchemeChangeOptions options,
            SchemeChangeListener listener)
            throws IOException {
        try (DiffIndexAdmin indexes = new DiffIndexAdmin(connection);
                Admin admin = connection.getAdmin()) {
            IndexDefinition definition = indexes.describeIndex(table, index);
            Optional<IndexState> state = indexes.stateOf(table, index);
            if (!state.equals(Optional.of(IndexState.ACTIVE))) {
                throw new DoNotRetryIOException("The scheme of index " + index + " of " + table
                        + " was not changed: the index is "
                        + state.map(IndexState::name).orElse("of an unknown state")
                        + "; change it when it is ACTIVE");
            }
            ColumnsChange.requireNone(connection, table, index, "change the scheme of");
            Remains remains = remains(connection, indexes, definition, options, listener);
            new SchemeChange(definition, scheme, new SchemeSteps(admin, definition), remains, listener).run();
        }
    }

    private static Remains remains(
            Connection connection,
            DiffIndexAdmin indexes,
            IndexDefinition definition,
            SchemeChangeOptions options,
            ScrubListener listener) {
        return new Remains() {
            @Override
            public long drain() throws IOException {
                return indexes.drain(definition.table(), List.of(definition.name()), options.drainTimeout())
                        .remaining();
            }

            @Override
            public ScrubReport repair(IndexDefinition byNewScheme) throws IOException {
                return Scrubber.scrubAs(connection, byNewScheme, options.comparison(), listener);
            }
        };
    }

    void run() throws IOException {
        Optional<SchemeState> present = present();
        boolean isUnderWay = present.flatMap(SchemeState::next).isPresent();
        // The definition may have been read before another change, which is complete.
        IndexScheme scheme = present.map(SchemeState::promise).orElse(index.scheme());
        if (scheme == target && !isUnderWay) {
            if (present.isPresent()) {
                steps.settle(); // the client that made the change may not have waited for all regions
            }
            return;
        }
        if (!isUnderWay && scheme.promisesLessThan(target)) {
            drain(Step.DRAIN_BEFORE, "Nothing was changed");
        }
        listener.begins(Step.BEGIN);
        SchemeState begun = steps.begin(target);
        try {
            change(begun);
        } catch (InterruptedIOException | SchemeChangeEndedException e) {
            throw e;
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "The change of " + named() + " to " + target + " has begun, and is not complete: " + Messages.of(e)
                            + ". Writes and reads continue; until the change is complete, the index promises what "
                            + begun.promise()
                            + " does. Repeat the change to complete it, or change the index to another"
                            + " scheme",
                    e);
        }
    }

    private Optional<SchemeState> present() throws IOException {
        try {
            return steps.present();
        } catch (UnknownSchemesException e) {
            throw new DoNotRetryIOException(
                    "The scheme of " + named() + " was not changed: " + e.getMessage() + "; "
                            + UnknownSchemesException.remedy(),
                    e);
        } catch (IllegalArgumentException e) {
            throw new DoNotRetryIOException(
                    "The scheme of " + named() + " was not changed: " + e.getMessage() + "; rebuild the index", e);
        }
    }

    private void change(SchemeState begun) throws IOException {
        listener.begins(Step.DEFINE);
        steps.define(begun);
        if (begun.needsCleanup()) {
            listener.begins(Step.FENCE);
            steps.fence(begun);
        }
        if (begun.needsDrain()) {
            drain(Step.DRAIN, "Writes maintain the index by the new scheme");
        }
        if (begun.needsCleanup()) {
            listener.begins(Step.CLEAN_UP);
            removeStaleEntries(index.withScheme(target).withChange(begun.change()));
        }
        listener.begins(Step.COMPLETE);
        steps.complete(begun);
    }

    private void drain(Step step, String truth) throws IOException {
        listener.begins(step);
        long left = remains.drain();
        if (left > 0) {
            throw new DoNotRetryIOException(
                    "%,d batches of index updates of %s are not delivered in time; run".formatted(left, named())
                            + " `diffindex status " + index.table() + "` for the reason. " + truth);
        }
    }

    /**
     * Removes all stale entries. Since no write adds one any more, a comparison that has repaired what it found, and knows
     * every row, leaves none.
     */
    private void removeStaleEntries(IndexDefinition changed) throws IOException {
        ScrubReport report = remains.repair(changed);
        for (int more = 1; more < MOST_COMPARISONS && !report.isClean(); more++) {
            report = remains.repair(changed);
        }
        if (!report.isClean()) {
            throw new DoNotRetryIOException("stale entries may be left, after " + MOST_COMPARISONS + " comparisons; the"
                    + " last one: " + report);
        }
    }

    private String named() {
        return "index " + index.name() + " of " + index.table();
    }
}
