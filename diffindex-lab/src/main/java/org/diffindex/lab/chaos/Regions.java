package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;

/** Locates the regions of the run's tables. For one thread. */
final class Regions {
    private final LocalCluster cluster;
    private final Connection connection;
    private final List<TableName> base;
    private final List<TableName> index;

    Regions(LocalCluster cluster, Connection connection, List<ChaosTable> tables) {
        this.cluster = cluster;
        this.connection = connection;
        this.base = tables.stream().map(ChaosTable::name).toList();
        this.index =
                tables.stream().flatMap(table -> table.indexTables().stream()).toList();
    }

    List<TableName> baseTables() {
        return base;
    }

    List<TableName> indexTables() {
        return index;
    }

    List<TableName> allTables() {
        List<TableName> all = new ArrayList<>(base);
        all.addAll(index);
        return all;
    }

    /** Returns the regions of a table, in key order. */
    List<RegionInfo> of(TableName table) throws IOException {
        return locations(table).stream().map(HRegionLocation::getRegion).toList();
    }

    /** Returns the processes that hold a region of one of the tables, sorted by name. */
    List<String> processesOf(List<TableName> tables) throws IOException {
        Map<Integer, String> byPort = processesByPort();
        Map<String, Boolean> found = new TreeMap<>();
        for (TableName table : tables) {
            for (HRegionLocation location : locations(table)) {
                Optional.ofNullable(location.getServerName())
                        .map(server -> byPort.get(server.getPort()))
                        .ifPresent(process -> found.put(process, true));
            }
        }
        return List.copyOf(found.keySet());
    }

    /** Returns the server that holds a region. */
    Optional<ServerName> serverOf(TableName table, RegionInfo region) throws IOException {
        return locations(table).stream()
                .filter(location -> location.getRegion().equals(region))
                .flatMap(location -> Stream.ofNullable(location.getServerName()))
                .findFirst();
    }

    /** Returns the running region servers, by port. */
    private Map<Integer, String> processesByPort() throws IOException {
        Map<Integer, String> byPort = new TreeMap<>();
        for (ProcessStatus process : cluster.status()) {
            if (process.isUp() && cluster.regionServers().contains(process.name())) {
                byPort.put(process.ports().get("rpc"), process.name());
            }
        }
        return byPort;
    }

    /** Returns the running region servers that are not registered with the master. */
    List<String> upButNotServing(Admin admin) throws IOException {
        Map<Integer, String> byPort = processesByPort();
        admin.getRegionServers().forEach(server -> byPort.remove(server.getPort()));
        return List.copyOf(byPort.values());
    }

    private List<HRegionLocation> locations(TableName table) throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            locator.clearRegionLocationCache();
            return locator.getAllRegionLocations();
        }
    }
}
