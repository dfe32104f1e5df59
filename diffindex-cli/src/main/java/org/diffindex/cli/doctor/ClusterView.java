package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.ServerInspection;

/**
 * A cluster as it was seen.
 *
 * @param client the settings of this client
 * @param master the active master
 * @param backupMasters those that wait, which answer no questions
 * @param tables the base and index tables
 */
record ClusterView(
        Configuration client,
        ServerView master,
        List<ServerName> backupMasters,
        List<ServerView> regionServers,
        List<TableView> tables) {
    /** All servers, the master first. */
    List<ServerView> servers() {
        return Stream.concat(Stream.of(master), regionServers.stream()).toList();
    }

    /** What the servers that answered said. */
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
}
