package org.diffindex.lab.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;

/**
 * The processor time that the clients, which are this JVM, and the cluster's region servers have used up to one moment, as the
 * operating system counts it: in hundredths of a second. Whoever else uses the machine is not in it. Immutable.
 *
 * @param client nanoseconds of this JVM
 * @param servers nanoseconds of each region server, by its process; the system need not tell them
 */
record CpuTimes(OptionalDouble client, Map<Long, OptionalDouble> servers) {
    private static final double NANOS_PER_MICRO = 1e3;

    /** Copies the map. */
    CpuTimes {
        servers = Map.copyOf(servers);
    }

    /** Those of now. */
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

    /** The measurement with the time for each of its operations; as it is, if it has none or a server came or went since. */
    Measurement perOperation(Measurement measurement, CpuTimes before) {
        OptionalDouble operations = measurement.value(Measurement.OPERATIONS);
        if (operations.isEmpty() || !servers.keySet().equals(before.servers.keySet())) {
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
