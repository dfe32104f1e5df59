package org.diffindex.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.output.TextTable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex list}: prints a line for each index. */
@Command(
        name = "list",
        description = "List the indexes of a table, or of all tables.",
        footer = {"", "Example:", "  diffindex list flights"})
final class ListCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Parameters(index = "0", arity = "0..1", paramLabel = "TABLE", description = "The table; default: all.")
    private TableName table;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        TextTable lines = new TextTable("TABLE", "INDEX", "SCHEME", "STATE", "COLUMNS");
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            List<IndexDefinition> indexes = table == null ? admin.listIndexes() : admin.listIndexes(table);
            for (IndexDefinition index : indexes) {
                lines.row(
                        index.table().getNameAsString(),
                        index.name(),
                        index.scheme().schemeName(),
                        index.state().name(),
                        columns(index));
            }
        }
        lines.print(spec.commandLine().getOut(), Integer.MAX_VALUE);
        return 0;
    }

    private static String columns(IndexDefinition index) {
        return index.keyColumns().stream().map(IndexedColumn::toString).collect(Collectors.joining(","));
    }
}
