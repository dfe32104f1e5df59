package org.diffindex.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/**
 * The columns of the base rows that a query returns with its hits: all, or those of a list of columns and families. A row is
 * read with the columns of the index, too, because the check of its entry needs them; they are removed from what the user
 * gets. Immutable.
 */
final class RowColumns {
    /** All columns of all families. */
    static final RowColumns ALL = new RowColumns(List.of(), List.of());

    private final List<String> names;
    private final List<Column> columns;

    private RowColumns(List<String> names, List<Column> columns) {
        this.names = names;
        this.columns = columns;
    }

    /**
     * A column, or all columns of a family.
     *
     * @param qualifier empty for all columns of the family
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Column(byte[] family, Optional<byte[]> qualifier) {
        boolean matches(Cell cell) {
            return qualifier
                    .map(exact -> CellUtil.matchingColumn(cell, family, exact))
                    .orElseGet(() -> CellUtil.matchingFamily(cell, family));
        }
    }

    /**
     * Returns the columns of these names, each as {@link IndexQuery.Builder#withRows(String...)} describes it.
     *
     * @throws InvalidQueryException if there is none, or one is neither a column nor a family
     */
    static RowColumns of(String... names) {
        if (names.length == 0) {
            throw new InvalidQueryException(
                    "No column was named for the base rows; name one or more, or call withRows() for all");
        }
        return new RowColumns(
                List.of(names), Arrays.stream(names).map(RowColumns::parse).toList());
    }

    private static Column parse(String name) {
        int parts = name.split(":", -1).length;
        if (parts > 2) {
            throw misfit(name, null);
        }
        try {
            IndexedColumn parsed = IndexedColumn.parse(parts == 1 ? name + ":" : name);
            return new Column(parsed.family(), parts == 1 ? Optional.empty() : Optional.of(parsed.qualifier()));
        } catch (IllegalArgumentException e) {
            throw misfit(name, e);
        }
    }

    private static InvalidQueryException misfit(String name, IllegalArgumentException cause) {
        return new InvalidQueryException(
                "A column of the base rows is written family:qualifier, or family for all of its columns, not '" + name
                        + "'; a colon in a name is written \\x3A",
                cause);
    }

    /** Returns the names with which this was made; empty for all columns. */
    List<String> names() {
        return names;
    }

    /** Makes a get of a base row ask for these columns and those of the index; returns the same get. */
    Get askFor(IndexDefinition index, Get get) {
        if (columns.isEmpty()) {
            return get;
        }
        index.addReadColumns(get);
        columns.forEach(column -> column.qualifier().ifPresent(qualifier -> get.addColumn(column.family(), qualifier)));
        for (Column column : columns) { // last, because a column that is added to a whole family replaces it
            if (column.qualifier().isEmpty()) {
                get.addFamily(column.family());
            }
        }
        return get;
    }

    /** Returns these columns of a row, empty if it has none of them. */
    Result of(Result row) {
        if (columns.isEmpty() || row.isEmpty()) {
            return row;
        }
        List<Cell> cells = new ArrayList<>(row.size());
        for (Cell cell : row.rawCells()) {
            if (columns.stream().anyMatch(column -> column.matches(cell))) {
                cells.add(cell);
            }
        }
        return cells.isEmpty() ? Result.EMPTY_RESULT : Result.create(cells);
    }
}
