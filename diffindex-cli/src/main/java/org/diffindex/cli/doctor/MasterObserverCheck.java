package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ServerName;
import org.diffindex.client.Coprocessors;

/**
 * Checks whether the master has the coprocessor that refuses operations that would separate an index from its base
 * table.
 */
final class MasterObserverCheck implements Check {
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
}
