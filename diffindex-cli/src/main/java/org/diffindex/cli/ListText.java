package org.diffindex.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.diffindex.lab.output.TextTable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.UnloadedIndex;

/** Formats the indexes for {@code diffindex list}. */
final class ListText {
    private ListText() {}

    /**
     * Returns a table with a line for each index; those that this client cannot load are the last, with the reason.
     *
     * @param states the indexes that it can load, in the order of the lines, and their states
     * @param problems what it does not understand of some of them
     */
    static TextTable table(
            Map<IndexDefinition, String> states, Map<IndexDefinition, String> problems, List<UnloadedText> unloaded) {
        TextTable lines = new TextTable("TABLE", "INDEX", "SCHEME", "STATE", "COLUMNS");
        states.forEach((index, state) -> lines.row(
                index.table().getNameAsString(),
                index.logicalName(),
                index.scheme().schemeName(),
                state,
                columns(index) + (problems.containsKey(index) ? "; " + problems.get(index) : "")));
        for (UnloadedText shown : unloaded) {
            UnloadedIndex index = shown.index();
            lines.row(
                    index.table().getNameAsString(),
                    index.logicalName(),
                    index.scheme().map(IndexScheme::schemeName).orElse("-"),
                    shown.stateName(),
                    shown.reason());
        }
        return lines;
    }

    private static String columns(IndexDefinition index) {
        return index.keyColumns().stream().map(IndexedColumn::toString).collect(Collectors.joining(","))
                + ColumnsText.further(index);
    }
}
