package org.diffindex.lab.bench.statistics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;

/**
 * The result of one round of one cell: values by name. The name of a value with a unit ends in the unit. Immutable.
 *
 * @param values the values, in the order in which the report shows them
 */
public record Measurement(Map<String, Double> values) {
    public static final String P50 = "p50_us";
    public static final String P95 = "p95_us";
    public static final String P99 = "p99_us";

    /** The 99.9th percentile; with fewer than 1,000 operations, the slowest. */
    public static final String P999 = "p999_us";

    public static final String MAX = "max_us";
    public static final String PER_SECOND = "per_second";
    public static final String OPERATIONS = "operations";
    public static final String SECONDS = "seconds";

    /** The target rate. */
    public static final String TARGET = "target_per_second";

    /** Operations due at the target rate that were never started because earlier ones took too long. */
    public static final String NOT_STARTED = "not_started";

    /** The time from the last write until the indexes have received all updates. */
    public static final String DRAIN = "drain_s";

    /** Entries that a read of another system should have returned and did not, on average. */
    public static final String MISSING = "entries_missing";

    /** CPU time of all clients per operation. */
    public static final String CLIENT_CPU = "client_cpu_us";

    /** CPU time of all region servers per operation, deferred work included. */
    public static final String SERVER_CPU = "server_cpu_us";

    /**
     * The share of the base rows needed for index maintenance that the regions remembered, so that they did not read
     * them.
     */
    public static final String ROW_MEMORY_HIT_SHARE = "row_memory_hit_share";

    /** The median of staleness. */
    public static final String STALENESS_P50 = "staleness_p50_ms";

    /** The 99th percentile of staleness. */
    public static final String STALENESS_P99 = "staleness_p99_ms";

    /** The ratio of the heap a full AUQ occupies to the bytes the server counts for it. */
    public static final String HEAP_RATIO = "heap_per_counted_byte";

    /** The median time of a flush of a region. */
    public static final String FLUSH_P50 = "flush_p50_ms";

    /** The time from the death of a region server until its region serves again. */
    public static final String ONLINE = "online_s";

    /** The time from the death of a region server until the index of its region has every row. */
    public static final String DRAINED = "drained_s";

    /** The columns of a closed loop that needs no drain. */
    public static final List<String> OF_CLOSED_LOOP = List.of(P50, P95, P99, PER_SECOND, CLIENT_CPU, SERVER_CPU);

    /** The columns of a closed loop whose indexes are drained at the end. */
    public static final List<String> OF_DRAINED_LOOP =
            List.of(P50, P95, P99, PER_SECOND, DRAIN, CLIENT_CPU, SERVER_CPU, ROW_MEMORY_HIT_SHARE);

    private static final double NANOS_PER_MICRO = 1e3;

    /** The share of the target rate that counts as reached; a round may end a little late. */
    private static final double NEARLY = 0.9;

    /** Copies the values. */
    public Measurement {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Returns a measurement without values. */
    public static Measurement empty() {
        return new Measurement(Map.of());
    }

    /**
     * Returns a measurement of latencies and throughput.
     *
     * @param nanos the latencies in nanoseconds
     * @param operations the number of operations that completed
     * @param seconds the time that they took, any final wait included
     */
    public static Measurement of(Histogram nanos, long operations, double seconds) {
        return empty().with(P50, nanos.getValueAtPercentile(50) / NANOS_PER_MICRO)
                .with(P95, nanos.getValueAtPercentile(95) / NANOS_PER_MICRO)
                .with(P99, nanos.getValueAtPercentile(99) / NANOS_PER_MICRO)
                .with(P999, nanos.getValueAtPercentile(99.9) / NANOS_PER_MICRO)
                .with(MAX, nanos.getMaxValue() / NANOS_PER_MICRO)
                .with(PER_SECOND, operations / seconds)
                .with(OPERATIONS, (double) operations)
                .with(SECONDS, seconds);
    }

    /**
     * Returns whether all due operations were started, and 90% of the target rate was reached; true if there was no
     * target.
     */
    public boolean isAtItsRate() {
        double target = value(TARGET).orElse(0);
        return value(NOT_STARTED).orElse(0) == 0 && value(PER_SECOND).orElse(target) >= NEARLY * target;
    }

    /** Returns these values with one added, or with the one of that name replaced. */
    public Measurement with(String name, double value) {
        Map<String, Double> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new Measurement(more);
    }

    /** Returns the value of that name; empty if it was not measured. */
    public OptionalDouble value(String name) {
        Double value = values.get(name);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
