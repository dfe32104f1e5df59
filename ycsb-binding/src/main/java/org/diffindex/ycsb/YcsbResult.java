package org.diffindex.ycsb;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The result of one run of YCSB. Immutable.
 *
 * @param throughput operations of all kinds per second of the run time; 0 if YCSB wrote no summary
 * @param runTime the time from the first to the last operation; zero if YCSB wrote no summary
 * @param drainTime the time from the last operation until the asynchronous indexes contained every write; empty if
 *     there are none, or if they were not drained
 * @param operations the measurements of each kind of operation, by its name
 * @param failures what went wrong, as text; empty if the run succeeded
 */
public record YcsbResult(
        double throughput,
        Duration runTime,
        Optional<Duration> drainTime,
        Map<String, OperationResult> operations,
        List<String> failures) {
    public YcsbResult {
        operations = Map.copyOf(operations);
        failures = List.copyOf(failures);
    }

    /**
     * Returns the operations per second of the time until the indexes contained every write; empty if {@link
     * #drainTime} is.
     */
    public OptionalDouble drainedThroughput() {
        if (drainTime.isEmpty()) {
            return OptionalDouble.empty();
        }
        double seconds = runTime.plus(drainTime.get()).toNanos() / 1e9;
        double done = throughput * runTime.toNanos() / 1e9;
        return OptionalDouble.of(seconds == 0 ? throughput : done / seconds);
    }

    /** Returns whether the run succeeded. */
    public boolean isSuccess() {
        return failures.isEmpty();
    }
}
