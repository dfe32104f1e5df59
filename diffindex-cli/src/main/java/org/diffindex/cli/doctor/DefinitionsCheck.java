package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.ServerSetting;
import org.diffindex.server.DefinitionCheck;

/**
 * Whether the master would accept the base tables as they are: in-memory compaction, durability, TTL, the families and the
 * coprocessor. They may have come to be while the master had no IndexMasterObserver, or been changed by a setting.
 */
final class DefinitionsCheck implements Check {
    @Override
    public String name() {
        return "definitions";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        for (TableView table : cluster.baseTables()) {
            try {
                DefinitionCheck.check(table.descriptor(), settings(cluster));
            } catch (DoNotRetryIOException e) {
                findings.add(Finding.problem(
                        this,
                        e.getMessage().replaceFirst("[,;] nothing was changed", ""),
                        "put that right, then run: bin/diffindex scrub " + table.name() + " --repair"));
            }
        }
        if (findings.isEmpty() && !cluster.baseTables().isEmpty()) {
            findings.add(Finding.ok(
                    this, "the definitions of all " + cluster.baseTables().size() + " tables with indexes can work"));
        }
        return findings;
    }

    /** What a family's in-memory compaction may follow from; the splitting of the WAL has a check of its own. */
    private static Configuration settings(ClusterView cluster) {
        Configuration conf = new Configuration(false);
        cluster.regionServers().stream()
                .flatMap(server -> server.inspection().stream())
                .map((ServerInspection server) -> server.setting(ServerSetting.MEMORY_COMPACTION))
                .filter(policy -> !policy.equalsIgnoreCase("NONE"))
                .findFirst()
                .ifPresent(policy -> conf.set(ServerSetting.MEMORY_COMPACTION.key(), policy));
        return conf;
    }
}
