package org.diffindex.server;

import java.time.Duration;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ipc.RpcControllerFactory;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.diffindex.server.deliver.UrgentControllerFactory;
import org.diffindex.server.queue.UpdateProcessor;

/**
 * The settings of Diff-Index on a server. Each call reads the configuration, which may change while the server runs.
 * Thread-safe.
 */
public final class Settings {
    /** The limit of the memory, in bytes, of pending index updates on one region server; 64 MiB. */
    public static final String QUEUE_MAX_BYTES = "diffindex.auq.max.bytes";

    /**
     * The limit of the memory, in bytes, of what recently written rows show, on one region server; 32 MiB. A write of
     * such a row need not read it, and a reader need not look it up. 0 turns this off.
     */
    public static final String ROW_MEMORY_BYTES = "diffindex.row.memory.bytes";

    /**
     * The names of coprocessors of base tables, separated by commas, that hide no cells from reads and drop none in
     * flushes and compactions, although they override hooks by which they could; none. Beside other coprocessors with
     * such hooks no rows are remembered.
     */
    public static final String HARMLESS_COPROCESSORS = "diffindex.harmless.coprocessors";

    /** The number of APS threads on one region server; 4. */
    public static final String PROCESSOR_THREADS = "diffindex.aps.threads";

    /**
     * How long, in milliseconds, the updates of a region wait for others to share their calls, from the first update or
     * from the end of the delivery before; 10. A longer wait saves calls, whose number grows with the number of servers,
     * at the cost of as much staleness.
     */
    public static final String LINGER_MS = "diffindex.aps.linger.ms";

    /**
     * How long, in milliseconds, a flush waits for the index updates of its rows before it writes the rest to disk; 3
     * seconds. It waits once, regardless of the number of column families, and not for an index that is behind the
     * others.
     */
    public static final String FLUSH_WAIT_MS = "diffindex.flush.wait.ms";

    /**
     * How long, in milliseconds, a closing region waits for its index updates before it writes the rest to disk; 5
     * seconds. It does not wait for an index that is behind the others.
     */
    public static final String CLOSE_WAIT_MS = "diffindex.close.wait.ms";

    /**
     * How long, in milliseconds, a write waits after a crash or an outage until the changes that its synchronous indexes
     * lack are loaded from disk; 5 seconds. Then its index updates are reported as delayed.
     */
    public static final String LOAD_WAIT_MS = "diffindex.load.wait.ms";

    /**
     * How long, in milliseconds, one delivery is attempted before it fails, with all its calls; 30 seconds. It may take a
     * tenth longer. Must be less than the clients'
     * {@code hbase.rpc.timeout}, so that the client of a synchronous index learns of a failure.
     */
    public static final String DELIVERY_TIMEOUT_MS = "diffindex.delivery.timeout.ms";

    /**
     * How long, in milliseconds, read repair leaves an entry in the index after a reader has reported it as stale; 10
     * seconds. A scan of several regions of a sync-insert index that takes no longer misses no row that moves
     * meanwhile.
     */
    public static final String STALE_DELAY_MS = "diffindex.stale.delay.ms";

    /**
     * A row is read as it was by a scanner at its past read point if fewer than this number of cells, for each row to
     * be read, are known to have been logged since, and otherwise by a raw scan where that can show the past; 1,000.
     * Affects only the speed.
     */
    public static final String NEAR_READ_CELLS = "diffindex.near.read.cells";

    /**
     * From how many milliseconds on an operation on an index is logged as slow; 1 second. 0 logs none.
     */
    public static final String SLOW_MS = "diffindex.slow.ms";

    /** An HBase setting under which the WAL is not replayed, so that index updates would be lost in a crash. */
    public static final String SPLIT_TO_HFILE = "hbase.wal.split.to.hfile";

    /** HBase's own bound, in milliseconds, for the wait of a write for locks. */
    private static final String BUSY_WAIT_MS = "hbase.busy.wait.duration";

    private final Configuration conf;

    Settings(Configuration conf) {
        this.conf = conf;
    }

    long queueMaxBytes() {
        return conf.getLong(QUEUE_MAX_BYTES, 64L << 20);
    }

    long rowMemoryBytes() {
        return Math.max(0, conf.getLong(ROW_MEMORY_BYTES, 32L << 20));
    }

    Set<String> harmlessCoprocessors() {
        return Set.copyOf(conf.getTrimmedStringCollection(HARMLESS_COPROCESSORS));
    }

    int processorThreads() {
        return conf.getInt(PROCESSOR_THREADS, 4);
    }

    /**
     * Returns the wait in milliseconds, limited to the range from 0 to a minute; updates that waited longer would fill
     * the AUQ.
     */
    long lingerMs() {
        return Math.max(0, Math.min(60_000, conf.getLong(LINGER_MS, UpdateProcessor.DEFAULT_LINGER_MS)));
    }

    long flushWaitMs() {
        return conf.getLong(FLUSH_WAIT_MS, 3_000);
    }

    long closeWaitMs() {
        return conf.getLong(CLOSE_WAIT_MS, 5_000);
    }

    long loadWaitMs() {
        return conf.getLong(LOAD_WAIT_MS, 5_000);
    }

    /** Returns how long a write waits for other writes of its rows: as long as it waits for HBase's locks. */
    Duration longestRowWait() {
        return Duration.ofMillis(conf.getLong(BUSY_WAIT_MS, HConstants.DEFAULT_HBASE_RPC_TIMEOUT));
    }

    long staleDelayMs() {
        return Math.max(0, conf.getLong(STALE_DELAY_MS, 10_000));
    }

    long slowMs() {
        return conf.getLong(SLOW_MS, 1_000);
    }

    int nearReadCells() {
        return conf.getInt(NEAR_READ_CELLS, 1_000);
    }

    /** Returns the number of handlers available to clients' writes. */
    int writeHandlers() {
        return WriteHandlers.count(conf);
    }

    /**
     * Returns the maximum number of writes of a region that HBase applies together. Assumes that the servers of the
     * index tables have the same setting.
     */
    int writesTogether() {
        return conf.getInt(
                HRegion.HBASE_REGIONSERVER_MINIBATCH_SIZE, HRegion.DEFAULT_HBASE_REGIONSERVER_MINIBATCH_SIZE);
    }

    boolean splitsWalToHFiles() {
        return conf.getBoolean(SPLIT_TO_HFILE, false);
    }

    int deliveryTimeoutMs() {
        return conf.getInt(DELIVERY_TIMEOUT_MS, 30_000);
    }

    /**
     * Returns the configuration of the connection to the index tables: the server's, with a short backoff, with high
     * priority, and with timeouts that end a call within the delivery timeout, and an attempt to look up a region within
     * three tenths of it: two for the scan of hbase:meta, and one for the wait for other lookups.
     */
    Configuration forDelivery() {
        int timeout = deliveryTimeoutMs();
        Configuration delivery = new Configuration(false);
        HBaseConfiguration.merge(delivery, conf); // a plain copy of a server's read-only configuration would be empty
        delivery.setInt("hbase.client.operation.timeout", timeout);
        delivery.setInt("hbase.client.meta.operation.timeout", timeout / 10);
        delivery.setInt("hbase.client.meta.scanner.timeout.period", Math.min(timeout / 5, 10_000));
        delivery.setInt("hbase.rpc.timeout", Math.min(timeout, 10_000));
        delivery.setInt("hbase.client.retries.number", 20);
        delivery.setInt("hbase.client.pause", 50);
        delivery.set(RpcControllerFactory.CUSTOM_CONTROLLER_CONF_KEY, UrgentControllerFactory.class.getName());
        return delivery;
    }
}
