package org.diffindex.cli.doctor;

import java.util.List;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.ServerSetting;

/** Applies every check to the view of a cluster. */
final class Doctor {
    private static final String RESTART = "in hbase-site.xml of every server, and restart them";

    private static final List<Check> CHECKS = List.of(
            new HBaseVersionCheck(),
            new MasterObserverCheck(),
            new ServerEndpointCheck(),
            new DiffIndexVersionCheck(),
            new IndexFormatsCheck(),
            new JavaVersionCheck(),
            RegionsCheck.ofBaseTables(),
            RegionsCheck.ofIndexTables(),
            new DefinitionsCheck(),
            new IndexStateCheck(),
            new IndexTablesCheck(),
            new ColumnsChangeCheck(),
            new WaitingUpdatesCheck(),
            SettingCheck.mustNotBe(
                    "true",
                    "wal-split-to-hfile",
                    ServerSetting.SPLIT_TO_HFILE,
                    Level.PROBLEM,
                    "a crash would lose index updates",
                    "set it to false " + RESTART),
            SettingCheck.mustNotBe(
                    "false",
                    "abort-on-error",
                    ServerSetting.ABORT_ON_ERROR,
                    Level.PROBLEM,
                    "a server that cannot load a coprocessor, or unloads one that failed, writes rows without their"
                            + " index entries",
                    "set it to true " + RESTART + "; then scrub the indexes"),
            SettingCheck.mustNotBe(
                    "false",
                    "coprocessors",
                    ServerSetting.COPROCESSORS,
                    Level.PROBLEM,
                    "no index is maintained",
                    "set it to true " + RESTART),
            SettingCheck.mustNotBe(
                    "false",
                    "table-coprocessors",
                    ServerSetting.TABLE_COPROCESSORS,
                    Level.PROBLEM,
                    "no index is maintained, because the coprocessors are named by the tables",
                    "set it to true " + RESTART),
            new SettingCheck(
                    "wal-split-threads",
                    ServerSetting.SPLIT_WRITERS,
                    Doctor::splitsWithOneThread,
                    Level.PROBLEM,
                    "splitting a dead server's WAL can lose its edits, both rows and index updates",
                    "set it to 3, HBase's default, " + RESTART),
            new HandlersCheck(),
            new PriorityHandlersCheck(),
            new UrgentWritesCheck(),
            new JarPathCheck(),
            new ClientTimeoutCheck(),
            new ClocksCheck(),
            new TombstonesCheck(),
            new ReplicationCheck());

    private Doctor() {}

    /** Returns the findings of all checks, from the cluster as a whole to single settings. */
    static List<Finding> examine(ClusterView cluster) {
        return CHECKS.stream().flatMap(check -> check.examine(cluster).stream()).toList();
    }

    private static boolean splitsWithOneThread(ServerInspection server) {
        return NumericSetting.toInt(server.setting(ServerSetting.SPLIT_WRITERS)) < 2
                && !Boolean.parseBoolean(server.setting(ServerSetting.SPLIT_BOUNDED));
    }
}
