package org.diffindex.server;

import java.io.Closeable;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.diffindex.server.maintain.RowMemory;
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

    /**
     * Kept for the life of the process, also without an indexed region: HBase continues to show the first registry that
     * it has seen, and would not see another one of the same name.
     */
    private final MetricRegistry registry = MetricRegistries.global().create(REGISTRY);

    private final Map<String, Gauge<Long>> gauges = new HashMap<>();

    private final RegionSums sums = new RegionSums();

    ServerMetrics(QueueMemory memory, RowMemory.Shared rowMemory) {
        tell("indexedRegions", sums::regions);
        tell("auqEntries", sums::auqEntries);
        tell("auqBytes", sums::auqBytes);
        tell("auqFiles", sums::auqFiles);
        tell("oldestUpdateMs", sums::oldestUpdateMs);
        tell("updateMemoryBytes", memory::used);
        tell("updateMemoryLimitBytes", memory::limit);
        tell("rowMemoryBytes", rowMemory::bytes);
        RegionSums.COUNTS.keySet().forEach(name -> tell(name, () -> sums.counted(name)));
    }

    private void tell(String name, Gauge<Long> gauge) {
        gauges.put(name, gauge);
        registry.remove(name);
        registry.register(name, gauge);
    }

    void opened(OnlineRegion region) {
        sums.opened(region);
    }

    void closed(OnlineRegion region) {
        sums.closed(region);
    }

    @Override
    public void close() {
        gauges.forEach(registry::remove);
    }
}
