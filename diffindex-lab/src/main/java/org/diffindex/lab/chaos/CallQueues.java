package org.diffindex.lab.chaos;

import java.util.Locale;
import java.util.Map;

/**
 * Which handlers of the region servers take which calls in a run. Few in any case, so that writes that wait for an index table
 * take up many of them.
 */
enum CallQueues {
    /** Any handler takes any call, as in an HBase that is told nothing else: reads wait behind writes. */
    SHARED,

    /** Writes, reads and scans have queues and handlers of their own: four, three and three. */
    SPLIT;

    private static final Map<String, String> FEW_HANDLERS = Map.of("hbase.regionserver.handler.count", "10");
    private static final Map<String, String> FEW_HANDLERS_APART = Map.of(
            "hbase.regionserver.handler.count", "10",
            "hbase.ipc.server.callqueue.handler.factor", "0.5",
            "hbase.ipc.server.callqueue.read.ratio", "0.6",
            "hbase.ipc.server.callqueue.scan.ratio", "0.5");

    /** Those of the run with that seed: split for an even one. */
    static CallQueues of(long seed) {
        return seed % 2 == 0 ? SPLIT : SHARED;
    }

    /** The properties of {@code hbase-site.xml} by which servers have them. */
    Map<String, String> settings() {
        return this == SPLIT ? FEW_HANDLERS_APART : FEW_HANDLERS;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
