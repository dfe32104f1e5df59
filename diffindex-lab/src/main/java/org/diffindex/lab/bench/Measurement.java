package org.diffindex.lab.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;

/**
 * What one round of one cell gave: values by their names, which end in the unit. Immutable.
 *
 * @param values in the order in which the report shows them
 */
record Measurement(Map<String, Double> values) {
    static final String P50 = "p50_us";
    static final String P95 = "p95_us";
    static final String P99 = "p99_us";

    /** The 99.9th percentile; of fewer than 1,000 operations it is the slowest. */
    static final String P999 = "p999_us";

    static final String MAX = "max_us";
    static final String PER_SECOND = "per_second";
    static final String OPERATIONS = "operations";
    static final String SECONDS = "seconds";

    /** The rate that was asked for. */
    static final String TARGET = "target_per_second";

    /** Operations that the rate asked for and that were not started, since those before them took too long. */
    static final String NOT_STARTED = "not_started";

    /** Processor time of all clients for each operation. */
    static final String CLIENT_CPU = "client_cpu_us";

    /** Processor time of all region servers for each operation, with what they do later for it. */
    static final String SERVER_CPU = "server_cpu_us";

    /** The values that a report shows of a closed loop without a drain. */
    static final List<String> OF_CLOSED_LOOP = List.of(P50, P95, P99, PER_SECOND, CLIENT_CPU, SERVER_CPU);

    private static final double NANOS_PER_MICRO = 1e3;

    /** The end of a round may be a bit late. */
    private static final double NEARLY = 0.9;

    /** Copies the values. */
    Measurement {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Nothing yet. */
    static Measurement empty() {
        return new Measurement(Map.of());
    }

    /**
     * The latencies of operations, and how many there were in a second.
     *
     * @param done what the clients did
     * @param seconds the time that counts, with whatever had to be waited for at its end
     */
    static Measurement of(Load.Done done, double seconds) {
        Histogram nanos = done.nanos();
        return empty().with(P50, nanos.getValueAtPercentile(50) / NANOS_PER_MICRO)
                .with(P95, nanos.getValueAtPercentile(95) / NANOS_PER_MICRO)
                .with(P99, nanos.getValueAtPercentile(99) / NANOS_PER_MICRO)
                .with(P999, nanos.getValueAtPercentile(99.9) / NANOS_PER_MICRO)
                .with(MAX, nanos.getMaxValue() / NANOS_PER_MICRO)
                .with(PER_SECOND, done.operations() / seconds)
                .with(OPERATIONS, (double) done.operations())
                .with(SECONDS, seconds);
    }

    /** The same for clients that keep to a rate, whose latencies count from when it wants an operation to start. */
    static Measurement paced(Load.Done done, double seconds, double perSecond) {
        return of(done, seconds).with(TARGET, perSecond).with(NOT_STARTED, (double) done.notStarted());
    }

    /** Whether as many operations came as were asked for, if a rate was. */
    boolean isAtItsRate() {
        double asked = value(TARGET).orElse(0);
        return value(NOT_STARTED).orElse(0) == 0 && value(PER_SECOND).orElse(asked) >= NEARLY * asked;
    }

    /** With one more value. */
    Measurement with(String name, double value) {
        Map<String, Double> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new Measurement(more);
    }

    /** The value of that name; empty if it was not measured. */
    OptionalDouble value(String name) {
        Double value = values.get(name);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
