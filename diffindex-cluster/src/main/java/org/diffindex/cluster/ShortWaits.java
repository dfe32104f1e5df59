package org.diffindex.cluster;

import java.util.Map;

/**
 * Settings that shorten fixed waits of HDFS and HBase. A cluster on one machine creates tables and flushes several
 * times faster with them.
 */
public final class ShortWaits {
    /** The values by name, in milliseconds except for the number of retries. */
    public static final Map<String, Integer> SETTINGS = Map.of(
            // The first pause, 1,000 by default, of a server that reports an open region to a starting master. The
            // longest is 200 times as long, and the region is not online until the report succeeds.
            "hbase.rpc.shortoperation.retry.pause.time", 50,
            // The delay, 400 by default, before a client asks for the first time whether the last block of a file was
            // reported.
            "dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 5,
            // The number of retries, 5 by default, each after twice the delay: together as long as by default.
            "dfs.client.block.write.locateFollowingBlock.retries", 12,
            // How long, 150 by default, the master collects requests to a region server.
            "hbase.assignment.dispatch.wait.msec", 1,
            "hbase.procedure.remote.dispatcher.delay.msec", 1);

    private ShortWaits() {}
}
