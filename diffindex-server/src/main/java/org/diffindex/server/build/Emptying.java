package org.diffindex.server.build;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.Rebuild;
import org.diffindex.tasks.DescriptorChange;
import org.diffindex.tasks.IndexStates;
import org.diffindex.tasks.TaskPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the {@linkplain org.diffindex.model.Rebuild rebuild} of those indexes of a base table for which it is ordered, in the
 * steps by which a client disables and enables an index:
 *
 * <ol>
 *   <li>the base table loses their definitions, so that no write waits for them;
 *   <li>each index table gets another id, so that its regions refuse what servers still hold for the index of before, and is
 *       emptied;
 *   <li>the base table gets the definitions back, with these ids;
 *   <li>the order ends, and the master builds each index as it builds a new one.
 * </ol>
 *
 * <p>Each change of the base table waits for its lock, and so until a truncation that holds it is complete: what is built
 * follows from the rows after it. The order stays until the last step. So whatever was interrupted begins again from the first,
 * under yet another id, because writes may have maintained the index since.
 */
final class Emptying {
    private static final Logger LOG = LoggerFactory.getLogger(Emptying.class);
    private static final int AT_A_TIME = 4;

    private final Connection connection;
    private final StateChanges changes;
    private final TableName base;

    /**
     * Creates the beginning of the rebuilds of a table's indexes.
     *
     * @param connection the master's own
     */
    Emptying(Connection connection, StateChanges changes, TableName base) {
        this.connection = connection;
        this.changes = changes;
        this.base = base;
    }

    /**
     * Empties the indexes of the table that are to be emptied now, and lets their builds begin. Leaves those to a client that
     * the client disables, enables or drops meanwhile.
     *
     * @throws IOException if a step failed; the order is still there for each index whose build has not begun
     */
    void run() throws IOException {
        List<IndexDefinition> indexes = new ArrayList<>();
        for (BuildTarget target : targets()) {
            try {
                Optional<IndexDefinition> ordered = ordered(target);
                ordered.ifPresent(indexes::add);
            } catch (IllegalArgumentException e) {
                LOG.warn("{} cannot be rebuilt: the definition that its table keeps is not valid", target, e);
            }
        }
        if (!indexes.isEmpty()) {
            LOG.info("Rebuilding {}: rows of {} were replaced", indexes, base);
            change((admin, current) -> IndexDefinitions.withoutAll(current, stillOrdered(admin, indexes)));
            List<Empty> empty = Collections.synchronizedList(new ArrayList<>());
            try {
                new TaskPool("diffindex-emptying", AT_A_TIME)
                        .run(
                                indexes.stream()
                                        .map(index -> (TaskPool.Task)
                                                () -> empty(index).ifPresent(empty::add))
                                        .toList(),
                                done -> {});
            } finally {
                begin(List.copyOf(empty));
            }
        }
    }

    /**
     * Returns the names of those indexes whose tables still have their ids, and the order. Requires that the base table was read
     * before: otherwise another client may have dropped the index since, and created one of the same name, which the base
     * table would lose.
     */
    private static List<String> stillOrdered(Admin admin, List<IndexDefinition> indexes) throws IOException {
        List<String> names = new ArrayList<>();
        for (IndexDefinition index : indexes) {
            try {
                TableDescriptor own = admin.getDescriptor(index.indexTable());
                if (Rebuild.isDue(own) && IndexDefinitions.indexIdOf(own).equals(index.id())) {
                    names.add(index.name());
                }
            } catch (TableNotFoundException e) {
                LOG.debug("{} was dropped meanwhile", index, e);
            }
        }
        return names;
    }

    private List<BuildTarget> targets() throws IOException {
        try (Admin admin = connection.getAdmin()) {
            return BuildTarget.among(admin.listTableDescriptors()).values().stream()
                    .filter(target -> target.isToBeEmptied() && target.base().equals(base))
                    .collect(Collectors.toList());
        }
    }

    /** Returns the index that is to be rebuilt, under its present id; empty if a client has changed its state meanwhile. */
    private Optional<IndexDefinition> ordered(BuildTarget target) throws IOException {
        if (!target.isOrdered()) {
            return order(target.table().getTableName());
        }
        IndexDefinition kept =
                definition(target, IndexDefinitions.keptIn(target.table()).orElseThrow());
        // The order may have been given just after a change of the scheme, by somebody who has ended since.
        boolean isNewest = target.isReplaced()
                || target.defined().map(text -> definition(target, text)).stream()
                        .allMatch(kept::equals);
        return isNewest ? Optional.of(kept) : order(target.table().getTableName());
    }

    /**
     * Orders the rebuild of an index as its base table defines it, perhaps under another id; empty if the base table does not
     * define it any more. The base table is read after the index table: a creation makes the table of an index only when the
     * definition of an earlier one is gone.
     */
    private Optional<IndexDefinition> order(TableName indexTable) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            TableDescriptor own = admin.getDescriptor(indexTable);
            BuildTarget target = BuildTarget.of(own, Optional.of(admin.getDescriptor(base)));
            if (target.defined().isEmpty() || !target.isToBeEmptied()) {
                return Optional.empty(); // left to the next look
            }
            String text = target.defined().get();
            boolean isOrdered = changes.make(changing -> IndexStates.rebuild(
                    changing, indexTable, target.id(), () -> IndexDefinitions.texts(changing.getDescriptor(base))
                            .getOrDefault(target.name(), text)));
            return isOrdered
                    ? IndexDefinitions.keptIn(admin.getDescriptor(indexTable)).map(kept -> definition(target, kept))
                    : Optional.empty();
        }
    }

    private IndexDefinition definition(BuildTarget target, String text) {
        return IndexDefinitions.parse(base, target.name(), text).withId(target.id());
    }

    /**
     * An index whose table is empty.
     *
     * @param index the index, with another id
     * @param order the order that has been carried out so far
     */
    private record Empty(IndexDefinition index, String order) {}

    /** Empties the table of an index, under another id. */
    private Optional<Empty> empty(IndexDefinition index) throws IOException {
        TableName indexTable = index.indexTable();
        String id = UUID.randomUUID().toString();
        AtomicReference<Optional<String>> order = new AtomicReference<>(Optional.empty());
        boolean isRenewed = changes.make(admin -> {
            order.set(IndexStates.renewRebuilt(admin, indexTable, index.id(), id));
            return order.get().isPresent();
        });
        if (!isRenewed) {
            return Optional.empty();
        }
        try (Admin admin = connection.getAdmin()) {
            if (admin.isTableEnabled(indexTable)) {
                admin.disableTable(indexTable);
            }
            admin.truncateTable(indexTable, true);
        }
        return Optional.of(new Empty(index.withId(id), order.get().orElseThrow()));
    }

    /**
     * Enters the definitions into the base table, and ends the orders. One that was given meanwhile, for rows that are replaced
     * since, stays, and the next look carries it out.
     */
    private void begin(List<Empty> empty) throws IOException {
        if (!empty.isEmpty()) {
            List<IndexDefinition> indexes = empty.stream().map(Empty::index).toList();
            change((admin, current) -> IndexDefinitions.withAll(current, indexes));
            for (Empty begun : empty) {
                IndexDefinition index = begun.index();
                boolean isBegun =
                        changes.make(admin -> IndexStates.begin(admin, index.indexTable(), index.id(), begun.order()));
                if (!isBegun) {
                    LOG.info(
                            "{} is not built yet: its rebuild was ordered again, or it was disabled or dropped", index);
                }
            }
        }
    }

    /** A change of the base table's definitions. */
    @FunctionalInterface
    private interface Change {
        TableDescriptor apply(Admin admin, TableDescriptor current) throws IOException;
    }

    /** Changes the base table's definitions; repeats that as often as other clients change the table. */
    private void change(Change change) throws IOException {
        boolean isDone = false;
        while (!isDone) {
            if (Thread.currentThread().isInterrupted()) {
                throw new DoNotRetryIOException("The master stops; the next one rebuilds the indexes of " + base);
            }
            isDone = changes.make(admin -> {
                TableDescriptor current = admin.getDescriptor(base);
                TableDescriptor changed = change.apply(admin, current);
                return changed == current || DescriptorChange.isMade(admin, current, changed);
            });
        }
    }
}
