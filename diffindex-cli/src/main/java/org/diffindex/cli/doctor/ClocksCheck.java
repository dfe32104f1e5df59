package org.diffindex.cli.doctor;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.diffindex.client.ServerInspection;

/**
 * Checks whether the servers' clocks agree: entries and rows expire by them, and the master rejects servers whose
 * clocks are far off.
 */
final class ClocksCheck implements Check {
    private static final Duration MOST = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "clocks";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<ServerInspection> servers = cluster.inspections();
        if (servers.size() < 2) {
            return List.of();
        }
        Comparator<ServerInspection> byClock = Comparator.comparing(ServerInspection::clockAhead);
        ServerInspection first = servers.stream().max(byClock).orElseThrow();
        ServerInspection last = servers.stream().min(byClock).orElseThrow();
        Duration apart = first.clockAhead().minus(last.clockAhead());
        Duration error = first.clockError().plus(last.clockError());
        String state = "the servers' clocks differ by at most %,d ms, measured to within %,d ms"
                .formatted(apart.toMillis(), error.toMillis());
        return List.of(
                apart.minus(error).compareTo(MOST) <= 0
                        ? Finding.ok(this, state)
                        : Finding.warning(
                                this,
                                state + " (" + first.server() + " is ahead, " + last.server()
                                        + " is behind): in a column family with a TTL"
                                        + " an entry expires that much earlier or later than its row",
                                "synchronize the clocks with NTP"));
    }
}
