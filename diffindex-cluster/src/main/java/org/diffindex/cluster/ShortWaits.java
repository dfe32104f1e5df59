package org.diffindex.cluster;

import java.util.Map;

/**
 * Settings without which a cluster on one machine waits where there is nothing to wait for: it creates tables and flushes
 * several times faster with them.
 */
public final class ShortWaits {
    /** In milliseconds but for the number of retries, by name. */
    public static final Map<String, Integer> SETTINGS = Map.of(
            // So long after the end of a file, by default 400, a client asks whether its last block was reported.
            "dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 5,
            // It asks so often again, by default 5 times, twice as long after each: in all as long as by default.
            "dfs.client.block.write.locateFollowingBlock.retries", 12,
            // For so long, by default 150, the master gathers what it asks of a region server.
            "hbase.assignment.dispatch.wait.msec", 1,
            "hbase.procedure.remote.dispatcher.delay.msec", 1);

    private ShortWaits() {}
}
