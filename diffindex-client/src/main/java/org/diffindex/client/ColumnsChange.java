package org.diffindex.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.client.ColumnsChangeListener.Step;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.TableIndexes;
import org.diffindex.tasks.DescriptorChange;
import org.diffindex.tasks.IndexStates;
import org.diffindex.tasks.Messages;

/**
 * Changes the columns, the protected cells, the split points or the format of an index while readers and writers continue: the
 * next {@linkplain GenerationName generation} of the index is built beside the present one, as its {@linkplain IndexRole#SHADOW
 * shadow}; then readers go over to it, by one change of the base table's descriptor; then the earlier generation is dropped.
 *
 * <pre>{@code
 * ColumnsChange.run(
 *         connection,
 *         IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
 *                 .column("f", "origin", ColumnTypes.STRING)
 *                 .column("f", "date", ColumnTypes.STRING)
 *                 .build(),
 *         BuildOptions.DEFAULT,
 *         ColumnsChangeListener.NONE);
 * }</pre>
 *
 * <p>Until readers go over, the index is what it was, and the change can be {@linkplain #cancel cancelled}. A change that failed
 * or was interrupted is continued by the same call, by whichever client; a call with another target is refused until the change
 * is complete or cancelled. The scheme and the name stay.
 *
 * <p>The methods are safe for use by many threads; concurrent changes of one index are serialized by the master.
 */
public final class ColumnsChange {
    /**
     * The configuration key for the milliseconds for which a change waits until its shadow has what was written before readers go
     * over to it; 10 minutes by default.
     */
    static final String DRAIN_MS_KEY = "diffindex.client.columns.drain.ms";

    private final Connection connection;
    private final Admin admin;
    private final TableName table;
    private final String index;

    private ColumnsChange(Connection connection, Admin admin, TableName table, String index) {
        this.connection = connection;
        this.admin = admin;
        this.table = table;
        this.index = index;
    }

    /** Changes an index like {@link #run(Connection, IndexDefinition, ColumnsChangeOptions, ColumnsChangeListener)}. */
    public static void run(
            Connection connection, IndexDefinition wanted, BuildOptions options, ColumnsChangeListener listener)
            throws IOException {
        run(connection, wanted, ColumnsChangeOptions.DEFAULT.building(options), listener);
    }

    /**
     * Changes an index. When this returns, reads by clients that did not know it before use the new columns; a client that knew
     * it goes over with its next query. Does nothing if the index is as wanted, but drops what an earlier change has left.
     *
     * @param wanted the index as it is to be, by its name; its scheme is of no effect
     * @throws NoSuchIndexException if the table has no index of that name, or it is DISABLED
     * @throws IllegalArgumentException if the name of the next generation would be too long
     * @throws DoNotRetryIOException if the index is not ACTIVE, another change of it is under way, the new definition does not
     *     fit the table, its build has failed or has left rows out, or a step failed; the message says what is true now
     * @throws InterruptedIOException if the thread is interrupted; the master goes on building
     */
    public static void run(
            Connection connection, IndexDefinition wanted, ColumnsChangeOptions options, ColumnsChangeListener listener)
            throws IOException {
        try (Admin admin = connection.getAdmin()) {
            ColumnsChange change = new ColumnsChange(connection, admin, wanted.table(), wanted.logicalName());
            Optional<IndexDefinition> shadow = change.enter(wanted, options.build(), listener);
            if (shadow.isPresent()) {
                change.build(shadow.get(), listener);
                if (!options.allowsLeftOut()) {
                    new LeftOutRows(connection, admin, shadow.get()).requireNone();
                }
                change.goOver(shadow.get(), listener);
            }
            change.removeEarlier(listener);
        }
    }

    /**
     * Begins a change like {@link #run}, and returns when the shadow is entered: every write maintains it, and the master builds
     * it. Readers go over only in {@link #run}.
     *
     * @return the shadow; empty if the index is as wanted
     */
    public static Optional<IndexDefinition> begin(Connection connection, IndexDefinition wanted, BuildOptions options)
            throws IOException {
        try (Admin admin = connection.getAdmin()) {
            ColumnsChange change = new ColumnsChange(connection, admin, wanted.table(), wanted.logicalName());
            Optional<IndexDefinition> shadow = change.enter(wanted, options, ColumnsChangeListener.NONE);
            if (shadow.isEmpty()) {
                change.removeEarlier(ColumnsChangeListener.NONE);
            }
            return shadow;
        }
    }

    /**
     * Cancels a change of an index whose readers have not gone over: drops the shadow. The index is then as if the change had
     * never begun.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws DoNotRetryIOException if no change is under way, or readers go over meanwhile, and nothing was changed; or a step
     *     failed; the message says what is true now
     */
    public static void cancel(Connection connection, TableName table, String index) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            new ColumnsChange(connection, admin, table, index).cancel();
        }
    }

    /**
     * Drops what an index was before its columns were changed, as {@link #run} does at its end, and if that has failed. Every
     * write maintains it until then.
     *
     * @param isForced whether not to wait until the regions of the former table refuse readers, which HBase cannot make them do
     *     while one of them cannot be opened; a client that has not gone over may then read it once more, without later writes
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws DoNotRetryIOException if nothing of it is left; or a step failed; the message says what is true now
     */
    public static void removeFormer(Connection connection, TableName table, String index, boolean isForced)
            throws IOException {
        try (Admin admin = connection.getAdmin()) {
            ColumnsChange change = new ColumnsChange(connection, admin, table, index);
            if (!change.isEarlierRemoved(isForced, ColumnsChangeListener.NONE)) {
                throw CreationChecks.refusal(
                        "Nothing is left of what " + change.named() + " was before its columns were changed");
            }
        }
    }

    /**
     * Requires that an index has one generation: that no change of its columns is under way, and nothing of an earlier one left.
     *
     * @param operation what cannot be done otherwise, such as "disable", for the message
     * @throws DoNotRetryIOException if it has more; the message says what to do
     */
    public static void requireNone(Connection connection, TableName table, String index, String operation)
            throws IOException {
        try (Admin admin = connection.getAdmin()) {
            Generations.requireOne(admin, table, index, operation);
        }
    }

    /** Enters the shadow, or finds the one that is entered; empty if the index is as wanted. */
    private Optional<IndexDefinition> enter(
            IndexDefinition wanted, BuildOptions options, ColumnsChangeListener listener) throws IOException {
        TableIndexes indexes = Descriptors.definitions(admin, table);
        IndexDefinition present = present(indexes);
        Optional<String> entered = indexes.generation(index, IndexRole.SHADOW);
        if (entered.isEmpty() && present.hasShapeOf(wanted)) {
            return Optional.empty();
        }
        IndexDefinition target = wanted.asShadowOf(present);
        if (entered.isPresent()) {
            IndexDefinition shadow = indexes.get(entered.get());
            requireSame(shadow, target);
            if (Descriptors.stateOf(admin, shadow.indexTable()).equals(Optional.of(IndexState.ACTIVE))) {
                return Optional.of(shadow);
            }
        } else {
            requireUnchanged(present);
            removeEarlier(listener);
        }
        listener.begins(Step.ENTER);
        try {
            return Optional.of(IndexCreation.ofShadow(connection, admin, target, present, options)
                    .begin(listener));
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw unfinished("has not begun, or its build does not go on", e, readersAfter(target, e, ""));
        }
    }

    /**
     * Returns the definition in service.
     *
     * @throws NoSuchIndexException if there is none
     */
    private IndexDefinition present(TableIndexes indexes) throws IOException {
        IndexDefinition present = indexes.named(index);
        if (present == null) {
            boolean isDisabled = Generations.disabled(admin, table, index).isPresent();
            throw isDisabled ? NoSuchIndexException.disabled(table, index) : new NoSuchIndexException(table, index);
        }
        return present;
    }

    private void requireSame(IndexDefinition shadow, IndexDefinition target) throws DoNotRetryIOException {
        if (!shadow.hasShapeOf(target)) {
            throw CreationChecks.refusal("Another change of " + named() + " is under way, to " + shadow
                    + "; repeat that one to complete it, or cancel it first: bin/diffindex alter-index " + table + " "
                    + index + " --cancel");
        }
    }

    /** Requires that the index can be read, and that no change of its scheme is under way. */
    private void requireUnchanged(IndexDefinition present) throws IOException {
        Optional<TableDescriptor> own = Descriptors.findVisible(admin, present.indexTable());
        IndexState state = own.map(IndexDefinitions::stateOf).orElse(IndexState.ACTIVE);
        if (state != IndexState.ACTIVE) {
            throw CreationChecks.refusal("The columns of " + named() + " were not changed: it is " + state
                    + "; change it when it is ACTIVE");
        }
        Optional<SchemeState> schemes = own.flatMap(IndexDefinitions::schemeStateOf);
        if (schemes.flatMap(SchemeState::next).isPresent()) {
            throw CreationChecks.refusal("The columns of " + named() + " were not changed: a change of its scheme to "
                    + schemes.get().next().get() + " has begun; complete that first: bin/diffindex alter-index "
                    + table + " " + index + " --scheme " + schemes.get().next().get());
        }
    }

    private void build(IndexDefinition shadow, ColumnsChangeListener listener) throws IOException {
        listener.begins(Step.BUILD);
        try {
            new BuildWait(connection, admin, shadow).run(listener);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw unfinished("is not complete", e, readersAfter(shadow, e, ""));
        }
    }

    /** Lets readers go over to the shadow; repeats that as often as other clients change the table. */
    private void goOver(IndexDefinition shadow, ColumnsChangeListener listener) throws IOException {
        listener.begins(Step.SWITCH);
        try {
            settle(shadow);
            boolean isDone;
            do {
                isDone = isSwitched(shadow);
            } while (!isDone);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            boolean isRefused = e instanceof DoNotRetryIOException;
            throw unfinished(
                    "is not complete",
                    e,
                    readersAfter(shadow, e, isRefused ? "" : ", unless the master still lets them go over"));
        }
    }

    /**
     * Makes a shadow such that readers miss nothing when they go over to it. Its regions have been opened with the state ACTIVE,
     * which this user may not be able to see otherwise; the master has let the same users read it, and all servers know that, so
     * that they tell sessions of their changes of it; and it has what was written before. Does nothing if the shadow is not ACTIVE
     * any more, in which case readers do not go over, or have gone over already.
     */
    private void settle(IndexDefinition shadow) throws IOException {
        boolean isShadow =
                Descriptors.definitions(admin, table).ofRole(IndexRole.SHADOW).containsKey(shadow.name());
        if (!isShadow || !IndexStates.settle(admin, shadow.indexTable(), shadow.id())) {
            return;
        }
        Duration timeout =
                Duration.ofMillis(connection.getConfiguration().getLong(DRAIN_MS_KEY, TimeUnit.MINUTES.toMillis(10)));
        DrainResult drained = new IndexRegions(connection, table).drain(List.of(shadow.name()), timeout);
        if (!drained.isDrained()) {
            throw new DoNotRetryIOException(
                    "%,d batches of index updates of its shadow %s are not delivered after %d s; run `diffindex status %s` for the reason"
                            .formatted(drained.remaining(), shadow.indexTable(), timeout.toSeconds(), table));
        }
    }

    /** Makes the switch in the base table as it is now; returns false if another client has changed the table meanwhile. */
    private boolean isSwitched(IndexDefinition shadow) throws IOException {
        TableDescriptor base = Descriptors.of(admin, table);
        TableIndexes indexes = Descriptors.definitions(base);
        IndexDefinition entered = indexes.get(shadow.name());
        if (entered == null || !entered.id().equals(shadow.id())) {
            throw new DoNotRetryIOException("its shadow " + shadow.indexTable()
                    + " was cancelled, dropped or rebuilt by another client meanwhile");
        }
        if (entered.role() != IndexRole.SHADOW) {
            return true; // another client has completed the change, or an earlier attempt of this one
        }
        IndexDefinition present = indexes.named(index);
        if (present == null) {
            throw new DoNotRetryIOException("it was disabled or dropped meanwhile, or is being rebuilt");
        }
        TableDescriptor switched = IndexDefinitions.withAll(
                base, List.of(entered.withRole(IndexRole.IN_SERVICE), present.withRole(IndexRole.RETIRED)));
        return DescriptorChange.isMade(admin, base, switched);
    }

    private void removeEarlier(ColumnsChangeListener listener) throws IOException {
        boolean unused = isEarlierRemoved(false, listener);
    }

    /** Drops the generation before the one in service; returns false if nothing of it was left. */
    private boolean isEarlierRemoved(boolean isForced, ColumnsChangeListener listener) throws IOException {
        IndexDefinition present = present(Descriptors.definitions(admin, table));
        GenerationName name = GenerationName.of(present.name());
        if (name.isFirst()) {
            return false;
        }
        String earlier = name.previous().toString();
        DefinitionRemoval definitions =
                new DefinitionRemoval(admin, table, earlier, IndexDefinition.indexTable(table, earlier));
        if (!definitions.isDefined() && definitions.ownTable().isEmpty()) {
            return false;
        }
        listener.begins(Step.REMOVE);
        try {
            IndexRemoval.ofRetired(admin, table, earlier, isForced).run();
            return true;
        } catch (InterruptedIOException e) {
            throw e;
        } catch (NoSuchIndexException e) {
            return false; // another client has dropped it
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "The columns of " + named() + " are changed: it is " + present + " now. What it was before, "
                            + IndexDefinition.indexTable(table, earlier) + ", could not be removed: "
                            + Messages.of(e) + ". Repeat the change to remove it",
                    e);
        }
    }

    private void cancel() throws IOException {
        TableIndexes indexes = Descriptors.definitions(admin, table);
        Optional<String> entered = indexes.generation(index, IndexRole.SHADOW);
        String shadow;
        if (entered.isPresent()) {
            shadow = entered.get();
        } else {
            // A cancellation that was interrupted may have left the table.
            shadow = GenerationName.of(present(indexes).name()).next().toString();
            boolean isTableLeft = new DefinitionRemoval(admin, table, shadow, IndexDefinition.indexTable(table, shadow))
                    .ownTable()
                    .isPresent();
            if (!isTableLeft) {
                throw CreationChecks.refusal("No change of the columns of " + named() + " is under way");
            }
        }
        try {
            IndexRemoval.ofShadow(admin, table, shadow).run();
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "The change of the columns of " + named() + " is not cancelled: " + Messages.of(e)
                            + ". Describe the index, and cancel the change again if it is still under way",
                    e);
        }
    }

    private DoNotRetryIOException unfinished(String what, IOException cause, String truth) {
        return new DoNotRetryIOException(
                "The change of the columns of " + named() + " " + what + ": " + Messages.of(cause) + ". " + truth,
                cause);
    }

    /**
     * Returns, for a message, which generation readers use after a failure, and what to do. The call that failed may have been
     * carried out, and other clients may have completed the change.
     *
     * @param reservation what may become of it yet, if readers have not gone over; may be empty
     */
    private String readersAfter(IndexDefinition shadow, IOException failure, String reservation) {
        Optional<String> inService;
        try {
            inService = Descriptors.definitions(admin, table).generation(index, IndexRole.IN_SERVICE);
        } catch (IOException e) {
            failure.addSuppressed(e);
            return "Whether readers use the index as it was, or its new columns, is not known: " + Messages.of(e)
                    + ". Repeat the change to complete it";
        }
        if (inService.isEmpty()) {
            return "The table defines no generation of it that readers use: it was disabled or dropped, or is being"
                    + " rebuilt; list the indexes of the table";
        }
        return inService.get().equals(shadow.name())
                ? "Readers use its new columns, in " + shadow.indexTable() + ". Repeat the change to complete it"
                : "Readers use the index as it was" + reservation + ". Repeat the change to continue it, or cancel it:"
                        + " bin/diffindex alter-index " + table + " " + index + " --cancel";
    }

    private String named() {
        return "index " + index + " of " + table;
    }
}
