package org.diffindex.client;

import java.io.IOException;
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
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * An upper bound on the memory that the changes by one mutation occupy in a session's overlay: one entry for each
 * index with sessions that the mutation may touch. If a put sets a column and the server assigns the timestamp, the
 * column counts with the longest of the put's values, because these are then the newest; any other column may have any
 * value that its type and HBase allow. A delete of a whole row counts as leaving no entry. A change may exceed this if a
 * client has given a later timestamp to a cell that hides the put's values or survives the delete ({@link Session}).
 *
 * <p>Of an index that this client cannot load, the columns are not known: every mutation may touch it, and give it the
 * longest key, except a delete of a whole row. Immutable.
 */
final class ChangeBound {
    private final List<IndexEntryFunction> indexes;

    /** The number of indexes that may have sessions and whose columns are not known. */
    private final long unloaded;

    ChangeBound(TableIndexes definitions) {
        this.indexes = definitions.loaded().values().stream()
                .filter(definition -> definition.scheme().hasSessions())
                .map(IndexEntryFunction::new)
                .toList();
        this.unloaded = definitions.unloaded().values().stream()
                .filter(UnloadedIndex::mayHaveSessions)
                .count();
    }

    /** Returns the bound for a mutation, in bytes; 0 if it touches no index with sessions. */
    long of(Mutation mutation) throws IOException {
        int row = mutation.getRow().length;
        int longestUnknown = leavesNoEntry(mutation) ? 0 : IndexKeyCodec.MAX_KEY_LENGTH;
        long bound = unloaded * SessionOverlay.weight(row, longestUnknown);
        for (IndexEntryFunction index : indexes) {
            if (mayChange(index, mutation)) {
                bound += SessionOverlay.weight(row, longestKey(index.definition(), mutation));
            }
        }
        return bound;
    }

    /** Returns whether a mutation deletes a whole row, but for cells to which clients have given later timestamps. */
    private static boolean leavesNoEntry(Mutation mutation) {
        return mutation instanceof Delete && mutation.isEmpty() && isNow(mutation.getTimestamp());
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
        if (leavesNoEntry(mutation)) {
            return 0;
        }
        long length = mutation.getRow().length;
        for (IndexedColumn column : definition.keyColumns()) {
            length += column.type().maxEncodedLength(longestValue(column, mutation));
        }
        return (int) Math.min(definition.maxKeyLength(), length);
    }

    /** Returns the length of the longest value that a column may have after a mutation, at most the length of a key. */
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

    /** Returns whether the server assigns the timestamp, which is then later than those of the row's cells. */
    private static boolean isNow(long timestamp) {
        return timestamp == HConstants.LATEST_TIMESTAMP;
    }
}
