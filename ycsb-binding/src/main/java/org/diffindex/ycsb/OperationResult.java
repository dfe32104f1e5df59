package org.diffindex.ycsb;

import java.util.Map;

/**
 * YCSB's measurements of one kind of operation. Immutable.
 *
 * @param name the operation, such as {@code UPDATE} or {@code READ-BY-INDEX}
 * @param succeeded the number of operations that the latencies cover
 * @param averageMicros the mean latency, in microseconds; NaN if none succeeded
 * @param p50Micros the median latency, in microseconds; NaN if none succeeded
 * @param p95Micros the 95th percentile, in microseconds; NaN if none succeeded
 * @param p99Micros the 99th percentile, in microseconds; NaN if none succeeded
 * @param returned the number of operations for each of YCSB's return codes, such as {@code OK} or {@code NOT_FOUND}
 */
public record OperationResult(
        String name,
        long succeeded,
        double averageMicros,
        double p50Micros,
        double p95Micros,
        double p99Micros,
        Map<String, Long> returned) {
    private static final String NOT_FOUND = "NOT_FOUND";

    public OperationResult {
        returned = Map.copyOf(returned);
    }

    /** Returns the number of operations, whatever their outcome. */
    public long count() {
        return returned.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Returns the number of reads that found nothing, for example after a delete or an update by another thread; these
     * are not failures.
     */
    public long misses() {
        return returned.getOrDefault(NOT_FOUND, 0L);
    }

    /** Returns the number of operations that neither succeeded nor were misses. */
    public long failed() {
        return count() - misses() - returned.getOrDefault("OK", 0L) - returned.getOrDefault("BATCHED_OK", 0L);
    }
}
