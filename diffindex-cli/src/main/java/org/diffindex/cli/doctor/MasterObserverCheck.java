package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ServerName;
import org.diffindex.client.Coprocessors;
import org.diffindex.model.ServerSetting;

/**
 * Checks whether the master has the coprocessor that refuses operations that would separate an index from its base
 * table, and asks it after HBase has checked permissions.
 */
final class MasterObserverCheck implements Check {
    private static final String ACCESS_CONTROLLER = "org.apache.hadoop.hbase.security.access.AccessController";

    @Override
    public String name() {
        return "master-observer";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        ServerView master = cluster.master();
        findings.add(
                master.inspection().isPresent()
                        ? Finding.ok(this, "the master " + master.shortName() + " has loaded IndexMasterObserver")
                        : Finding.problem(
                                this,
                                "the master " + master.shortName() + " does not answer as IndexMasterObserver ("
                                        + master.silence()
                                        + "): nothing prevents that a base table with indexes is deleted, or that an index"
                                        + " is defined that cannot work",
                                "put diffindex-server's jar on the class path of every master, set"
                                        + " hbase.coprocessor.master.classes to " + Coprocessors.INDEX_MASTER_OBSERVER
                                        + " there, and restart the masters"));
        master.inspection()
                .map(inspection -> inspection.setting(ServerSetting.MASTER_COPROCESSORS))
                .filter(MasterObserverCheck::isAskedBeforeAccess)
                .ifPresent(coprocessors -> findings.add(Finding.warning(
                        this,
                        "the master " + master.shortName() + " asks IndexMasterObserver before AccessController ("
                                + ServerSetting.MASTER_COPROCESSORS + " is " + coprocessors
                                + "): a user who may not restore or truncate a table can cause its indexes to be rebuilt",
                        "name AccessController first, on every master, and restart the masters")));
        List<String> backups =
                cluster.backupMasters().stream().map(ServerName::getHostname).toList();
        if (!backups.isEmpty()) {
            findings.add(Finding.warning(
                    this,
                    "nothing is known of the backup masters on " + Groups.names(backups)
                            + ", which do not answer until they are active",
                    "make sure that they have the same jar and the same hbase-site.xml as the active master"));
        }
        return findings;
    }

    /** Returns whether a list of coprocessors, perhaps with priorities, has the observer before HBase's AccessController. */
    private static boolean isAskedBeforeAccess(String coprocessors) {
        int observer = coprocessors.indexOf(Coprocessors.INDEX_MASTER_OBSERVER);
        int access = coprocessors.indexOf(ACCESS_CONTROLLER);
        return observer >= 0 && access > observer;
    }
}
