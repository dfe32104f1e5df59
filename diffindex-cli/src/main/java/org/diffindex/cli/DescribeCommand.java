package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code diffindex describe}: prints the definition of an index. */
@Command(
        name = "describe",
        description = "Describe an index: its columns and types, scheme, state, table and split points.",
        footer = {"", "Example:", "  diffindex describe flights by_origin --json"})
final class DescribeCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        IndexDefinition index;
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            index = admin.describeIndex(name.table(), name.index());
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(json ? json(index) : text(index));
        return 0;
    }

    static String text(IndexDefinition index) {
        String columns =
                index.keyColumns().stream().map(IndexedColumn::toString).collect(Collectors.joining(", "));
        List<String> splits = splitPoints(index);
        return String.join(
                System.lineSeparator(),
                "index         " + index.name(),
                "table         " + index.table(),
                "columns       " + columns,
                "scheme        " + index.scheme(),
                "state         " + index.state(),
                "index table   " + index.indexTable(),
                "split points  " + (splits.isEmpty() ? "none" : String.join(", ", splits)));
    }

    static String json(IndexDefinition index) {
        JsonArray columns = new JsonArray();
        for (IndexedColumn column : index.keyColumns()) {
            JsonObject object = new JsonObject();
            object.addProperty("column", ColumnValues.nameOf(column));
            object.addProperty("type", column.type().expression());
            columns.add(object);
        }
        JsonArray splits = new JsonArray();
        splitPoints(index).forEach(splits::add);
        JsonObject object = new JsonObject();
        object.addProperty("index", index.name());
        object.addProperty("table", index.table().getNameAsString());
        object.add("columns", columns);
        object.addProperty("scheme", index.scheme().schemeName());
        object.addProperty("state", index.state().name());
        object.addProperty("index_table", index.indexTable().getNameAsString());
        object.add("split_points", splits);
        return object.toString();
    }

    private static List<String> splitPoints(IndexDefinition index) {
        return Arrays.stream(index.splitPoints())
                .map(key -> ColumnValues.ofSplitPoint(index, key))
                .toList();
    }
}
