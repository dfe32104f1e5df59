package org.diffindex.server.metrics;

import java.util.concurrent.atomic.LongAdder;

/** The work of one region server for one index, over all regions of its table. The counters only grow. Thread-safe. */
public final class IndexCounters {
    /** Entries put, and deleted, that are durable. */
    public final LongAdder puts = new LongAdder();

    public final LongAdder deletes = new LongAdder();

    /** How long calls to the index table took, whether they succeeded or not. */
    public final Durations calls = new Durations();

    public final LongAdder failedCalls = new LongAdder();

    /** Deliveries that failed and are repeated. */
    public final LongAdder retries = new LongAdder();

    /** How long after they were queued updates were durable. */
    public final Durations staleness = new Durations();

    /** Spill files that were written for the index. */
    public final LongAdder spilledFiles = new LongAdder();

    /** Entries that readers have reported as stale. */
    public final LongAdder staleReported = new LongAdder();

    /** Stale entries that the server has deleted. */
    public final LongAdder staleDeleted = new LongAdder();

    /** Entries that the server has confirmed to readers, whose rows these need not look up. */
    public final LongAdder confirmedEntries = new LongAdder();
}
