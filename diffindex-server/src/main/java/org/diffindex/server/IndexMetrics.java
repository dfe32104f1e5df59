package org.diffindex.server;

import java.io.Closeable;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.deliver.CallListener;
import org.diffindex.server.metrics.IndexCounters;
import org.diffindex.server.metrics.LabelledSource;
import org.diffindex.server.metrics.Readings;
import org.diffindex.server.metrics.Remembered;
import org.diffindex.server.metrics.SlowOperations;
import org.diffindex.server.queue.Backlog;
import org.diffindex.server.queue.IndexBacklog;

/**
 * The cost and backlog of the indexes of one region server, by table and by index, beside the sums of {@link
 * ServerMetrics}: as {@code diff_index_by_table_...} and {@code diff_index_by_index_...} at {@code /prometheus}, with
 * labels, and as a JMX bean for each table and index. Shown while the server has an open region of the table. The
 * counters outlive that: they go on where they were when a region of the table comes back. They restart from zero after
 * the server has had no indexed region, or after {@value #MOST_HIDDEN} other indexes or tables have gone later. There
 * is one source for each index and table, however many regions it has. Thread-safe.
 */
final class IndexMetrics implements Closeable, CallListener {
    static final String BY_INDEX = "DiffIndexByIndex";
    static final String BY_TABLE = "DiffIndexByTable";

    /** The most indexes, and tables, whose counters are kept although the server has no open region of them. */
    private static final int MOST_HIDDEN = 256;

    private final LongSupplier nanoTime;
    private final SlowOperations slow;

    /** The counters of indexes that the server has, or had lately, a region of, by index table. */
    private final Remembered<TableName, IndexCounters> counters = new Remembered<>(MOST_HIDDEN, IndexCounters::new);

    /** The sums of tables that the server has, or had lately, a region of. */
    private final Remembered<TableName, RegionSums> sums = new Remembered<>(MOST_HIDDEN, RegionSums::new);

    /** The sources that are registered, by the table of an index, and by base table. Guarded by this. */
    private final Map<TableName, Shown> shown = new HashMap<>();

    /**
     * What shows an index or a table, while there is an open region of it. The set is read without this object's lock:
     * that is held while a source is registered, which takes the lock that Hadoop's metrics system holds while it asks.
     */
    private record Shown(LabelledSource source, Set<OnlineRegion> regions) {}

    /**
     * Creates an object that shows nothing.
     *
     * @param nanoTime elapsed time in nanoseconds
     * @param slow logs slow calls
     */
    IndexMetrics(LongSupplier nanoTime, SlowOperations slow) {
        this.nanoTime = nanoTime;
        this.slow = slow;
    }

    /** Returns the counters of the indexes of a region, by index table. */
    Map<TableName, IndexCounters> countersOf(Collection<IndexDefinition> indexes) {
        Map<TableName, IndexCounters> ofRegion = new HashMap<>();
        for (IndexDefinition index : indexes) {
            ofRegion.put(index.indexTable(), counters.use(index.indexTable()));
        }
        return ofRegion;
    }

    @Override
    public Ending begins(TableName indexTable, int updates) {
        long begin = nanoTime.getAsLong();
        return failure -> {
            long nanos = nanoTime.getAsLong() - begin;
            counters.find(indexTable).ifPresent(ofIndex -> count(nanos, failure, ofIndex));
            slow.ended(begin, "call", line -> line.with("index_table", indexTable)
                    .with("updates", updates)
                    .with("failed", failure != null));
        };
    }

    private static void count(long nanos, Throwable failure, IndexCounters ofIndex) {
        ofIndex.calls.record(nanos);
        if (failure != null) {
            ofIndex.failedCalls.increment();
        }
    }

    synchronized void opened(OnlineRegion region) {
        TableName table = region.metrics().table();
        RegionSums ofTable = sums.use(table);
        show(table, region, regions -> sourceOf(table, ofTable));
        ofTable.opened(region);
        for (IndexDefinition index : region.metrics().indexes()) {
            show(index.indexTable(), region, regions -> sourceOf(index, regions));
        }
    }

    /** Creates a source of the metrics of open regions, a set that changes. */
    @FunctionalInterface
    private interface SourceOf {
        LabelledSource of(Set<OnlineRegion> regions);
    }

    /** Shows a region. The source is registered without one, because it is asked for its values then, within the lock. */
    private void show(TableName key, OnlineRegion region, SourceOf source) {
        Shown now = shown.computeIfAbsent(key, any -> {
            Set<OnlineRegion> regions = ConcurrentHashMap.newKeySet();
            Shown begun = new Shown(source.of(regions), regions);
            begun.source().register();
            return begun;
        });
        now.regions().add(region);
    }

    synchronized void closed(OnlineRegion region) {
        TableName table = region.metrics().table();
        sums.find(table).ifPresent(ofTable -> ofTable.closed(region));
        if (isLast(table, region)) {
            sums.release(table);
        }
        for (IndexDefinition index : region.metrics().indexes()) {
            if (isLast(index.indexTable(), region)) {
                counters.release(index.indexTable());
            }
        }
    }

    /**
     * Hides a region; returns whether no open region is left of what it was shown for, which is not shown any more
     * then.
     */
    private boolean isLast(TableName key, OnlineRegion region) {
        Shown now = shown.get(key);
        if (now != null && now.regions().remove(region) && now.regions().isEmpty()) {
            shown.remove(key);
            now.source().unregister();
        }
        return !shown.containsKey(key);
    }

    private static LabelledSource sourceOf(TableName table, RegionSums sums) {
        return new LabelledSource(
                LabelledSource.Host.REGION_SERVER,
                BY_TABLE,
                Map.of("table", table.getNameAsString()),
                readings -> tell(sums, readings));
    }

    private LabelledSource sourceOf(IndexDefinition index, Set<OnlineRegion> regions) {
        IndexCounters ofIndex = counters.use(index.indexTable());
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("table", index.table().getNameAsString());
        labels.put("index", index.name());
        return new LabelledSource(LabelledSource.Host.REGION_SERVER, BY_INDEX, labels, readings -> {
            tell(index.indexTable(), regions, readings);
            tell(ofIndex, readings);
        });
    }

    private static void tell(RegionSums sums, Readings readings) {
        readings.gauge("indexedRegions", "Open regions of the table", sums.regions())
                .gauge("auqEntries", "Updates in memory that not every index has received", sums.auqEntries())
                .gauge("auqBytes", "The memory of these updates", sums.auqBytes())
                .gauge("auqFiles", "Spill files that wait to be loaded", sums.auqFiles())
                .gauge("oldestUpdateMs", "The age of the oldest update in memory", sums.oldestUpdateMs());
        RegionSums.COUNTS
                .keySet()
                .forEach(name -> readings.counter(name, "As of the whole server, for one table", sums.counted(name)));
    }

    private static void tell(TableName indexTable, Set<OnlineRegion> regions, Readings readings) {
        Backlog waiting = Backlog.NONE;
        int files = 0;
        int stalled = 0;
        for (OnlineRegion region : regions) {
            IndexBacklog lacks = region.metrics().lackedBy(indexTable);
            waiting = waiting.plus(lacks.waiting());
            files += lacks.files();
            stalled += lacks.isStalled() && !lacks.isEmpty() ? 1 : 0;
        }
        readings.gauge("regions", "Open regions of the table with the index", regions.size())
                .gauge(
                        "stalledRegions",
                        "Those with updates for the index while the server's last delivery to it failed or was slow",
                        stalled)
                .gauge("auqEntries", "Updates in memory that the index may lack", waiting.rows())
                .gauge("auqBytes", "The memory of these updates", waiting.bytes())
                .gauge("oldestUpdateMs", "The age of the oldest of them", waiting.oldestAgeMs())
                .gauge("auqFiles", "Spill files that the index has not loaded", files);
    }

    private static void tell(IndexCounters counters, Readings readings) {
        readings.counter("puts", "Entries put", counters.puts.sum())
                .counter("deletes", "Entries deleted", counters.deletes.sum())
                .counter("failedCalls", "Calls to the index table that failed", counters.failedCalls.sum())
                .counter("retries", "Deliveries that failed and are repeated", counters.retries.sum())
                .counter("spilledFiles", "Spill files written", counters.spilledFiles.sum())
                .counter("staleReported", "Entries that readers reported as stale", counters.staleReported.sum())
                .counter("staleDeleted", "Stale entries deleted", counters.staleDeleted.sum())
                .counter("confirmedEntries", "Entries confirmed to readers", counters.confirmedEntries.sum())
                .durations("call", "Calls to the index table", counters.calls)
                .durations("staleness", "Updates, from when they were queued until durable", counters.staleness);
    }

    @Override
    public synchronized void close() {
        shown.values().forEach(each -> each.source().unregister());
        shown.clear();
    }
}
