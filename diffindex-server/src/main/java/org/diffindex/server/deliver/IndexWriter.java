package org.diffindex.server.deliver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.model.IndexAddress;

/**
 * Writes index updates with HBase's client: one batched call per index table and region server, in parallel, followed
 * by calls for the deletes that must wait until their successors in other regions are durable. Calls are always
 * batched, because on a region server's short-circuit path a batch runs as the server, but a single put as the calling
 * user.
 *
 * <p>The calling thread makes one of the calls itself: handing a single put or delete to another thread would take
 * about as long as the work. Concurrent small calls to one region are combined ({@link CallCombiner}). Thread-safe.
 */
public final class IndexWriter implements IndexSink {
    /** Supplies the connection, which is opened on first use so that opening a region does not wait for it. */
    public interface Connections {
        Connection get() throws IOException;
    }

    /** The most mutations in a call that may be combined with others: enough for a few rows. */
    private static final int SMALL = 16;

    private final Connections connections;
    private final ExecutorService pool;
    private final int mostTogether;
    private final CallCombiner combiner = new CallCombiner();

    /** Makes HBase's client run the call to a server on the calling thread instead of a pool. */
    private final ExecutorService caller = MoreExecutors.newDirectExecutorService();

    /** Creates a writer to servers with HBase's default mini-batch size. */
    public IndexWriter(Connections connections, ExecutorService pool) {
        this(connections, pool, HRegion.DEFAULT_HBASE_REGIONSERVER_MINIBATCH_SIZE);
    }

    /**
     * Creates a writer that makes all but the first of several calls on the given pool.
     *
     * @param mostTogether the most mutations that a region server applies together, in one mini-batch
     */
    public IndexWriter(Connections connections, ExecutorService pool, int mostTogether) {
        this.connections = connections;
        this.pool = pool;
        this.mostTogether = mostTogether;
    }

    /**
     * The table and the server that a call is for. If the region moves before the call arrives, HBase's client resends
     * the affected mutations.
     */
    private record TargetServer(TableName table, ServerName server) {}

    private record Call(TableName table, Set<String> regions, List<Mutation> mutations) {
        boolean isSmall() {
            return regions.size() == 1 && mutations.size() <= SMALL;
        }
    }

    /** The calls of a write: those made at once, and those made after the first have succeeded. */
    private static final class Calls {
        private final Map<TargetServer, Call> first = new LinkedHashMap<>();
        private final Map<TargetServer, Call> second = new LinkedHashMap<>();

        void add(IndexUpdate update, HRegionLocation location, boolean waits) {
            Call call = (waits ? second : first)
                    .computeIfAbsent(
                            new TargetServer(update.table(), location.getServerName()),
                            to -> new Call(update.table(), new HashSet<>(), new ArrayList<>()));
            String region = location.getRegion().getEncodedName();
            call.regions.add(region);
            call.mutations.add(update.mutation());
            if (update.mutation() instanceof Delete delete && update.successor() != null) {
                IndexAddress.onlyIn(delete, waits ? null : region);
            }
        }

        /**
         * Moves the deletes of each large call behind its puts. HBase splits a call above the mini-batch size, sorted
         * by row, so that a delete could take effect before the put of its successor.
         */
        void separateDeletesOfLarge(int mostTogether) {
            first.forEach((to, call) -> {
                if (call.mutations.size() > mostTogether) {
                    List<Mutation> deletes = call.mutations.stream()
                            .filter(Delete.class::isInstance)
                            .toList();
                    call.mutations.removeIf(Delete.class::isInstance);
                    Call last =
                            second.computeIfAbsent(to, any -> new Call(call.table, new HashSet<>(), new ArrayList<>()));
                    last.regions.addAll(call.regions);
                    last.mutations.addAll(deletes);
                }
            });
        }
    }

    /** The entries that a write puts. Computed on first use: few writes delete entries that others replace. */
    private static final class Puts {
        private record Place(TableName table, ByteBuffer key) {}

        private final List<IndexUpdate> updates;

        /** Null until first used. */
        private Set<Place> places;

        Puts(List<IndexUpdate> updates) {
            this.updates = updates;
        }

        boolean contain(TableName table, byte[] key) {
            if (places == null) {
                places = new HashSet<>();
                updates.stream()
                        .filter(IndexUpdate::isPut)
                        .forEach(put -> places.add(new Place(
                                put.table(), ByteBuffer.wrap(put.mutation().getRow()))));
            }
            return places.contains(new Place(table, ByteBuffer.wrap(key)));
        }
    }

    /**
     * Writes the updates. A delete whose successor is among them and lies in the same region goes in one batch with it,
     * which the region applies as one mini-batch; any other delete with a successor, and every delete of a call larger
     * than a mini-batch, is sent after all puts to its table are durable, and not at all if one of them failed. If a
     * region was split or merged before the call arrived, it refuses a delete of the first kind; then all updates are
     * written again, with every such delete after the puts.
     *
     * @throws IOException if one or more could not be written; the last failure
     */
    @Override
    public void write(List<IndexUpdate> updates) throws IOException {
        try {
            write(updates, false);
        } catch (IOException e) {
            if (!isOfAnotherRegion(e)) {
                throw e;
            }
            write(updates, true);
        }
    }

    /** Returns whether a failed call failed only in deletes that reached a region other than their successors'. */
    private static boolean isOfAnotherRegion(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RetriesExhaustedWithDetailsException all) {
                return all.getCauses().stream()
                        .allMatch(each -> String.valueOf(each.getMessage()).contains(IndexAddress.NOT_IN_ITS_REGION));
            }
        }
        return false;
    }

    /**
     * Writes the updates once.
     *
     * @param deletesLast whether every delete with a successor waits for all puts to its table, whatever their regions
     */
    private void write(List<IndexUpdate> updates, boolean deletesLast) throws IOException {
        Calls calls = callsFor(updates, deletesLast);
        Set<TableName> failed = new HashSet<>();
        List<Exception> failures = makeAll(calls.first.values(), failed);
        calls.second.values().removeIf(call -> failed.contains(call.table));
        failures.addAll(makeAll(calls.second.values(), failed));
        if (!failures.isEmpty()) {
            throw failureOf(failures);
        }
    }

    private Calls callsFor(List<IndexUpdate> updates, boolean deletesLast) throws IOException {
        Calls calls = new Calls();
        Map<TableName, RegionLocator> locators = new LinkedHashMap<>();
        Puts puts = new Puts(updates);
        try {
            for (IndexUpdate update : updates) {
                TableName table = update.table();
                RegionLocator locator = locators.get(table);
                if (locator == null) {
                    locator = connections.get().getRegionLocator(table);
                    locators.put(table, locator);
                }
                HRegionLocation location =
                        locator.getRegionLocation(update.mutation().getRow());
                boolean waits = update.successor() != null
                        && (deletesLast
                                || !puts.contain(table, update.successor())
                                || !isIn(location, update, locator));
                calls.add(update, location, waits);
            }
        } finally {
            for (RegionLocator locator : locators.values()) {
                locator.close();
            }
        }
        calls.separateDeletesOfLarge(mostTogether);
        return calls;
    }

    /** Returns whether the successor of an update lies in a region. */
    private static boolean isIn(HRegionLocation location, IndexUpdate update, RegionLocator locator)
            throws IOException {
        return locator.getRegionLocation(update.successor())
                .getRegion()
                .getEncodedName()
                .equals(location.getRegion().getEncodedName());
    }

    /**
     * Makes calls in parallel, the first of them on this thread, and waits for all of them, even if one fails.
     *
     * @param failed receives the tables of the failed calls
     * @return the failures, in the order of the calls
     * @throws InterruptedIOException if this thread is interrupted; the other calls may still be in flight
     */
    private List<Exception> makeAll(Collection<Call> calls, Set<TableName> failed) throws InterruptedIOException {
        List<Exception> failures = new ArrayList<>(0);
        List<Call> all = List.copyOf(calls);
        List<Future<?>> others = new ArrayList<>(all.size());
        for (int i = 1; i < all.size(); i++) {
            Call other = all.get(i);
            others.add(pool.submit(() -> {
                make(other);
                return null;
            }));
        }
        for (int i = 0; i < all.size(); i++) {
            try {
                if (i == 0) {
                    make(all.get(0));
                } else {
                    await(others.get(i - 1));
                }
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException | RuntimeException e) {
                failures.add(e);
                failed.add(all.get(i).table);
            }
        }
        return failures;
    }

    private static void await(Future<?> call) throws IOException {
        try {
            call.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while writing index updates").initCause(e);
        }
    }

    /**
     * Returns the last failure.
     *
     * @throws RuntimeException the first failure that is a programming error, if there is one
     */
    private static IOException failureOf(List<Exception> failures) {
        for (Exception failure : failures) {
            if (failure instanceof RuntimeException error) {
                throw error;
            }
        }
        return (IOException) failures.get(failures.size() - 1);
    }

    private void make(Call call) throws IOException {
        boolean allGoTogether = CallCombiner.MOST * SMALL <= mostTogether;
        if (call.isSmall() && allGoTogether) {
            String region = call.regions.iterator().next();
            combiner.write(
                    new CallCombiner.TargetRegion(call.table, region),
                    call.mutations,
                    (mutations, results) -> send(call.table, mutations, results));
        } else {
            // HBase's AsyncProcess gives each action the highest priority among the puts up to it.
            call.mutations.sort(Comparator.comparing(Delete.class::isInstance));
            send(call.table, call.mutations, new Object[call.mutations.size()]);
        }
    }

    private void send(TableName table, List<Mutation> mutations, Object[] results) throws IOException {
        try (Table indexTable = connections.get().getTable(table, caller)) {
            indexTable.batch(mutations, results);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while writing to " + table).initCause(e);
        }
    }
}
