package org.diffindex.cluster;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The options of a new local cluster. Immutable; every {@code with...} method returns a changed copy.
 *
 * <pre>{@code
 * ClusterOptions.defaults().withRegionServers(2).with("hbase.regionserver.handler.count", "10")
 * }</pre>
 */
public final class ClusterOptions {
    /** The default heap of a region server. */
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
    private final Optional<Kerberos> kerberos;

    private ClusterOptions(
            int regionServers,
            int dataNodes,
            String heap,
            boolean diffIndex,
            Duration sessionTimeout,
            Map<String, String> siteProperties,
            Optional<Kerberos> kerberos) {
        this.regionServers = regionServers;
        this.dataNodes = dataNodes;
        this.heap = heap;
        this.diffIndex = diffIndex;
        this.sessionTimeout = sessionTimeout;
        this.siteProperties = siteProperties;
        this.kerberos = kerberos;
    }

    /**
     * Returns the default options: three region servers with a heap of 1 GB, one DataNode, Diff-Index enabled, and a
     * ZooKeeper session timeout of 20 s.
     */
    public static ClusterOptions defaults() {
        return new ClusterOptions(3, 1, DEFAULT_HEAP, true, Duration.ofSeconds(20), Map.of(), Optional.empty());
    }

    /**
     * Returns these options with another number of region servers, from 1 to 100.
     *
     * @throws IllegalArgumentException if the number is not in that range
     */
    public ClusterOptions withRegionServers(int number) {
        if (number < 1 || number > MOST_REGION_SERVERS) {
            throw new IllegalArgumentException(
                    "A cluster has 1 to " + MOST_REGION_SERVERS + " region servers, not " + number);
        }
        return new ClusterOptions(number, dataNodes, heap, diffIndex, sessionTimeout, siteProperties, kerberos);
    }

    /**
     * Returns these options with another number of DataNodes, from 1 to 10. With more than one, HDFS keeps two replicas
     * of each block and tolerates the loss of one DataNode.
     *
     * @throws IllegalArgumentException if the number is not in that range
     */
    public ClusterOptions withDataNodes(int number) {
        if (number < 1 || number > MOST_DATA_NODES) {
            throw new IllegalArgumentException("A cluster has 1 to " + MOST_DATA_NODES + " DataNodes, not " + number);
        }
        return new ClusterOptions(regionServers, number, heap, diffIndex, sessionTimeout, siteProperties, kerberos);
    }

    /**
     * Returns these options with another heap for each region server, as for {@code -Xmx}: {@code 512m}, {@code 2g}.
     *
     * @throws IllegalArgumentException if it is not a number and a unit
     */
    public ClusterOptions withHeap(String regionServerHeap) {
        if (!HEAP.matcher(regionServerHeap).matches()) {
            throw new IllegalArgumentException(
                    "A heap is a number with k, m or g, such as 512m; not " + regionServerHeap);
        }
        return new ClusterOptions(
                regionServers, dataNodes, regionServerHeap, diffIndex, sessionTimeout, siteProperties, kerberos);
    }

    /** Returns these options without Diff-Index's coprocessors: plain HBase. */
    public ClusterOptions withoutDiffIndex() {
        return new ClusterOptions(regionServers, dataNodes, heap, false, sessionTimeout, siteProperties, kerberos);
    }

    /**
     * Returns these options with another ZooKeeper session timeout: the time after which a server that has ended or is
     * suspended counts as dead. ZooKeeper limits it to the range from 2 to 20 of its ticks, 6 s to 60 s.
     */
    public ClusterOptions withSessionTimeout(Duration timeout) {
        return new ClusterOptions(regionServers, dataNodes, heap, diffIndex, timeout, siteProperties, kerberos);
    }

    /** Returns these options with a property in {@code hbase-site.xml}, which overrides the cluster's own value. */
    public ClusterOptions with(String property, String value) {
        Map<String, String> more = new LinkedHashMap<>(siteProperties);
        more.put(property, value);
        return new ClusterOptions(
                regionServers, dataNodes, heap, diffIndex, sessionTimeout, Map.copyOf(more), kerberos);
    }

    /** Returns these options with servers that require Kerberos, in a realm whose KDC runs. */
    public ClusterOptions withKerberos(Kerberos realm) {
        return new ClusterOptions(
                regionServers, dataNodes, heap, diffIndex, sessionTimeout, siteProperties, Optional.of(realm));
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

    Optional<Kerberos> kerberos() {
        return kerberos;
    }

    Map<String, String> siteProperties() {
        return siteProperties;
    }
}
