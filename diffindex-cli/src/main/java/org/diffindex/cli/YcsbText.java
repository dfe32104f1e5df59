package org.diffindex.cli;

import java.io.PrintWriter;
import java.util.Comparator;
import org.diffindex.lab.output.TextTable;
import org.diffindex.ycsb.OperationResult;
import org.diffindex.ycsb.YcsbResult;

/**
 * Formats the output of {@code diffindex ycsb}: a line for each kind of operation, how latencies are measured, and the
 * rate.
 */
final class YcsbText {
    private YcsbText() {}

    /**
     * Prints a result.
     *
     * @param asynchronous whether the indexes are updated after the acknowledgement
     * @param target whether YCSB kept to a target rate
     */
    static void print(YcsbResult result, boolean asynchronous, boolean target, PrintWriter out) {
        TextTable table =
                new TextTable("OPERATION", "COUNT", "FAILED", "MISSED", "MEAN us", "P50 us", "P95 us", "P99 us");
        result.operations().values().stream()
                .sorted(Comparator.comparing(OperationResult::name))
                .forEach(operation -> table.row(
                        operation.name(),
                        "%,d".formatted(operation.count()),
                        "%,d".formatted(operation.failed()),
                        "%,d".formatted(operation.misses()),
                        micros(operation.averageMicros()),
                        micros(operation.p50Micros()),
                        micros(operation.p95Micros()),
                        micros(operation.p99Micros())));
        table.print(out, 1);
        out.println(
                target
                        ? "Latencies are measured from the start that the target rate schedules for an operation."
                        : "Latencies are those of a closed loop: a waiting thread starts no operation, so a stall counts"
                                + " once; see --target.");
        out.println(rate(result, asynchronous));
    }

    private static String rate(YcsbResult result, boolean asynchronous) {
        double seconds = result.runTime().toMillis() / 1e3;
        String acknowledged = perSecond(result.throughput(), seconds);
        if (result.drainTime().isEmpty()) {
            return asynchronous
                    ? acknowledged
                            + "; the indexes were not drained, so this rate omits the cost of undelivered updates"
                    : acknowledged;
        }
        double drained = seconds + result.drainTime().get().toMillis() / 1e3;
        return acknowledged + " until the last acknowledgement; "
                + perSecond(result.drainedThroughput().orElseThrow(), drained) + " until the indexes were drained";
    }

    private static String perSecond(double rate, double seconds) {
        return "%,.1f operations/s in %,.1f s".formatted(rate, seconds);
    }

    private static String micros(double value) {
        return Double.isNaN(value) ? "-" : "%,.0f".formatted(value);
    }
}
