package org.diffindex.cli.doctor;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.diffindex.client.ServerInspection;

/** Whether the servers' clocks agree: entries and rows expire by them, and the master turns away servers that are far off. */
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
        String state = "the servers' clocks are %,d ms apart at the most, measured within %,d ms"
                .formatted(apart.toMillis(), error.toMillis());
        return List.of(
                apart.minus(error).compareTo(MOST) <= 0
                        ? Finding.ok(this, state)
                        : Finding.warning(
                                this,
                                state + " (" + first.server() + " is ahead, " + last.server()
                                        + " behind): under a TTL of a"
                                        + " column family an entry goes so much earlier or later than its row",
                                "set the clocks by NTP"));
    }
}
