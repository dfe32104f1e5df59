package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;

/** Checks from where the tables load the coprocessors' jar. */
final class JarPathCheck implements Check {
    @Override
    public String name() {
        return "jar-path";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        Map<String, Set<String>> tables = new TreeMap<>();
        for (TableView table : cluster.tables()) {
            for (CoprocessorDescriptor coprocessor : table.descriptor().getCoprocessorDescriptors()) {
                if (coprocessor.getClassName().startsWith("org.diffindex.")) {
                    tables.computeIfAbsent(coprocessor.getJarPath().orElse(""), path -> new TreeSet<>())
                            .add(table.name().getNameAsString());
                }
            }
        }
        if (tables.isEmpty()) {
            return List.of();
        }
        Set<String> onClassPath = tables.remove("");
        if (tables.isEmpty()) {
            return List.of(Finding.ok(
                    this, "the " + onClassPath.size() + " tables load the jar from the servers' class path"));
        }
        return tables.entrySet().stream()
                .map(entry -> Finding.warning(
                        this,
                        Groups.names(List.copyOf(entry.getValue())) + " load the jar from " + entry.getKey()
                                + ": a server that cannot read it when it opens a region aborts, and a new version"
                                + " needs a new path",
                        "put the jar on the class path of every server, and create the indexes again without"
                                + " diffindex.coprocessor.jar"))
                .toList();
    }
}
