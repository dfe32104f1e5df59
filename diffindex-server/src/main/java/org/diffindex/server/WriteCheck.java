package org.diffindex.server;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.Expiry;
import org.diffindex.model.IncludedColumns;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.server.maintain.IndexMaintainer;

/**
 * Refuses, before anything is written, a write that an index cannot represent: a put of a value that its column's type
 * cannot decode, whose index key is too long, or of which an index would include too long a value; a write with its own TTL; a write that would bypass the synced WAL
 * ({@link SyncedWal}); and, if indexed cells expire, a write after which an entry would not expire together with its
 * row. Thread-safe; has no mutable state.
 */
final class WriteCheck {
    private final List<IndexMaintainer> maintainers;

    private final Expiry expiry;
    private final SyncedWal syncedWal;

    WriteCheck(List<IndexMaintainer> maintainers, TableDescriptor table) {
        this.maintainers = maintainers;
        this.expiry = new Expiry(
                table, maintainers.stream().map(IndexMaintainer::definition).toList());
        this.syncedWal = new SyncedWal(table);
    }

    /**
     * Prepares a mutation that concerns an index: marks the cells to which the server assigns timestamps, and raises
     * the durability to the synced WAL.
     */
    void prepare(Mutation mutation) {
        ServerTime.mark(mutation);
        syncedWal.require(mutation);
    }

    /**
     * Returns whether a mutation concerns an index whose entries expire, so that its cells must have its stamp as
     * timestamp.
     */
    boolean concernsWhatExpires(Mutation mutation) {
        return expiry.concerns(mutation);
    }

    /**
     * Returns whether a mutation was replicated from another cluster. It was acknowledged there; refusing it would only
     * make that cluster resend it forever and delay the writes behind it.
     */
    static boolean isReplicated(Mutation mutation) {
        return !mutation.getClusterIds().isEmpty();
    }

    /** Returns why a mutation is refused; empty if it is not. */
    Optional<String> refusal(Mutation mutation) {
        return refusalByContent(mutation).or(() -> syncedWal.refusal(mutation));
    }

    private Optional<String> refusalByContent(Mutation mutation) {
        if (isReplicated(mutation)) {
            return Optional.empty();
        }
        boolean hasTimes = mutation instanceof Put || mutation instanceof Delete;
        Optional<String> parted = expiry.refusal(mutation, !hasTimes || ServerTime.isChosenByServer(mutation));
        if (parted.isPresent()) {
            return Optional.of(refused(parted.get(), mutation));
        }
        if (!(mutation instanceof Put)) {
            return Optional.empty();
        }
        for (IndexMaintainer maintainer : maintainers) {
            try {
                checkValues(maintainer, mutation);
                checkIncluded(maintainer, mutation);
                checkConditions(maintainer, mutation);
            } catch (UndecodableValueException e) {
                return Optional.of(refused(
                        e.getMessage() + " [index=" + maintainer.definition().name() + "]", mutation));
            }
        }
        return Optional.empty();
    }

    /**
     * Checks every version of a column, since each becomes visible when the newer ones are deleted; a key contains only
     * one of them.
     */
    private static void checkValues(IndexMaintainer maintainer, Mutation mutation) throws UndecodableValueException {
        int length = mutation.getRow().length;
        for (IndexedColumn column : maintainer.definition().keyColumns()) {
            int longestVersion = 0;
            for (Cell version : mutation.get(column.family(), column.qualifier())) {
                if (CellUtil.isPut(version)) {
                    longestVersion = Math.max(longestVersion, encodedLength(column, CellUtil.cloneValue(version)));
                }
            }
            length += longestVersion;
        }
        int longest = maintainer.definition().maxKeyLength();
        if (length > longest) {
            throw new UndecodableValueException("The index key would be too long: " + length
                    + " bytes, and HBase finds the region of keys of up to " + longest);
        }
    }

    /** Checks every version of the columns that entries include. */
    private static void checkIncluded(IndexMaintainer maintainer, Mutation mutation) throws UndecodableValueException {
        for (IndexedColumn column : maintainer.definition().included().columns()) {
            for (Cell version : mutation.get(column.family(), column.qualifier())) {
                IncludedColumns.requireShort(column, CellUtil.isPut(version) ? version.getValueLength() : 0);
            }
        }
    }

    /** Checks that every version of the columns on which conditions are can be compared. */
    private static void checkConditions(IndexMaintainer maintainer, Mutation mutation)
            throws UndecodableValueException {
        for (ColumnCondition condition : maintainer.definition().conditions()) {
            IndexedColumn column = condition.column();
            for (Cell version : mutation.get(column.family(), column.qualifier())) {
                if (CellUtil.isPut(version)) {
                    boolean unused = condition.isMetBy(Optional.of(CellUtil.cloneValue(version)));
                }
            }
        }
    }

    private static int encodedLength(IndexedColumn column, byte[] cellBytes) throws UndecodableValueException {
        byte[] value = column.type().valueOf(cellBytes);
        var range = new SimplePositionedMutableByteRange(column.type().maxEncodedLength(value.length));
        column.type().encode(value, range);
        return range.getPosition();
    }

    /** Returns the message for a write that is refused before anything is written. */
    static String refused(String why, Mutation mutation) {
        return "Write refused, nothing was written: " + why + " [row=" + Bytes.toStringBinary(mutation.getRow()) + "]";
    }
}
