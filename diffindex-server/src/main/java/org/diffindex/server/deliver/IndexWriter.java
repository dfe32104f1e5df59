package org.diffindex.server.deliver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.apache.hadoop.hbase.client.Table;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;

/**
 * Writes index updates with HBase's client: one batched call for each index table and region server, side by side. Always
 * batched, since on a region server's short path a batch runs as the server, a single put as the calling user.
 *
 * <p>The caller makes one of the calls itself. A put or delete alone is not handed from thread to thread, which would take
 * about as long as the work. Small calls of several threads to one region at a time go together ({@link CallCombiner}).
 */
public final class IndexWriter implements IndexSink {
    /** Opens the connection on first use, off the path that opens regions. */
    public interface Connections {
        Connection get() throws IOException;
    }

    /** The most mutations of a call that is combined with others: what a few rows come to. */
    private static final int SMALL = 16;

    private final Connections connections;
    private final ExecutorService pool;
    private final CallCombiner combiner = new CallCombiner();

    /** HBase's client hands the call to one server to a pool: to none, here. */
    private final ExecutorService caller = MoreExecutors.newDirectExecutorService();

    /** A writer that runs calls on the given pool when it makes more than one. */
    public IndexWriter(Connections connections, ExecutorService pool) {
        this.connections = connections;
        this.pool = pool;
    }

    /** Where a call goes. The region may move on the way: then HBase's client sends what is concerned after it. */
    private record Destination(TableName table, ServerName server) {}

    private record Call(TableName table, Set<String> regions, List<Mutation> mutations) {
        boolean isSmall() {
            return regions.size() == 1 && mutations.size() <= SMALL;
        }
    }

    @Override
    public void write(List<IndexUpdate> updates) throws IOException {
        List<Call> calls = callsFor(updates);
        if (!calls.isEmpty()) {
            List<Future<?>> others = new ArrayList<>(calls.size() - 1);
            for (Call call : calls.subList(1, calls.size())) {
                others.add(pool.submit(() -> {
                    make(call);
                    return null;
                }));
            }
            makeAndAwait(calls.get(0), others);
        }
    }

    private List<Call> callsFor(List<IndexUpdate> updates) throws IOException {
        Map<Destination, Call> calls = new LinkedHashMap<>();
        Map<TableName, RegionLocator> locators = new LinkedHashMap<>();
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
                Call call = calls.computeIfAbsent(
                        new Destination(table, location.getServerName()),
                        to -> new Call(table, new HashSet<>(), new ArrayList<>()));
                call.regions.add(location.getRegion().getEncodedName());
                call.mutations.add(update.mutation());
            }
        } finally {
            for (RegionLocator locator : locators.values()) {
                locator.close();
            }
        }
        return List.copyOf(calls.values());
    }

    /** Makes one call on this thread; whatever comes of it, waits for the others. */
    private void makeAndAwait(Call own, List<Future<?>> others) throws IOException {
        Optional<IOException> failure;
        try {
            make(own);
        } finally {
            failure = await(others);
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    /** Waits until all have ended; how the last of those that failed did. */
    private static Optional<IOException> await(List<Future<?>> calls) throws InterruptedIOException {
        Optional<IOException> failure = Optional.empty();
        for (Future<?> call : calls) {
            try {
                call.get();
            } catch (ExecutionException e) {
                failure = Optional.of(new IOException(e.getCause()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (InterruptedIOException)
                        new InterruptedIOException("Interrupted while writing index updates").initCause(e);
            }
        }
        return failure;
    }

    private void make(Call call) throws IOException {
        if (call.isSmall()) {
            String region = call.regions.iterator().next();
            combiner.write(
                    new CallCombiner.Destination(call.table, region),
                    call.mutations,
                    (mutations, results) -> send(call.table, mutations, results));
        } else {
            call.mutations.sort(
                    Comparator.comparing(Delete.class::isInstance)); // HBase gives what follows a put its priority
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
