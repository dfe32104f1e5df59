package org.diffindex.server;

import java.io.Closeable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;

/**
 * The number of open regions that refuse writes because this server cannot load their indexes ({@link
 * UnloadedIndexes}), among the metrics of {@link ServerMetrics}: {@code diff_index_unloaded_regions}. Lives as long as
 * there is such a region ({@link PerServer}). Thread-safe.
 */
final class UnloadedRegions implements Closeable {
    private static final String NAME = "unloadedRegions";

    private final MetricRegistry registry = MetricRegistries.global().create(ServerMetrics.REGISTRY);
    private final AtomicLong open = new AtomicLong();
    private final Gauge<Long> gauge = open::get;

    private UnloadedRegions() {
        registry.remove(NAME);
        registry.register(NAME, gauge);
    }

    /** Counts a region that opens; returns the regions of its server. */
    static UnloadedRegions opened(RegionCoprocessorEnvironment region) {
        UnloadedRegions ofServer = PerServer.acquire(region, UnloadedRegions.class, UnloadedRegions::new);
        ofServer.open.incrementAndGet();
        return ofServer;
    }

    /** Counts a region no more that is closed. */
    void closed(RegionCoprocessorEnvironment region) {
        open.decrementAndGet();
        PerServer.release(region, UnloadedRegions.class);
    }

    @Override
    public void close() {
        registry.remove(NAME, gauge);
    }
}
