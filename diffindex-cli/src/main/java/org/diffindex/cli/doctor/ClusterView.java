package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.ServerInspection;

/**
 * The state of a cluster at one moment.
 *
 * @param client the settings of this client
 * @param master the active master
 * @param backupMasters the backup masters, which do not answer
 * @param regionServers the live region servers
 * @param tables the base and index tables
 */
record ClusterView(
        Configuration client,
        ServerView master,
        List<ServerName> backupMasters,
        List<ServerView> regionServers,
        List<TableView> tables) {
    /** Returns all servers, the master first. */
    List<ServerView> servers() {
        return Stream.concat(Stream.of(master), regionServers.stream()).toList();
    }

    /** Returns the inspections of the servers that answered. */
    List<ServerInspection> inspections() {
        return servers().stream()
                .flatMap(server -> server.inspection().stream())
                .toList();
    }

    List<TableView> baseTables() {
        return tables.stream().filter(table -> !table.isIndexTable()).toList();
    }

    List<TableView> indexTables() {
        return tables.stream().filter(TableView::isIndexTable).toList();
    }

    Optional<TableView> table(TableName name) {
        return tables.stream().filter(table -> table.name().equals(name)).findFirst();
    }

    /** Returns the table of an index, whether the index can be loaded or not; empty if there is none. */
    Optional<TableView> indexTable(TableName base, String index) {
        String name = indexTableName(base, index);
        return tables.stream()
                .filter(table -> table.name().getNameAsString().equals(name))
                .findFirst();
    }

    /** Returns the name of the table of an index, even if the index has a name that no table can have. */
    static String indexTableName(TableName base, String index) {
        return base.getNameAsString() + "." + index;
    }
}
