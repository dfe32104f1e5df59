package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;

/** Locates and moves the regions of tables with one region in a local cluster. For one thread. */
final class Placement {
    private static final Duration MOVE = Duration.ofMinutes(2);

    private final LocalCluster cluster;
    private final Connection connection;

    Placement(LocalCluster cluster, Connection connection) {
        this.cluster = cluster;
        this.connection = connection;
    }

    /** Returns the server that holds the region; empty while none does. */
    Optional<ServerName> serverOf(TableName table) throws IOException {
        return Optional.ofNullable(location(table).getServerName());
    }

    private HRegionLocation location(TableName table) throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            locator.clearRegionLocationCache();
            return locator.getAllRegionLocations().get(0);
        }
    }

    /**
     * Moves the regions of these tables to different servers, avoiding the server of hbase:meta if there are enough
     * others.
     *
     * @throws IOException if there are fewer servers than tables, or if a move does not succeed within two minutes
     */
    void separate(List<TableName> tables) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            List<ServerName> servers = byPreference(admin.getRegionServers());
            if (servers.size() < tables.size()) {
                throw new IOException("The cluster has " + servers.size() + " region servers, and the experiment needs "
                        + tables.size() + "; start it with more");
            }
            for (int i = 0; i < tables.size(); i++) {
                move(admin, tables.get(i), servers.get(i));
            }
        }
    }

    /**
     * Moves the region of a table to one server, the same for every table, and those of its indexes to the other servers,
     * in turn. Whether an entry is on the server of its row decides whether its write needs the network; so tables that
     * are compared must not differ in that.
     *
     * @throws IOException if the cluster has one server only, or if a move does not succeed within two minutes
     */
    void apart(TableName base, List<TableName> indexes) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            List<ServerName> servers = apart(byPreference(admin.getRegionServers()), indexes.size());
            move(admin, base, servers.get(0));
            for (int i = 0; i < indexes.size(); i++) {
                move(admin, indexes.get(i), servers.get(i + 1));
            }
        }
    }

    /** Returns the server of a table, followed by those of its indexes. */
    static List<ServerName> apart(List<ServerName> servers, int indexes) throws IOException {
        if (servers.size() < 2) {
            throw new IOException("The cluster has " + servers.size()
                    + " region servers, and the experiment needs 2; start it with more");
        }
        List<ServerName> chosen = new ArrayList<>(List.of(servers.get(0)));
        for (int i = 0; i < indexes; i++) {
            chosen.add(servers.get(1 + i % (servers.size() - 1)));
        }
        return chosen;
    }

    private List<ServerName> byPreference(Collection<ServerName> servers) throws IOException {
        return byPreference(servers, serverOf(TableName.META_TABLE_NAME));
    }

    /** Returns servers in an order that is always the same, with that of hbase:meta last. */
    static List<ServerName> byPreference(Collection<ServerName> servers, Optional<ServerName> meta) {
        return servers.stream()
                .sorted(Comparator.comparing((ServerName server) -> meta.equals(Optional.of(server)))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** Moves a region; retries, because the master may place it elsewhere while a server rejoins the cluster. */
    private void move(Admin admin, TableName table, ServerName server) throws IOException {
        boolean moved = Conditions.await(MOVE, () -> {
            if (serverOf(table).equals(Optional.of(server))) {
                return true;
            }
            admin.move(location(table).getRegion().getEncodedNameAsBytes(), server);
            return serverOf(table).equals(Optional.of(server));
        });
        if (!moved) {
            throw new IOException(
                    "The region of " + table + " did not move to " + server + " within " + MOVE.toSeconds() + " s");
        }
    }

    /** Returns the process of the server that holds the region. */
    ProcessStatus processOf(TableName table) throws IOException {
        int port = serverOf(table)
                .orElseThrow(() -> new IOException("No server holds the region of " + table))
                .getPort();
        return cluster.status().stream()
                .filter(process -> cluster.regionServers().contains(process.name())
                        && process.ports().get("rpc") == port)
                .findFirst()
                .orElseThrow(() -> new IOException("No region server of the cluster listens on port " + port));
    }
}
