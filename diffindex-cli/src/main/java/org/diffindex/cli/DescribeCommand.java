package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.ColumnsChangeStatus;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code diffindex describe}: prints the definition of an index. */
@Command(
        name = "describe",
        description = {
            "Describe an index: its columns and types, scheme, state, table and split points.",
            "If this client cannot load the index's definition, print the reason and the definition as it is stored."
        },
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
        PrintWriter out = spec.commandLine().getOut();
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            out.println(describe(admin));
        }
        return 0;
    }

    private String describe(DiffIndexAdmin admin) throws IOException {
        for (UnloadedIndex unloaded : admin.listUnloadedIndexes(name.table())) {
            if (unloaded.logicalName().equals(name.index())) {
                UnloadedText shown = UnloadedText.of(unloaded, admin.stateOf(name.table(), name.index()));
                return json ? json(shown) : text(shown);
            }
        }
        try {
            IndexDefinition index = admin.describeIndex(name.table(), name.index());
            return defined(
                    index,
                    StatusText.state(admin.stateOf(name.table(), name.index())),
                    SchemesText.of(admin, name.table(), name.index()),
                    admin.columnsChangeOf(name.table(), name.index()));
        } catch (NoSuchIndexException e) {
            return disabled(admin).orElseThrow(() -> e);
        }
    }

    private String defined(
            IndexDefinition index, String state, SchemesText schemes, Optional<ColumnsChangeStatus> change) {
        return json ? json(index, state, schemes, change) : text(index, state, schemes, change);
    }

    /** Describes the index if it is DISABLED; empty if it is not. */
    private Optional<String> disabled(DiffIndexAdmin admin) throws IOException {
        TableIndexes disabled = admin.listDisabledIndexes(name.table());
        for (UnloadedIndex unloaded : disabled.unloaded().values()) {
            if (unloaded.logicalName().equals(name.index())) {
                UnloadedText shown = UnloadedText.disabled(unloaded);
                return Optional.of(json ? json(shown) : text(shown));
            }
        }
        return Optional.ofNullable(disabled.named(name.index()))
                .map(index -> defined(index, IndexState.DISABLED.name(), SchemesText.NONE, Optional.empty()));
    }

    static String text(UnloadedText shown) {
        UnloadedIndex index = shown.index();
        return String.join(
                System.lineSeparator(),
                "index         " + index.logicalName(),
                "table         " + index.table(),
                "state         " + shown.stateName() + ": " + shown.reason(),
                "definition    " + index.text());
    }

    static String json(UnloadedText shown) {
        UnloadedIndex index = shown.index();
        JsonObject object = new JsonObject();
        object.addProperty("index", index.logicalName());
        object.addProperty("table", index.table().getNameAsString());
        object.addProperty("state", shown.stateName());
        object.addProperty("problem", index.problem());
        object.addProperty("definition", index.text());
        return object.toString();
    }

    static String text(IndexDefinition index, String state, SchemesText schemes, Optional<ColumnsChangeStatus> change) {
        List<String> splits = splitPoints(index);
        return String.join(
                System.lineSeparator(),
                "index         " + index.logicalName(),
                "table         " + index.table(),
                "columns       " + ColumnsText.columns(index),
                "scheme        " + index.scheme() + changing(schemes),
                "state         " + state
                        + schemes.problem().map(why -> ": " + why).orElse(""),
                "index table   " + index.indexTable(),
                "format        " + index.format(),
                "split points  " + (splits.isEmpty() ? "none" : String.join(", ", splits)) + ColumnsText.line(change));
    }

    private static String changing(SchemesText schemes) {
        return schemes.schemes()
                .filter(state -> state.next().isPresent())
                .map(state ->
                        schemes.changing() + "; until that is complete it promises what " + state.promise() + " does")
                .orElse("");
    }

    static String json(IndexDefinition index, String state, SchemesText schemes, Optional<ColumnsChangeStatus> change) {
        JsonArray splits = new JsonArray();
        splitPoints(index).forEach(splits::add);
        JsonObject object = new JsonObject();
        object.addProperty("index", index.logicalName());
        object.addProperty("table", index.table().getNameAsString());
        object.add("columns", json(index.keyColumns()));
        object.add("include", json(index.included().columns()));
        JsonArray conditions = new JsonArray();
        index.conditions().forEach(condition -> conditions.add(condition.toString()));
        object.add("where", conditions);
        object.addProperty("protected_cells", index.indexesProtectedCells());
        object.addProperty("scheme", index.scheme().schemeName());
        object.addProperty("state", state);
        schemes.addTo(object);
        ColumnsText.addTo(object, change);
        object.addProperty("index_table", index.indexTable().getNameAsString());
        object.addProperty("format", index.format());
        object.add("split_points", splits);
        return object.toString();
    }

    private static JsonArray json(List<IndexedColumn> columns) {
        JsonArray array = new JsonArray();
        for (IndexedColumn column : columns) {
            JsonObject object = new JsonObject();
            object.addProperty("column", ColumnValues.nameOf(column));
            object.addProperty("type", column.type().expression());
            array.add(object);
        }
        return array;
    }

    private static List<String> splitPoints(IndexDefinition index) {
        return Arrays.stream(index.splitPoints())
                .map(key -> ColumnValues.ofSplitPoint(index, key))
                .toList();
    }
}
