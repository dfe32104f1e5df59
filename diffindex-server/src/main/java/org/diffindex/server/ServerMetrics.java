package org.diffindex.server;

import java.io.Closeable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.QueueMemory;

/**
 * The cost and backlog of the indexes of one region server, among HBase's own metrics as {@code DiffIndex}: at {@code
 * /jmx} and, as {@code diff_index_...}, at {@code /prometheus}. The counters restart from zero after the server has had
 * no indexed region. If one JVM runs several servers, the newest reports. Thread-safe.
 */
final class ServerMetrics implements Closeable {
    static final MetricRegistryInfo REGISTRY = new MetricRegistryInfo(
            "DiffIndex",
            "What the indexes of this region server's regions cost, and how far they are behind",
            "RegionServer,sub=DiffIndex",
            "regionserver",
            false);

    /** The counters, which only grow: name and value for one region. */
    private static final Map<String, ToLongFunction<DeliveryStats>> COUNTS = Map.of(
            "delivered", stats -> stats.delivered.sum(),
            "retries", stats -> stats.retries.sum(),
            "baseReads", stats -> stats.baseReads.sum(),
            "rowMemoryHits", stats -> stats.rowMemoryHits.sum(),
            "indexPuts", stats -> stats.indexPuts.sum(),
            "indexDeletes", stats -> stats.indexDeletes.sum());

    /**
     * Kept for the life of the process, also without an indexed region: HBase continues to show the first registry that
     * it has seen, and would not see another one of the same name.
     */
    private final MetricRegistry registry = MetricRegistries.global().create(REGISTRY);

    private final Map<String, Gauge<Long>> gauges = new HashMap<>();

    /**
     * The open regions. Guarded by this, together with {@link #ended}, so that no counter appears to fall while a
     * region closes.
     */
    private final Set<OnlineRegion> open = new HashSet<>();

    /** The final counters of closed regions, by name. Guarded by this. */
    private final Map<String, Long> ended = new HashMap<>();

    ServerMetrics(QueueMemory memory, RowMemory.Shared rowMemory) {
        tell("indexedRegions", () -> sum(region -> 1));
        tell("auqEntries", () -> sum(region -> region.metrics().backlog().rows()));
        tell("auqBytes", () -> sum(region -> region.metrics().backlog().bytes()));
        tell("auqFiles", () -> sum(region -> region.metrics().parkedFiles()));
        tell("oldestUpdateMs", this::oldest);
        tell("updateMemoryBytes", memory::used);
        tell("updateMemoryLimitBytes", memory::limit);
        tell("rowMemoryBytes", rowMemory::bytes);
        COUNTS.forEach((name, count) -> tell(name, () -> counted(name, count)));
    }

    private void tell(String name, Gauge<Long> gauge) {
        gauges.put(name, gauge);
        registry.remove(name);
        registry.register(name, gauge);
    }

    synchronized void opened(OnlineRegion region) {
        open.add(region);
    }

    synchronized void closed(OnlineRegion region) {
        if (open.remove(region)) {
            COUNTS.forEach((name, count) ->
                    ended.merge(name, count.applyAsLong(region.metrics().stats()), Long::sum));
        }
    }

    private synchronized long sum(ToLongFunction<OnlineRegion> ofRegion) {
        return open.stream().mapToLong(ofRegion).sum();
    }

    private synchronized long counted(String name, ToLongFunction<DeliveryStats> count) {
        return ended.getOrDefault(name, 0L)
                + sum(region -> count.applyAsLong(region.metrics().stats()));
    }

    private synchronized long oldest() {
        return open.stream()
                .mapToLong(region -> region.metrics().backlog().oldestAgeMs())
                .max()
                .orElse(0);
    }

    @Override
    public void close() {
        gauges.forEach(registry::remove);
    }
}
