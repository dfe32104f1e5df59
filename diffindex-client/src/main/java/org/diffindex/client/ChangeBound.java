package org.diffindex.client;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;

/**
 * The most memory that the changes by one mutation can take in a session's overlay: for each async-session index that
 * the mutation may touch one entry. A column counts with the values that a put gives it if the server dates them, so that they
 * are the newest; any other column may have any value that its type and HBase allow. A delete of a whole row leaves no entry.
 * Immutable.
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
                bound += SessionOverlay.weight(row, longestKey(index.definition(), mutation));
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

    private static int longestKey(IndexDefinition definition, Mutation mutation) throws IOException {
        if (mutation instanceof Delete && mutation.isEmpty() && isNow(mutation.getTimestamp())) {
            return 0;
        }
        long length = mutation.getRow().length;
        for (IndexedColumn column : definition.keyColumns()) {
            length += column.type().maxEncodedLength(longestValue(column, mutation));
        }
        return (int) Math.min(IndexKeyCodec.MAX_KEY_LENGTH, length);
    }

    /** The length of the longest value that a column may have after a mutation, as far as it fits a key. */
    private static int longestValue(IndexedColumn column, Mutation mutation) throws IOException {
        int longest = -1;
        CellScanner cells = mutation.cellScanner();
        while (cells.advance()) {
            Cell cell = cells.current();
            if (column.matches(cell)) {
                if (cell.getType() != Cell.Type.Put || !isNow(cell.getTimestamp())) {
                    return IndexKeyCodec.MAX_KEY_LENGTH;
                }
                longest = Math.max(longest, cell.getValueLength());
            }
        }
        return longest < 0 ? IndexKeyCodec.MAX_KEY_LENGTH : Math.min(longest, IndexKeyCodec.MAX_KEY_LENGTH);
    }

    /** Whether the server dates it, later than what the row has. */
    private static boolean isNow(long timestamp) {
        return timestamp == HConstants.LATEST_TIMESTAMP;
    }
}
