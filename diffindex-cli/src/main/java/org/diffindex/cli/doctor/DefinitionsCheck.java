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
 * Checks whether the master would accept the base tables as they are: in-memory compaction, files of old values,
 * stripes, durability, TTL, families and coprocessor, under the settings of each server. They may have been created
 * while the master had no IndexMasterObserver, or be affected by a changed setting.
 */
final class DefinitionsCheck implements Check {
    /** The settings on which it depends; the splitting of the WAL has a check of its own. */
    private static final List<ServerSetting> SETTINGS =
            List.of(ServerSetting.MEMORY_COMPACTION, ServerSetting.HISTORICAL_FILES, ServerSetting.STORE_ENGINE);

    @Override
    public String name() {
        return "definitions";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        for (TableView table : cluster.baseTables()) {
            table.indexes().unloaded().values().forEach(index -> findings.add(unloaded(index)));
            refusals(table, cluster).forEach(why -> findings.add(Finding.problem(this, why, correction(table.name()))));
        }
        if (findings.isEmpty() && !cluster.baseTables().isEmpty()) {
            findings.add(Finding.ok(
                    this, "the definitions of all " + cluster.baseTables().size() + " tables with indexes are valid"));
        }
        return findings;
    }

    /** Returns the finding about a definition that the command cannot load, and that the servers may have loaded. */
    private Finding unloaded(UnloadedIndex index) {
        if (index.isOfLaterBuild()) {
            return Finding.warning(
                    this,
                    "the definition of index " + index.name() + " of " + index.table() + " was not examined: "
                            + index.problem(),
                    index.remedy());
        }
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
     * Returns why the master would refuse a table: because of its descriptor, whatever the settings, or because of the
     * settings of some servers.
     */
    private static List<String> refusals(TableView table, ClusterView cluster) {
        TableDescriptor loadable = loadable(table);
        String whatever = refusal(loadable, new Configuration(false));
        if (!whatever.isEmpty()) {
            return List.of(whatever);
        }
        return Groups.by(cluster.servers(), server -> refusal(loadable, settings(server))).entrySet().stream()
                .filter(group -> !group.getKey().isEmpty())
                .map(group -> "with the settings of " + Groups.names(group.getValue()) + ": " + group.getKey())
                .toList();
    }

    /** Returns why a table would be refused under these settings; empty if it would not be. */
    private static String refusal(TableDescriptor table, Configuration settings) {
        try {
            DescriptorCheck.check(table, settings);
            return "";
        } catch (DoNotRetryIOException e) {
            return e.getMessage().replaceFirst("[,;] nothing was changed", "");
        }
    }

    private static Configuration settings(ServerInspection server) {
        Configuration conf = new Configuration(false);
        SETTINGS.forEach(setting -> conf.set(setting.key(), server.setting(setting)));
        return conf;
    }
}
