package org.diffindex.lab.chaos;

import java.util.Locale;
import java.util.Map;

/**
 * The assignment of the region servers' handlers to calls. A server has only ten handlers, so that writes that wait for
 * an index table occupy many of them.
 */
enum CallQueues {
    /** One queue for all calls, HBase's default: reads wait behind writes. */
    SHARED,

    /** Separate queues and handlers for writes, reads and scans: four, three and three handlers. */
    SPLIT;

    private static final Map<String, String> FEW_HANDLERS = Map.of("hbase.regionserver.handler.count", "10");
    private static final Map<String, String> FEW_HANDLERS_APART = Map.of(
            "hbase.regionserver.handler.count", "10",
            "hbase.ipc.server.callqueue.handler.factor", "0.5",
            "hbase.ipc.server.callqueue.read.ratio", "0.6",
            "hbase.ipc.server.callqueue.scan.ratio", "0.5");

    /** Returns the call queues of the run with a seed: {@link #SPLIT} if the seed is even. */
    static CallQueues of(long seed) {
        return seed % 2 == 0 ? SPLIT : SHARED;
    }

    /** Returns the properties to set in {@code hbase-site.xml}. */
    Map<String, String> settings() {
        return this == SPLIT ? FEW_HANDLERS_APART : FEW_HANDLERS;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
