package org.diffindex.cluster;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a new local cluster is to be like. Immutable; every {@code with...} method returns a changed copy.
 *
 * <pre>{@code
 * ClusterOptions.defaults().withRegionServers(2).with("hbase.regionserver.handler.count", "10")
 * }</pre>
 */
public final class ClusterOptions {
    /** The heap of a region server unless another is asked for. */
    public static final String DEFAULT_HEAP = "1g";

    private static final Pattern HEAP = Pattern.compile("[1-9][0-9]*[kmgKMG]");
    private static final int MOST_REGION_SERVERS = 100;
    private static final int MOST_DATA_NODES = 10;

    private final int regionServers;
    private final int dataNodes;
    private final String heap;
    private final boolean diffIndex;
    private final Duration sessionTimeout;
    private final Map<String, String> siteProperties;

    private ClusterOptions(
            int regionServers,
            int dataNodes,
            String heap,
            boolean diffIndex,
            Duration sessionTimeout,
            Map<String, String> siteProperties) {
        this.regionServers = regionServers;
        this.dataNodes = dataNodes;
        this.heap = heap;
        this.diffIndex = diffIndex;
        this.sessionTimeout = sessionTimeout;
        this.siteProperties = siteProperties;
    }

    /** Three region servers with a heap of 1 GB, one DataNode, Diff-Index on, and a ZooKeeper session of 20 s. */
    public static ClusterOptions defaults() {
        return new ClusterOptions(3, 1, DEFAULT_HEAP, true, Duration.ofSeconds(20), Map.of());
    }

    /**
     * With so many region servers, from 1 to 100.
     *
     * @throws IllegalArgumentException if the number is not in that range
     */
    public ClusterOptions withRegionServers(int number) {
        if (number < 1 || number > MOST_REGION_SERVERS) {
            throw new IllegalArgumentException(
                    "A cluster has 1 to " + MOST_REGION_SERVERS + " region servers, not " + number);
        }
        return new ClusterOptions(number, dataNodes, heap, diffIndex, sessionTimeout, siteProperties);
    }

    /**
     * With so many DataNodes, from 1 to 10. With more than one, HDFS keeps each block twice and does without a DataNode that
     * dies.
     *
     * @throws IllegalArgumentException if the number is not in that range
     */
    public ClusterOptions withDataNodes(int number) {
        if (number < 1 || number > MOST_DATA_NODES) {
            throw new IllegalArgumentException("A cluster has 1 to " + MOST_DATA_NODES + " DataNodes, not " + number);
        }
        return new ClusterOptions(regionServers, number, heap, diffIndex, sessionTimeout, siteProperties);
    }

    /**
     * With this heap for each region server, as for {@code -Xmx}: {@code 512m}, {@code 2g}.
     *
     * @throws IllegalArgumentException if it is not a number and a unit
     */
    public ClusterOptions withHeap(String regionServerHeap) {
        if (!HEAP.matcher(regionServerHeap).matches()) {
            throw new IllegalArgumentException(
                    "A heap is a number with k, m or g, such as 512m; not " + regionServerHeap);
        }
        return new ClusterOptions(
                regionServers, dataNodes, regionServerHeap, diffIndex, sessionTimeout, siteProperties);
    }

    /** Without Diff-Index's coprocessors: a plain HBase. */
    public ClusterOptions withoutDiffIndex() {
        return new ClusterOptions(regionServers, dataNodes, heap, false, sessionTimeout, siteProperties);
    }

    /**
     * With this ZooKeeper session: so long after its death or suspension a server counts as dead. ZooKeeper raises
     * anything below 4 s to that.
     */
    public ClusterOptions withSessionTimeout(Duration timeout) {
        return new ClusterOptions(regionServers, dataNodes, heap, diffIndex, timeout, siteProperties);
    }

    /** With this property in {@code hbase-site.xml}, in place of what the cluster would write there. */
    public ClusterOptions with(String property, String value) {
        Map<String, String> more = new LinkedHashMap<>(siteProperties);
        more.put(property, value);
        return new ClusterOptions(regionServers, dataNodes, heap, diffIndex, sessionTimeout, Map.copyOf(more));
    }

    public int regionServers() {
        return regionServers;
    }

    public int dataNodes() {
        return dataNodes;
    }

    public String heap() {
        return heap;
    }

    public boolean diffIndex() {
        return diffIndex;
    }

    public Duration sessionTimeout() {
        return sessionTimeout;
    }

    Map<String, String> siteProperties() {
        return siteProperties;
    }
}
