package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.diffindex.model.IndexDefinition;

/**
 * Reads a table by its indexes without holding a thread while it waits, so that a few threads have many reads in flight. The
 * calls are made by HBase's asynchronous client; what a hit promises, the order and the limit are those of {@link
 * IndexedTable#getByIndex(IndexQuery)}. Sessions read through {@link Session} only.
 *
 * <pre>{@code
 * AsyncIndexedTable flights = new AsyncIndexedTable(indexedFlights, asyncConnection);
 * flights.getByIndex(IndexQuery.index("by_origin").equalTo("ORD").limit(10).build())
 *         .thenAccept(hits -> hits.forEach(System.out::println));
 * }</pre>
 *
 * <p>Whatever is wrong with a read, its query included, completes the future exceptionally, with the exception that {@link
 * IndexedTable#getByIndex(IndexQuery)} or {@link IndexScanner#next} throws. A message about an index that is BUILDING does not
 * say how far the build is.
 *
 * <p>Stages that depend on a future, and subscribers, are called on the executor. A call that blocks there keeps other reads
 * from going on: give it another executor ({@link CompletableFuture#thenAcceptAsync}), or give this table one that has
 * threads for it. The definitions of the indexes are read there, too, by the blocking client, before the first read and after
 * they were changed.
 *
 * <p>Safe for use by many threads. Has nothing to close: its own threads end after 5 s without a read. The indexed table and
 * the connection stay open as long as reads are made.
 */
public final class AsyncIndexedTable {
    /** The most hits that a future can have, {@value}; a larger result is read in pages, or by a subscriber. */
    public static final int MOST_HITS = 100_000;

    private final IndexedTable table;
    private final AsyncConnection connection;
    private final Executor executor;

    /**
     * Creates a table that makes its calls through a connection, and computes on threads of its own, as many as the machine has
     * processors. Makes no call.
     *
     * @param table has the definitions of the indexes, and reports the stale entries that reads find
     */
    public AsyncIndexedTable(IndexedTable table, AsyncConnection connection) {
        this(table, connection, newExecutor(table.getName()));
    }

    /**
     * Creates a table that makes its calls through a connection, and computes on an executor. Makes no call.
     *
     * @param table has the definitions of the indexes, and reports the stale entries that reads find
     * @param executor runs the parts of a read between its calls; a read that it rejects fails
     */
    public AsyncIndexedTable(IndexedTable table, AsyncConnection connection, Executor executor) {
        this.table = Objects.requireNonNull(table, "table");
        this.connection = Objects.requireNonNull(connection, "connection");
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    private static Executor newExecutor(TableName table) {
        int threads = Runtime.getRuntime().availableProcessors();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                5,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), // as long as there are reads in flight
                new ThreadFactoryBuilder()
                        .setNameFormat("diffindex-read-" + table + "-%d")
                        .setDaemon(true)
                        .build());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Returns the base table's name. */
    public TableName getName() {
        return table.getName();
    }

    /**
     * Reads by an index, as {@link IndexedTable#getByIndex(IndexQuery)} does. The result is in memory as a whole, so the query
     * must have a limit, of {@link #MOST_HITS} at most.
     *
     * @return the hits, in the order of the query; cancelling it ends the read when the call in flight is answered
     */
    public CompletableFuture<List<IndexHit>> getByIndex(IndexQuery query) {
        return read(query, (hits, scanner) -> List.copyOf(hits));
    }

    /**
     * Reads a page of hits, as many as the limit of the query, of {@link #MOST_HITS} at most. A query with the same conditions
     * and {@link IndexQuery.Builder#after} the token of the page reads the next one.
     *
     * @return the page; cancelling it ends the read when the call in flight is answered
     */
    public CompletableFuture<IndexPage> getPage(IndexQuery query) {
        return read(query, (hits, scanner) -> {
            boolean isFull = hits.size() == query.limit();
            return new IndexPage(hits, isFull ? Optional.of(scanner.token()) : Optional.empty());
        });
    }

    private <T> CompletableFuture<T> read(IndexQuery query, BiFunction<List<IndexHit>, IndexScanner, T> result) {
        if (query.limit() > MOST_HITS) {
            return CompletableFuture.failedFuture(tooMany(query));
        }
        List<IndexHit> hits = new ArrayList<>();
        return AsyncRead.start(executor, () -> open(query), scanner -> {
            for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                hits.add(hit);
            }
            return result.apply(hits, scanner);
        });
    }

    private InvalidQueryException tooMany(IndexQuery query) {
        String limit = query.limit() == Long.MAX_VALUE ? "no limit" : "a limit of " + query.limit();
        return new InvalidQueryException(
                "A query by index " + query.index() + " of table " + getName() + " has " + limit
                        + ", and all its hits are to be in memory; nothing was read; set a limit of " + MOST_HITS
                        + " or less, or subscribe to publish(query)");
    }

    /**
     * Returns a publisher of the hits of a query, which needs no limit. Each subscriber has a read of its own, which begins with
     * its first request, and reads a page of {@link IndexQuery#caching} entries at most ahead of what was requested.
     * Cancelling the subscription, or an exception of the subscriber, ends the read. A subscription that requests nothing, and
     * is not cancelled, keeps a scanner open on a region server.
     */
    public Flow.Publisher<IndexHit> publish(IndexQuery query) {
        Objects.requireNonNull(query, "query");
        return subscriber -> subscriber.onSubscribe(new HitSubscription(executor, () -> open(query), subscriber));
    }

    private IndexScanner open(IndexQuery query) throws IOException {
        return table.getByIndex(query, Optional.empty(), () -> {}, this::accessTo);
    }

    private ReadAccess accessTo(IndexDefinition definition) {
        AwaitedLookUps lookUps = new AwaitedLookUps();
        Table base = new AwaitedTable(connection.getTable(table.getName()), lookUps);
        Table index = new AwaitedTable(connection.getTable(definition.indexTable()), lookUps);
        return new ReadAccess(
                base, index, index, QuickCheck.NONE, Optional::empty, source -> new AwaitedSource(source, lookUps));
    }
}
