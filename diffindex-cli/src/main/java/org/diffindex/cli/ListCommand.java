package org.diffindex.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;
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
        Map<IndexDefinition, String> states = new LinkedHashMap<>();
        Map<IndexDefinition, String> problems = new LinkedHashMap<>();
        List<UnloadedText> unloaded = new ArrayList<>();
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            for (IndexDefinition index : table == null ? admin.listIndexes() : admin.listIndexes(table)) {
                SchemesText schemes = SchemesText.of(admin, index.table(), index.name());
                states.put(
                        index,
                        StatusText.state(admin.stateOf(index.table(), index.name()))
                                + schemes.changing()
                                + ColumnsText.replaced(admin, index));
                schemes.problem().ifPresent(why -> problems.put(index, why));
            }
            for (UnloadedIndex index : table == null ? admin.listUnloadedIndexes() : admin.listUnloadedIndexes(table)) {
                unloaded.add(UnloadedText.of(index, admin.stateOf(index.table(), index.name())));
            }
            Map<TableName, TableIndexes> disabled =
                    table == null ? admin.listDisabledIndexes() : Map.of(table, admin.listDisabledIndexes(table));
            for (TableIndexes indexes : disabled.values()) {
                indexes.loaded().values().forEach(index -> states.put(index, IndexState.DISABLED.name()));
                indexes.unloaded().values().forEach(index -> unloaded.add(UnloadedText.disabled(index)));
            }
        }
        ListText.table(states, problems, unloaded).print(spec.commandLine().getOut(), Integer.MAX_VALUE);
        return 0;
    }
}
