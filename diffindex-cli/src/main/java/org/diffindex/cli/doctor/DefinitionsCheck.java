package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.ServerSetting;
import org.diffindex.model.UnloadedIndex;
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
            table.indexes().unloaded().values().forEach(index -> findings.add(unloaded(index)));
            try {
                DescriptorCheck.check(loadable(table), settings(cluster));
            } catch (DoNotRetryIOException e) {
                findings.add(Finding.problem(
                        this, e.getMessage().replaceFirst("[,;] nothing was changed", ""), correction(table.name())));
            }
        }
        if (findings.isEmpty() && !cluster.baseTables().isEmpty()) {
            findings.add(Finding.ok(
                    this, "the definitions of all " + cluster.baseTables().size() + " tables with indexes are valid"));
        }
        return findings;
    }

    /** Returns the finding about a definition that the command cannot load. If it lacks a class, the servers may not. */
    private Finding unloaded(UnloadedIndex index) {
        return index.lacksClass()
                ? Finding.warning(
                        this,
                        "the definition of index " + index.name() + " of " + index.table() + " was not examined: "
                                + index.problem(),
                        "put the class, as the region servers have it, on the class path of bin/diffindex")
                : Finding.problem(this, index.problem(), correction(index.table()));
    }

    private static String correction(TableName table) {
        return "correct that, then run: bin/diffindex scrub " + table + " --repair";
    }

    /** Returns a table's descriptor with those indexes only that the command can load. */
    private static TableDescriptor loadable(TableView table) {
        TableDescriptor loadable = table.descriptor();
        for (String index : table.indexes().unloaded().keySet()) {
            loadable = IndexDefinitions.without(loadable, index);
        }
        return loadable;
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
