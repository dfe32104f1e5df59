package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;

/**
 * Checks whether a base or index table is replicated to another cluster, or has region replicas, for which less is
 * promised.
 */
final class ReplicationCheck implements Check {
    @Override
    public String name() {
        return "replication";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        for (TableView table : cluster.tables()) {
            boolean scoped = Arrays.stream(table.descriptor().getColumnFamilies())
                    .anyMatch(family -> family.getScope() != HConstants.REPLICATION_SCOPE_LOCAL);
            if (scoped) {
                findings.add(scoped(table));
            }
            if (table.descriptor().getRegionReplication() > 1) {
                findings.add(Finding.warning(
                        this,
                        "table " + table.name() + " has " + table.descriptor().getRegionReplication()
                                + " region replicas, which reads by index do not use and which may show other rows",
                        "set REGION_REPLICATION to 1, or do not read replicas where they must agree with the index"));
            }
        }
        if (findings.isEmpty() && !cluster.tables().isEmpty()) {
            findings.add(Finding.ok(this, "no table with an index is replicated or has region replicas"));
        }
        return findings;
    }

    private Finding scoped(TableView table) {
        return table.isIndexTable()
                ? Finding.warning(
                        this,
                        "table " + table.name()
                                + " is replicated to other clusters, which refuse it if it is an index table"
                                + " there too",
                        "set REPLICATION_SCOPE of its family to 0: each cluster maintains its own index")
                : Finding.warning(
                        this,
                        "table " + table.name()
                                + " is replicated to other clusters: a cluster with indexes of it maintains"
                                + " them, but does not refuse values that cannot be indexed, and refuses bulk loads",
                        "create the indexes on both clusters, and leave hbase.replication.bulkload.enabled off");
    }
}
