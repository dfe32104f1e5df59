package org.diffindex.ycsb;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What came of one run of YCSB. Immutable.
 *
 * @param throughput operations in a second, all kinds together; 0 if YCSB wrote no summary
 * @param runTime from the first to the last operation; zero if YCSB wrote no summary
 * @param operations what was measured of each kind of operation, by its name
 * @param failures what went wrong, in words; empty if the run can be trusted
 */
public record YcsbResult(
        double throughput, Duration runTime, Map<String, OperationResult> operations, List<String> failures) {
    public YcsbResult {
        operations = Map.copyOf(operations);
        failures = List.copyOf(failures);
    }

    public boolean isSuccess() {
        return failures.isEmpty();
    }
}
