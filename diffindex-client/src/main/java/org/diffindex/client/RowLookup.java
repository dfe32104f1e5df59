package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.LeasedRead;
import org.diffindex.model.ProtectedCells;
import org.diffindex.model.ProtectedColumns;

/** Looks up base rows, and the entries that they yield. Not safe for use by many threads. */
final class RowLookup {
    /**
     * A row as it was looked up.
     *
     * @param row the row; only the columns of the index, unless rows are asked for
     * @param entry the entry that it yields; empty if it yields none
     */
    record Image(Result row, Optional<IndexEntry> entry) {}

    private final IndexEntryFunction function;
    private final Table base;
    private final boolean withRows;

    /**
     * Creates a lookup in a base table, which it does not close.
     *
     * @param withRows whether all columns of the rows are asked for
     */
    RowLookup(IndexEntryFunction function, Table base, boolean withRows) {
        this.function = function;
        this.base = base;
        this.withRows = withRows;
    }

    /** Returns the images of rows, in the same order, of one batched call. */
    List<Image> images(List<byte[]> rows) throws IOException {
        List<Image> images = new ArrayList<>(rows.size());
        List<Result> results =
                ScanView.lookUp(base, rows.stream().map(this::get).toList());
        for (int i = 0; i < results.size(); i++) {
            ProtectedColumns result = ProtectedColumns.of(results.get(i));
            images.add(new Image(result.row(), function.entryOf(rows.get(i), result.unprotected())));
        }
        return images;
    }

    private Get get(byte[] row) {
        IndexDefinition index = function.definition();
        Get get = LeasedRead.mark(new Get(row));
        return withRows
                ? ProtectedColumns.askFor(index, get)
                : ProtectedCells.leftOut(index, index.addReadColumns(get));
    }
}
