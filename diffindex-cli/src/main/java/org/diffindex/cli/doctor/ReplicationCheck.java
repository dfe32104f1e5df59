package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;

/** Whether a base or index table is replicated to another cluster, or has region replicas, of which less is promised. */
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
                                + " region replicas, which are not read for an index and may show other rows than it",
                        "set REGION_REPLICATION to 1, or do not read replicas where the index is to fit"));
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
                                + " is replicated to other clusters, which refuse that if it is the table"
                                + " of an index there too",
                        "set REPLICATION_SCOPE of its family to 0: each cluster keeps its own index")
                : Finding.warning(
                        this,
                        "table " + table.name() + " is replicated to other clusters: one that has indexes of it keeps"
                                + " them, but does not refuse values that cannot be indexed, and refuses bulk loads",
                        "create the indexes on both clusters, and leave hbase.replication.bulkload.enabled off");
    }
}
