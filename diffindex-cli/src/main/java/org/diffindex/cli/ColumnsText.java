package org.diffindex.cli;

import java.io.IOException;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.client.ColumnsChangeStatus;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexedColumn;

/** The text that {@code list}, {@code describe} and {@code status} show of a change of the columns of an index. */
final class ColumnsText {
    private ColumnsText() {}

    /** Returns what follows the state of an index that is being replaced; an empty text of any other index. */
    static String replaced(Optional<ColumnsChangeStatus> change) {
        return change.map(status -> ", being replaced: " + status.progress()).orElse("");
    }

    static String replaced(DiffIndexAdmin admin, IndexDefinition index) throws IOException {
        try {
            return replaced(admin.columnsChangeOf(index.table(), index.name()));
        } catch (IndexNotLoadedException e) {
            return ", being replaced by " + e.getMessage();
        }
    }

    /** Returns the columns of an index in the order of its key, and what else its entries are made of. */
    static String columns(IndexDefinition index) {
        return index.keyColumns().stream().map(IndexedColumn::toString).collect(Collectors.joining(", "))
                + further(index)
                + (index.indexesProtectedCells() ? ", protected cells too" : "");
    }

    /** Returns what the entries of an index are made of besides its key, and of which rows; an empty text for most indexes. */
    static String further(IndexDefinition index) {
        String where =
                index.conditions().stream().map(ColumnCondition::toString).collect(Collectors.joining(" and "));
        return (index.included().isEmpty() ? "" : ", including " + index.included())
                + (where.isEmpty() ? "" : ", where " + where);
    }

    /** Returns a line of {@code describe} for the change, with the line end before it; an empty text if there is none. */
    static String line(Optional<ColumnsChangeStatus> change) {
        return change.map(status -> System.lineSeparator() + "replaced by   " + columns(status.target()) + " in "
                        + status.target().indexTable() + ", " + status.progress())
                .orElse("");
    }

    /** Adds the change; nothing for most indexes. */
    static void addTo(JsonObject object, Optional<ColumnsChangeStatus> change) {
        change.ifPresent(status -> {
            object.addProperty("replaced_by", columns(status.target()));
            object.addProperty("replacement_table", status.target().indexTable().getNameAsString());
            object.addProperty("replacement_state", status.progress());
        });
    }
}
