package org.diffindex.server.build;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.UnloadedIndex;
import org.diffindex.tasks.IndexStates;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the builds of all indexes that are BUILDING, or BROKEN and to be tried again, on the active master, after it has
 * {@linkplain Emptying emptied} those that are to be rebuilt. The descriptors say what is to be built, and each build's {@link
 * BuildRecord} how far it is; so a new master finds the builds of its predecessor, and nothing has to be handed over. Looks for indexes when it starts, when a table was created or changed, and every half minute, and for
 * orders in the records twice a second. While a job builds an index in place of the master, the master waits for its end,
 * and then does what is left. An index whose table has no {@link BuildFamily} is left to the client that makes
 * it, of an earlier version.
 *
 * <p>Thread-safe. One thread looks; each build has a thread, and those of the regions that it works on.
 */
public final class IndexBuilds implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(IndexBuilds.class);
    private static final long LOOK_MS = 30_000;
    private static final long WATCH_MS = 500;

    private final Connection connection;
    private final String master;
    private final Consumer<Collection<BuildReading>> watcher;
    private final Lookout looking = new Lookout("diffindex-builds");
    private final ExecutorService threads = Executors.newCachedThreadPool(new ThreadFactoryBuilder()
            .setNameFormat("diffindex-build-%d")
            .setDaemon(true)
            .build());

    /** The targets found at the last look, by the ids of the indexes. Confined to the looking thread. */
    private final Map<String, BuildTarget> targets = new HashMap<>();

    /** Which of these indexes this master has taken over, by their ids. Confined to the looking thread. */
    private final Set<String> takenOver = new HashSet<>();

    /** The indexes whose records could not be reached last time, by their ids. Confined to the looking thread. */
    private final Set<String> unreachable = new HashSet<>();

    /** The builds that have begun and not ended, by the ids of their indexes. Confined to the looking thread. */
    private final Map<String, Running> running = new HashMap<>();

    /**
     * The last readings of the records, empty ones included, by the ids of the indexes. Confined to the looking thread.
     */
    private final Map<String, BuildReading> readings = new HashMap<>();

    /** The indexes whose state was to be changed since the last look, by their ids. Confined to the looking thread. */
    private final Set<String> changed = new HashSet<>();

    /** The base tables of which indexes were to be emptied since the last look. Confined to the looking thread. */
    private final Set<TableName> emptied = new HashSet<>();

    /** The base tables of which indexes are being emptied. */
    private final Set<TableName> emptying = ConcurrentHashMap.newKeySet();

    private final StateChanges changes;

    /**
     * The work that runs for an index.
     *
     * @param build the build; empty if only the state of the index is changed
     */
    private record Running(Optional<IndexBuild> build, Future<?> thread) {
        void order(BuildOrders orders) {
            build.ifPresent(running -> running.order(orders));
        }
    }

    /**
     * Creates the builds of a master.
     *
     * @param connection the master's own, which is not closed
     * @param master the master's name
     */
    public IndexBuilds(Connection connection, String master) {
        this(connection, master, builds -> {});
    }

    /**
     * Creates the builds of a master.
     *
     * @param connection the master's own, which is not closed
     * @param master the master's name
     * @param watcher receives, twice a second, how far the builds are of indexes that their base tables define; may not
     * fail
     */
    public IndexBuilds(Connection connection, String master, Consumer<Collection<BuildReading>> watcher) {
        this.connection = connection;
        this.changes = new StateChanges(connection);
        this.master = master;
        this.watcher = watcher;
    }

    /** Begins to look for indexes to build. */
    public void start() {
        looking.lookEvery(LOOK_MS, this::look);
        looking.lookEvery(WATCH_MS, this::watch);
    }

    /** Looks soon, because something has changed; does nothing once the master stops. */
    public void lookSoon() {
        looking.lookSoon(() -> {
            look();
            watch();
        });
    }

    /** Finds out what is to be built. */
    private void look() {
        try (Admin admin = connection.getAdmin()) {
            Map<String, BuildTarget> found = BuildTarget.among(admin.listTableDescriptors());
            targets.clear();
            targets.putAll(found);
            changed.clear();
            emptied.clear();
            takenOver.retainAll(targets.keySet());
            unreachable.retainAll(targets.keySet());
        } catch (IOException e) {
            LOG.warn("Could not look for indexes to build; will look again in {} s", LOOK_MS / 1_000, e);
        }
    }

    /**
     * Takes over the tables that are not yet, begins the builds that do not run and have not failed, and lets those that run
     * follow their orders. One whose index is not BUILDING any more is ordered to go on, so that it notices, paused or not.
     */
    private void watch() {
        running.values().removeIf(build -> build.thread().isDone());
        targets.values().stream()
                .filter(BuildTarget::isToBeEmptied)
                .map(BuildTarget::base)
                .distinct()
                .forEach(this::empty);
        targets.values().removeIf(target -> !target.isToBeEmptied() && !isWatched(target));
        readings.keySet().retainAll(targets.keySet());
        watcher.accept(List.copyOf(readings.values()));
        running.forEach((id, build) -> {
            if (!targets.containsKey(id)) {
                build.order(BuildOrders.NONE);
            }
        });
    }

    /** Returns whether an index is still to be built, as far as is known. */
    private boolean isWatched(BuildTarget target) {
        try {
            BuildRecord record = new BuildRecord(connection, target.table().getTableName(), target.id());
            if (!takenOver.contains(target.id())) {
                record.takeOver(master, target.table()); // which lets its client enter the definition
                takenOver.add(target.id());
            }
            BuildRecord.State state = record.read();
            isRead(target, Optional.of(state));
            if (target.index().isPresent()) {
                follow(target, target.index().get(), state);
            } else if (target.unloaded().isPresent()) {
                giveUp(target, target.unloaded().get(), record, state);
            }
            unreachable.remove(target.id());
            return true;
        } catch (NoSuchColumnFamilyException | TableNotFoundException e) {
            LOG.debug("{} is not to be built any more", target, e);
            return false;
        } catch (IOException | RuntimeException e) {
            if (unreachable.add(target.id())) {
                LOG.warn("The record of the build of {} cannot be reached; will try again", target, e);
            }
            isRead(target, Optional.empty());
            return true;
        }
    }

    /** Remembers what the record of a build says, empty if it cannot be reached. */
    private void isRead(BuildTarget target, Optional<BuildRecord.State> state) {
        target.index()
                .map(index -> BuildReading.of(index.table(), index.name(), state))
                .or(() -> target.unloaded().map(index -> BuildReading.of(index.table(), index.name(), state)))
                .ifPresent(reading -> readings.put(target.id(), reading));
    }

    /** Records that this master cannot load the definition, and makes the index BROKEN. */
    private void giveUp(BuildTarget target, UnloadedIndex index, BuildRecord record, BuildRecord.State state)
            throws IOException {
        String problem = "master " + master + " cannot load the definition: " + index.problem()
                + "; give every master the classes of the indexes' columns, and restart this one";
        if (state.problem().isEmpty()) {
            record.failed(problem);
        }
        breakOff(target, problem);
    }

    private void follow(BuildTarget target, IndexDefinition index, BuildRecord.State state) {
        Running build = running.get(index.id());
        if (state.claim().job().isPresent()) {
            if (build != null) {
                LOG.info(
                        "{} is built by job {} from now on",
                        index,
                        state.claim().job().get());
                build.thread().cancel(true);
            } else if (target.isBroken() && state.problem().isEmpty()) {
                change(target, admin -> IndexStates.retry(admin, target.table().getTableName(), target.id()));
            }
        } else if (build != null) {
            build.order(state.orders());
        } else if (state.problem().isPresent()) {
            breakOff(target, state.problem().get());
        } else {
            IndexBuild begun = new IndexBuild(connection, index, state, changes);
            running.put(index.id(), new Running(Optional.of(begun), threads.submit(begun::run)));
        }
    }

    /** Empties the indexes of a table that are to be rebuilt, unless that was tried since the last look. */
    private void empty(TableName base) {
        if (!emptying.contains(base) && emptied.add(base)) {
            emptying.add(base);
            boolean hasBegun = false;
            try {
                Future<?> unused = threads.submit(() -> emptyNow(base));
                hasBegun = true;
            } finally {
                if (!hasBegun) {
                    emptying.remove(base);
                }
            }
        }
    }

    private void emptyNow(TableName base) {
        try {
            new Emptying(connection, changes, base).run();
            lookSoon();
        } catch (IOException | RuntimeException e) {
            LOG.warn("The indexes of {} that are to be rebuilt could not be emptied; will try again", base, e);
        } finally {
            emptying.remove(base);
        }
    }

    /** Makes the index of a build that has failed BROKEN, unless it is already. */
    private void breakOff(BuildTarget target, String problem) {
        if (!target.isBroken()) {
            change(target, admin -> IndexStates.fail(admin, target.table().getTableName(), target.id(), problem));
        }
    }

    /** Changes the state of an index that is not built here, unless that was tried since the last look. */
    private void change(BuildTarget target, StateChanges.Change change) {
        if (!running.containsKey(target.id()) && changed.add(target.id())) {
            Future<?> thread = threads.submit(() -> {
                try {
                    boolean unused = changes.make(change);
                } catch (IOException | RuntimeException e) {
                    LOG.warn("The state of {} could not be changed; will try again", target, e);
                }
            });
            running.put(target.id(), new Running(Optional.empty(), thread));
        }
    }

    /** Interrupts all builds; the next master continues them. */
    @Override
    public void close() {
        looking.close();
        threads.shutdownNow();
    }
}
