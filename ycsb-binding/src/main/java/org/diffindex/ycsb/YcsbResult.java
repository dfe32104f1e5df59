package org.diffindex.ycsb;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What came of one run of YCSB. Immutable.
 *
 * @param throughput operations in a second of the run time, all kinds together; 0 if YCSB wrote no summary
 * @param runTime from the first to the last operation; zero if YCSB wrote no summary
 * @param drainTime from the last operation until the asynchronous indexes had every write; empty if there are none, or if they
 *     were not drained
 * @param operations what was measured of each kind of operation, by its name
 * @param failures what went wrong, in words; empty if the run can be trusted
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

    /** Operations in a second of the time until the indexes had every write; empty if {@link #drainTime} is. */
    public OptionalDouble drainedThroughput() {
        if (drainTime.isEmpty()) {
            return OptionalDouble.empty();
        }
        double seconds = runTime.plus(drainTime.get()).toNanos() / 1e9;
        double done = throughput * runTime.toNanos() / 1e9;
        return OptionalDouble.of(seconds == 0 ? throughput : done / seconds);
    }

    public boolean isSuccess() {
        return failures.isEmpty();
    }
}
