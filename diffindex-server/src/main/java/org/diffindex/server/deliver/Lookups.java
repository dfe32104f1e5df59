package org.diffindex.server.deliver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;

/**
 * Looks up the regions of the entries that writes change. HBase's client has most of them in its cache, so the thread
 * of the write begins with the tables one after the other. Once a lookup has failed or was slow, those that are left
 * are made in parallel, so that a table whose regions are not found delays the updates of others little. Thread-safe.
 *
 * <p>Each lookup takes three tenths of a write's time at most, by the settings of the connection, and none begins when
 * more than four tenths have passed. So they end within seven tenths, and the calls have what is left.
 */
final class Lookups {
    /** The share of a write's time that one lookup of a region may take. */
    private static final double ATTEMPT = 0.3;

    /** The share of a write's time until which lookups that failed are repeated, and slow ones continued. */
    private static final double REPEATED = 0.35;

    /** The share of a write's time in which a table that is begun late can be looked up, if HBase's client knows it. */
    private static final double AT_LEAST = 0.05;

    /** The share of a write's time until which the tables are looked up one after the other. */
    private static final double ONE_BY_ONE = REPEATED - ATTEMPT;

    /**
     * The share of a write's time in which further tables are begun, if there are more than threads: less than {@link
     * #ATTEMPT}, so that none are begun if none of the first is answered.
     */
    private static final double BEGUN = 0.25;

    private final IndexWriter.Connections connections;
    private final ExecutorService pool;
    private final ParallelCalls.Limits limits;
    private final LongSupplier nanoTime;

    /**
     * Creates an object for a server's writes.
     *
     * @param pool runs the lookups in parallel
     * @param limits those of the writes
     */
    Lookups(IndexWriter.Connections connections, ExecutorService pool, ParallelCalls.Limits limits) {
        this.connections = connections;
        this.pool = pool;
        this.limits = limits;
        this.nanoTime = limits.nanoTime();
    }

    /**
     * Looks up the regions of a write's updates; returns those whose region was found, table by table. After a lookup
     * that failed, such as when hbase:meta cannot be read, the table's other regions are not looked up.
     *
     * @param begin when the write began, in nanoseconds
     * @param failed receives the failures
     * @throws IOException if there is no connection, or this thread is interrupted
     */
    List<LocatedUpdate> locate(List<IndexUpdate> updates, long begin, BiConsumer<TableName, Exception> failed)
            throws IOException {
        Map<TableName, TableLookup> byTable = new LinkedHashMap<>();
        updates.forEach(update ->
                byTable.computeIfAbsent(update.table(), TableLookup::new).add(update));
        Collection<TableLookup> all = byTable.values();
        Connection connection = connections.get();
        locateInParallel(leftOneByOne(all, connection, begin), connection, begin, failed);
        List<LocatedUpdate> located = new ArrayList<>(updates.size());
        for (TableLookup each : all) {
            each.refused().forEach(failure -> failed.accept(each.table(), failure));
            located.addAll(each.located());
        }
        return located;
    }

    /** Looks up one table after the other, until a lookup fails or is slow; returns the tables that are left. */
    private List<TableLookup> leftOneByOne(Collection<TableLookup> all, Connection connection, long begin)
            throws IOException {
        List<TableLookup> left = new ArrayList<>(0);
        try (EntryLocations locations = new EntryLocations(connection)) {
            for (TableLookup each : all) {
                if (!left.isEmpty()
                        || !isWithin(ONE_BY_ONE, begin)
                        || !each.attempt(locations, () -> isWithin(ONE_BY_ONE, begin))) {
                    left.add(each);
                }
            }
        }
        return left;
    }

    private void locateInParallel(
            List<TableLookup> left, Connection connection, long begin, BiConsumer<TableName, Exception> failed)
            throws IOException {
        if (!left.isEmpty()) {
            int timeoutMs = (int) (limits.timeoutMs() * BEGUN);
            new ParallelCalls<>(
                            left,
                            (each, limitMs) -> finish(each, connection, begin),
                            new ParallelCalls.Limits(limits.threads(), timeoutMs, nanoTime),
                            nanoTime.getAsLong())
                    .makeAll(pool, (each, failure) -> failed.accept(each.table(), failure));
        }
    }

    private void finish(TableLookup table, Connection connection, long begin) throws IOException {
        long ownBegin = nanoTime.getAsLong();
        table.finish(
                connection,
                () -> isWithin(REPEATED, begin),
                () -> isWithin(REPEATED, begin) || isWithin(AT_LEAST, ownBegin));
    }

    private boolean isWithin(double share, long begin) {
        return nanoTime.getAsLong() - begin <= nanos(share);
    }

    private double nanos(double share) {
        return share * TimeUnit.MILLISECONDS.toNanos(limits.timeoutMs());
    }

    /** Returns whether there is time for the lookups of a write that began at that time, in nanoseconds. */
    boolean haveTime(long begin) {
        return isWithin(1 - ATTEMPT, begin);
    }

    /**
     * Returns when the time of a write's calls begins, now that its lookups have ended: with the write, or later if the
     * lookups took more than their share.
     *
     * @param begin when the write began, in nanoseconds
     */
    long beginOfCalls(long begin) {
        long passed = nanoTime.getAsLong() - begin;
        return begin + Math.max(0, passed - (long) nanos(REPEATED + AT_LEAST + ATTEMPT));
    }
}
