package org.diffindex.lab.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.lab.bench.statistics.Measurement;

/**
 * The CPU time that the clients, which run in this JVM, and the region servers have used so far, as the operating
 * system counts it: in hundredths of a second. Other processes are not included. Immutable.
 *
 * @param client the CPU time of this JVM, in nanoseconds; empty if the system does not report it
 * @param servers the CPU time of each region server, by process id, in nanoseconds; empty if the system does not report
 *     it
 */
record CpuTimes(OptionalDouble client, Map<Long, OptionalDouble> servers) {
    private static final double NANOS_PER_MICRO = 1e3;

    /** Copies the map. */
    CpuTimes {
        servers = Map.copyOf(servers);
    }

    /** Returns the current CPU times. */
    static CpuTimes now(LocalCluster cluster) throws IOException {
        Map<Long, OptionalDouble> servers = new TreeMap<>();
        for (ProcessStatus process : cluster.status()) {
            if (cluster.regionServers().contains(process.name())) {
                process.pid().ifPresent(it -> servers.put(it, ofProcess(it)));
            }
        }
        return new CpuTimes(ofProcess(ProcessHandle.current().pid()), servers);
    }

    private static OptionalDouble ofProcess(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .map(Duration::toNanos)
                .map(nanos -> OptionalDouble.of(nanos))
                .orElse(OptionalDouble.empty());
    }

    /**
     * Returns the measurement with the CPU time per operation since {@code before}; returns it unchanged if it has no
     * number of operations, or if the set of servers has changed.
     */
    Measurement perOperation(Measurement measurement, CpuTimes before) {
        OptionalDouble operations = measurement.value(Measurement.OPERATIONS);
        if (operations.orElse(0) == 0 || !servers.keySet().equals(before.servers.keySet())) {
            return measurement;
        }
        double micros = operations.getAsDouble() * NANOS_PER_MICRO;
        Measurement with = measurement;
        if (client.isPresent() && before.client.isPresent()) {
            with = with.with(Measurement.CLIENT_CPU, (client.getAsDouble() - before.client.getAsDouble()) / micros);
        }
        if (isWhole() && before.isWhole()) {
            with = with.with(Measurement.SERVER_CPU, (sum() - before.sum()) / micros);
        }
        return with;
    }

    private boolean isWhole() {
        return !servers.isEmpty() && servers.values().stream().allMatch(OptionalDouble::isPresent);
    }

    private double sum() {
        return servers.values().stream()
                .mapToDouble(OptionalDouble::getAsDouble)
                .sum();
    }
}
