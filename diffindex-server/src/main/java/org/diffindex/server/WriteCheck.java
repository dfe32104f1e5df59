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
import org.diffindex.model.Expiry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.server.maintain.IndexMaintainer;

/**
 * Refuses, before anything is written, a write that an index cannot hold: a put of a value that its column's type cannot decode, or
 * of a key longer than HBase allows; a write with a TTL of its own; a write that the synced WAL would not hold ({@link SyncedWal});
 * and, if indexed cells expire, a write after which an entry would not expire together with its row. Pure; safe for use by many
 * threads.
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
     * Prepares a mutation that concerns an index for the check: marks the cells to which the server gives timestamps, and raises the
     * durability to that of the synced WAL.
     */
    void prepare(Mutation mutation) {
        ServerTime.mark(mutation);
        syncedWal.require(mutation);
    }

    /** Whether a mutation concerns an index whose entries expire, so that its cells must have its stamp as timestamp. */
    boolean concernsWhatExpires(Mutation mutation) {
        return expiry.concerns(mutation);
    }

    /**
     * Whether a mutation comes from another cluster. It was acknowledged there: to refuse it would only make the other cluster
     * send it again, for ever, and hold up what comes after it.
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
            } catch (UndecodableValueException e) {
                return Optional.of(refused(
                        e.getMessage() + " [index=" + maintainer.definition().name() + "]", mutation));
            }
        }
        return Optional.empty();
    }

    /** Each version must do, since it is visible once the newer ones are deleted; they are never in one key. */
    private static void checkValues(IndexMaintainer maintainer, Mutation mutation) throws UndecodableValueException {
        int length = mutation.getRow().length;
        for (IndexedColumn column : maintainer.definition().keyColumns()) {
            int longest = 0;
            for (Cell version : mutation.get(column.family(), column.qualifier())) {
                if (CellUtil.isPut(version)) {
                    longest = Math.max(longest, encodedLength(column, CellUtil.cloneValue(version)));
                }
            }
            length += longest;
        }
        if (length > IndexKeyCodec.MAX_KEY_LENGTH) {
            throw new UndecodableValueException(
                    "The index key would have " + length + " bytes; HBase allows " + IndexKeyCodec.MAX_KEY_LENGTH);
        }
    }

    private static int encodedLength(IndexedColumn column, byte[] cellBytes) throws UndecodableValueException {
        byte[] value = column.type().valueOf(cellBytes);
        var range = new SimplePositionedMutableByteRange(column.type().maxEncodedLength(value.length));
        column.type().encode(value, range);
        return range.getPosition();
    }

    private static String refused(String why, Mutation mutation) {
        return "Write refused, nothing was written: " + why + " [row=" + Bytes.toStringBinary(mutation.getRow()) + "]";
    }
}
