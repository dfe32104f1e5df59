package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.ServerSetting;
import org.diffindex.server.DescriptorCheck;

/**
 * Checks whether the master would accept the base tables as they are: in-memory compaction, durability, TTL, families
 * and coprocessor. They may have been created while the master had no IndexMasterObserver, or be affected by a changed
 * setting.
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
                DescriptorCheck.check(table.descriptor(), settings(cluster));
            } catch (DoNotRetryIOException e) {
                findings.add(Finding.problem(
                        this,
                        e.getMessage().replaceFirst("[,;] nothing was changed", ""),
                        "correct that, then run: bin/diffindex scrub " + table.name() + " --repair"));
            }
        }
        if (findings.isEmpty() && !cluster.baseTables().isEmpty()) {
            findings.add(Finding.ok(
                    this, "the definitions of all " + cluster.baseTables().size() + " tables with indexes are valid"));
        }
        return findings;
    }

    /**
     * Returns the setting on which a family's in-memory compaction depends; the splitting of the WAL has a check of its
     * own.
     */
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
