package org.diffindex.server.deliver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.model.IndexAddress;

/**
 * Writes index updates with HBase's client: one batched call per index table and region server, in parallel, followed
 * by calls for the deletes that must wait until their successors in other regions are durable. The whole takes hardly
 * longer than one call may, however many calls it has ({@link ParallelCalls}), and with the {@link Lookups} of the
 * regions. Calls are always batched, because on a region server's short-circuit path a batch runs as the server, but a
 * single put as the calling user.
 *
 * <p>The calling thread makes one of the calls itself: handing a single put or delete to another thread would take
 * about as long as the work. Concurrent small calls to one region are combined ({@link CallCombiner}). Thread-safe.
 */
public final class IndexWriter implements IndexSink {
    /** Supplies the connection, which is opened on first use so that opening a region does not wait for it. */
    public interface Connections {
        Connection get() throws IOException;
    }

    /**
     * The most threads that a write has, and calls in flight. A write that reaches more servers and index tables makes the
     * other calls when these have ended.
     */
    static final int MOST_THREADS = 32;

    /** The most mutations in a call that may be combined with others: enough for a few rows. */
    private static final int SMALL = 16;

    private final Connections connections;
    private final ExecutorService pool;
    private final int mostTogether;
    private final ParallelCalls.Limits limits;
    private final Lookups lookups;
    private final CallListener listener;
    private final CallCombiner combiner = new CallCombiner();

    /** Makes HBase's client run the call to a server on the calling thread instead of a pool. */
    private final ExecutorService caller = MoreExecutors.newDirectExecutorService();

    /**
     * Creates a writer that makes all but the first of several calls, or slow lookups, on the given pool.
     *
     * @param mostTogether the most mutations that a region server applies together, in one mini-batch
     * @param timeoutMs how long the connection lets a call take, in milliseconds
     * @param nanoTime elapsed time in nanoseconds
     * @param listener is told of each call
     */
    public IndexWriter(
            Connections connections,
            ExecutorService pool,
            int mostTogether,
            int timeoutMs,
            LongSupplier nanoTime,
            CallListener listener) {
        this.connections = connections;
        this.pool = pool;
        this.mostTogether = mostTogether;
        this.listener = listener;
        this.limits = new ParallelCalls.Limits(MOST_THREADS, timeoutMs, nanoTime);
        this.lookups = new Lookups(connections, pool, limits);
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

        void add(LocatedUpdate located, boolean waits) {
            IndexUpdate update = located.update();
            Call call = (waits ? second : first)
                    .computeIfAbsent(
                            new TargetServer(update.table(), located.location().getServerName()),
                            to -> new Call(update.table(), new HashSet<>(), new ArrayList<>()));
            String region = located.region();
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

    /** The regions of the entries that a write puts. Computed on first use: few writes delete entries that others replace. */
    private static final class Puts {
        private record Place(TableName table, ByteBuffer key) {}

        private final List<LocatedUpdate> updates;

        /** Null until first used. */
        private Map<Place, String> regions;

        Puts(List<LocatedUpdate> updates) {
            this.updates = updates;
        }

        /** Returns whether the write puts the successor of a delete, in the region of the delete. */
        boolean containSuccessorBeside(LocatedUpdate delete) {
            if (regions == null) {
                regions = new HashMap<>();
                for (LocatedUpdate each : updates) {
                    if (each.update().isPut()) {
                        byte[] key = each.update().mutation().getRow();
                        regions.put(new Place(each.update().table(), ByteBuffer.wrap(key)), each.region());
                    }
                }
            }
            Place successor = new Place(
                    delete.update().table(), ByteBuffer.wrap(delete.update().successor()));
            return delete.region().equals(regions.get(successor));
        }
    }

    /** The failures of a write, in order of time, and the tables that they concern. */
    private static final class Failures {
        private final List<Exception> all = new ArrayList<>(0);
        private final Set<TableName> tables = new HashSet<>();

        void add(TableName table, Exception failure) {
            all.add(failure);
            tables.add(table);
        }

        /**
         * Throws the last failure, if there is one.
         *
         * @throws RuntimeException the first failure that is a programming error, if there is one
         */
        void throwIfAny() throws IOException {
            for (Exception failure : all) {
                if (failure instanceof RuntimeException error) {
                    throw error;
                }
            }
            if (!all.isEmpty()) {
                throw (IOException) all.get(all.size() - 1);
            }
        }
    }

    /**
     * Writes the updates. A delete whose successor is among them and lies in the same region goes in one batch with it,
     * which the region applies as one mini-batch; any other delete with a successor, and every delete of a call larger
     * than a mini-batch, is sent after all puts to its table are durable, and not at all if one of them failed. If a
     * region was split or merged before the call arrived, it refuses a delete of the first kind; then all updates are
     * written again, with every such delete after the puts.
     *
     * <p>An update whose region cannot be found fails alone; so do the deletes that wait for the puts to its table.
     *
     * @throws IOException if one or more could not be written; the last failure
     */
    @Override
    public void write(List<IndexUpdate> updates) throws IOException {
        Failures failures = new Failures();
        long lookupsBegin = limits.nanoTime().getAsLong();
        List<LocatedUpdate> located = lookups.locate(updates, lookupsBegin, failures::add);
        long begin = lookups.beginOfCalls(lookupsBegin);
        try {
            write(located, false, begin, failures);
        } catch (IOException e) {
            if (!isOfAnotherRegion(e) || !lookups.haveTime(begin)) {
                throw e;
            }
            Failures again = new Failures();
            write(lookups.locate(updates, begin, again::add), true, begin, again);
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
     * @param begin when the time of the calls began, in nanoseconds
     * @param failures those of the lookups; receives those of the calls
     */
    private void write(List<LocatedUpdate> updates, boolean deletesLast, long begin, Failures failures)
            throws IOException {
        Calls calls = callsFor(updates, deletesLast);
        makeAll(calls.first.values(), begin, failures);
        calls.second.values().removeIf(call -> failures.tables.contains(call.table));
        makeAll(calls.second.values(), begin, failures);
        failures.throwIfAny();
    }

    private Calls callsFor(List<LocatedUpdate> updates, boolean deletesLast) {
        Calls calls = new Calls();
        Puts puts = new Puts(updates);
        for (LocatedUpdate each : updates) {
            boolean waits = each.update().successor() != null && (deletesLast || !puts.containSuccessorBeside(each));
            calls.add(each, waits);
        }
        calls.separateDeletesOfLarge(mostTogether);
        return calls;
    }

    /**
     * Makes calls in parallel, the first of them on this thread, and waits for all of them, even if one fails.
     *
     * @param failures receives the failures, in the order of the calls
     * @throws InterruptedIOException if this thread is interrupted; the other calls may still be in flight
     */
    private void makeAll(Collection<Call> calls, long begin, Failures failures) throws InterruptedIOException {
        new ParallelCalls<>(List.copyOf(calls), this::makeAndTell, limits, begin)
                .makeAll(pool, (call, failure) -> failures.add(call.table, failure));
    }

    private void makeAndTell(Call call, int limitMs) throws IOException {
        listener.during(call.table, call.mutations.size(), () -> make(call, limitMs));
    }

    private void make(Call call, int limitMs) throws IOException {
        boolean allGoTogether = CallCombiner.MOST * SMALL <= mostTogether;
        boolean hasWholeTime = limitMs == 0; // else it would cut short the writes that it is combined with
        if (call.isSmall() && allGoTogether && hasWholeTime) {
            String region = call.regions.iterator().next();
            combiner.write(
                    new CallCombiner.TargetRegion(call.table, region),
                    call.mutations,
                    (mutations, results) -> send(call.table, mutations, results, 0));
        } else {
            // HBase's AsyncProcess gives each action the highest priority among the puts up to it.
            call.mutations.sort(Comparator.comparing(Delete.class::isInstance));
            send(call.table, call.mutations, new Object[call.mutations.size()], limitMs);
        }
    }

    private void send(TableName table, List<Mutation> mutations, Object[] results, int limitMs) throws IOException {
        try (Table indexTable = table(table, limitMs)) {
            indexTable.batch(mutations, results);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while writing to " + table).initCause(e);
        }
    }

    private Table table(TableName name, int limitMs) throws IOException {
        Connection connection = connections.get();
        return limitMs == 0
                ? connection.getTable(name, caller)
                : connection
                        .getTableBuilder(name, caller)
                        .setOperationTimeout(limitMs)
                        .build();
    }
}
