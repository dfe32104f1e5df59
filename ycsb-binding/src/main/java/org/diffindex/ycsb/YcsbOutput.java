package org.diffindex.ycsb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Derives a {@link YcsbResult} from YCSB's output. YCSB's exit code is 0 even if a thread could not connect, an
 * operation failed or an exception ended it; only the measurements and the output tell.
 */
final class YcsbOutput {
    private static final Pattern MEASUREMENT = Pattern.compile("\\[([^]]+)], ([^,]+), (\\S+)");
    private static final Pattern EXCEPTION =
            Pattern.compile("(?:Exception in thread .*|[\\w.$]*\\.\\w*(?:Exception|Error)(?:: .*)?)");
    private static final Pattern OPERATION_ERROR = Pattern.compile("[A-Z-]+ (?:of table \\S+ )?failed: .*");
    private static final String RETURN = "Return=";
    private static final int SHOWN_EXCEPTIONS = 3;

    private final Map<String, Map<String, Double>> measurements = new TreeMap<>();
    private final List<String> exceptions = new ArrayList<>();
    private String firstError = "";

    /** Adds a line of the measurements in YCSB's text format; ignores other lines. */
    void addMeasurement(String line) {
        Matcher matcher = MEASUREMENT.matcher(line);
        if (matcher.matches()) {
            try {
                measurements
                        .computeIfAbsent(matcher.group(1), name -> new TreeMap<>())
                        .put(matcher.group(2), Double.valueOf(matcher.group(3)));
            } catch (NumberFormatException e) {
                exceptions.add("a measurement is not a number: " + line);
            }
        }
    }

    /**
     * Adds a line of YCSB's standard output, to which YCSB writes the exceptions that end a thread or a run. Not for
     * standard error, to which HBase's client logs failures that it retries.
     */
    void addOutput(String line) {
        if (EXCEPTION.matcher(line).matches() && !exceptions.contains(line)) {
            exceptions.add(line);
        }
    }

    /**
     * Adds a line of YCSB's standard error, to which Java writes uncaught exceptions, and the binding writes why an
     * operation failed.
     */
    void addError(String line) {
        if (line.startsWith("Exception in thread ")) {
            addOutput(line);
        } else if (firstError.isEmpty() && OPERATION_ERROR.matcher(line).matches()) {
            firstError = ", first: " + line;
        }
    }

    /**
     * Returns the result.
     *
     * @param exitCode the exit code of YCSB's process
     * @param expected how many operations YCSB should have performed; empty if that depends on the time
     */
    YcsbResult result(int exitCode, OptionalLong expected) {
        Map<String, OperationResult> operations = operations();
        List<String> failures = new ArrayList<>();
        if (exitCode != 0) {
            failures.add("its process ended with exit code " + exitCode);
        }
        exceptions.stream().limit(SHOWN_EXCEPTIONS).forEach(failures::add);
        double throughput = measurement("OVERALL", "Throughput(ops/sec)");
        double millis = measurement("OVERALL", "RunTime(ms)");
        // The throughput is NaN or infinite after a run of less than a millisecond, so the run time decides.
        if (Double.isNaN(millis)) {
            failures.add("it wrote no summary, so it did not complete");
        } else {
            addShortfall(failures, operations, expected);
        }
        operations.values().stream()
                .filter(operation -> operation.failed() > 0)
                .forEach(operation -> failures.add(operation.failed() + " of " + operation.count() + " operations "
                        + operation.name() + " failed " + new TreeMap<>(operation.returned()) + firstError));
        return new YcsbResult(
                orZero(throughput), Duration.ofMillis((long) orZero(millis)), drainTime(), operations, failures);
    }

    private Optional<Duration> drainTime() {
        double micros = measurement(ItemDrain.MEASUREMENT, "AverageLatency(us)");
        return Double.isFinite(micros) ? Optional.of(Duration.ofNanos((long) (micros * 1_000))) : Optional.empty();
    }

    private static void addShortfall(
            List<String> failures, Map<String, OperationResult> operations, OptionalLong expected) {
        long done =
                operations.values().stream().mapToLong(OperationResult::count).sum();
        if (done == 0) {
            failures.add("it performed no operation");
        } else if (expected.isPresent() && done != expected.getAsLong()) {
            failures.add("it performed " + done + " operations instead of " + expected.getAsLong());
        }
    }

    private Map<String, OperationResult> operations() {
        Map<String, OperationResult> operations = new TreeMap<>();
        measurements.forEach((name, values) -> {
            Map<String, Long> returned = new TreeMap<>();
            values.forEach((key, value) -> {
                if (key.startsWith(RETURN)) {
                    returned.put(key.substring(RETURN.length()), value.longValue());
                }
            });
            if (!returned.isEmpty()) {
                operations.put(name, operation(name, returned));
            }
        });
        return operations;
    }

    private OperationResult operation(String name, Map<String, Long> returned) {
        long succeeded = (long) orZero(measurement(name, "Operations"));
        return new OperationResult(
                name,
                succeeded,
                latency(name, succeeded, "AverageLatency(us)"),
                latency(name, succeeded, "50thPercentileLatency(us)"),
                latency(name, succeeded, "95thPercentileLatency(us)"),
                latency(name, succeeded, "99thPercentileLatency(us)"),
                returned);
    }

    private double latency(String name, long succeeded, String key) {
        return succeeded == 0 ? Double.NaN : measurement(name, key);
    }

    private double measurement(String name, String key) {
        return measurements.getOrDefault(name, Map.of()).getOrDefault(key, Double.NaN);
    }

    private static double orZero(double value) {
        return Double.isFinite(value) ? value : 0;
    }
}
