package org.diffindex.cli;

import java.io.PrintWriter;
import java.util.Comparator;
import org.diffindex.lab.output.TextTable;
import org.diffindex.ycsb.OperationResult;
import org.diffindex.ycsb.YcsbResult;

/** The output of {@code diffindex ycsb}: a line for each kind of operation, what its latencies are of, and the rate. */
final class YcsbText {
    private YcsbText() {}

    /**
     * Prints a result.
     *
     * @param asynchronous whether the indexes are behind the operations
     * @param target whether YCSB kept to a rate
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
                        ? "Latencies count from when the target rate wants an operation to start."
                        : "Latencies are of a closed loop: threads that wait start nothing, so that a stall counts once; see --target.");
        out.println(rate(result, asynchronous));
    }

    private static String rate(YcsbResult result, boolean asynchronous) {
        double seconds = result.runTime().toMillis() / 1e3;
        String acknowledged = perSecond(result.throughput(), seconds);
        if (result.drainTime().isEmpty()) {
            return asynchronous
                    ? acknowledged
                            + ", the indexes not drained: they have not got every write, whose cost is not in this rate"
                    : acknowledged;
        }
        double drained = seconds + result.drainTime().get().toMillis() / 1e3;
        return acknowledged + " until the last was acknowledged; "
                + perSecond(result.drainedThroughput().orElseThrow(), drained) + " until the indexes were drained";
    }

    private static String perSecond(double rate, double seconds) {
        return "%,.1f operations/s in %,.1f s".formatted(rate, seconds);
    }

    private static String micros(double value) {
        return Double.isNaN(value) ? "-" : "%,.0f".formatted(value);
    }
}
