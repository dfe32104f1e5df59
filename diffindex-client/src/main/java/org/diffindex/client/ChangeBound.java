package org.diffindex.client;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;

/**
 * The most memory that the changes by one mutation can take in a session's overlay: for each async-session index that
 * the mutation may touch one entry, with a key as long as the columns' types allow. What the row comes to is not known
 * before the write, so that a column of variable length counts as long as HBase allows. Immutable.
 */
final class ChangeBound {
    private final List<IndexEntryFunction> indexes;

    ChangeBound(Collection<IndexDefinition> definitions) {
        this.indexes = definitions.stream()
                .filter(definition -> definition.scheme() == IndexScheme.ASYNC_SESSION)
                .map(IndexEntryFunction::new)
                .toList();
    }

    /** The bound for a mutation, in bytes; 0 if it touches no async-session index. */
    long of(Mutation mutation) throws IOException {
        long bound = 0;
        for (IndexEntryFunction index : indexes) {
            if (mayChange(index, mutation)) {
                int row = mutation.getRow().length;
                bound += SessionOverlay.weight(row, longestKey(index.definition(), row));
            }
        }
        return bound;
    }

    private static boolean mayChange(IndexEntryFunction index, Mutation mutation) throws IOException {
        if (!(mutation instanceof Put)) {
            return true;
        }
        CellScanner cells = mutation.cellScanner();
        while (cells.advance()) {
            Cell cell = cells.current();
            if (index.reads(cell)) {
                return true;
            }
        }
        return false;
    }

    private static int longestKey(IndexDefinition definition, int rowLength) {
        long length = rowLength;
        for (IndexedColumn column : definition.columns()) {
            length += column.type().maxEncodedLength(IndexKeyCodec.MAX_KEY_LENGTH);
        }
        return (int) Math.min(IndexKeyCodec.MAX_KEY_LENGTH, length);
    }
}
