package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexStatus;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.UnloadedIndex;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex status}: prints how far the indexes of tables are behind, and what index maintenance has cost. */
@Command(
        name = "status",
        description = {
            "Print, for a table or every indexed table, its indexes, the updates that wait in the AUQ, the staleness of"
                    + " delivered updates, and the reads and writes of index maintenance.",
            "Counts are sums over the table's regions since each was opened."
        },
        footer = {"", "Example:", "  diffindex status flights --json"})
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Parameters(index = "0", arity = "0..1", paramLabel = "TABLE", description = "The table; default: all.")
    private TableName table;

    @Option(names = "--json", description = "Print a JSON object for each table, one per line.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            for (TableName each : tables(admin)) {
                IndexStatus status = admin.status(each);
                out.println(json ? StatusText.json(status) : StatusText.lines(status));
            }
        }
        return 0;
    }

    private List<TableName> tables(DiffIndexAdmin admin) throws IOException {
        if (table != null) {
            return List.of(table);
        }
        return Stream.concat(
                        admin.listIndexes().stream().map(IndexDefinition::table),
                        admin.listUnloadedIndexes().stream().map(UnloadedIndex::table))
                .sorted()
                .distinct()
                .toList();
    }
}
