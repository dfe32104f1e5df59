package org.diffindex.server;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.server.maintain.IndexMaintainer;

/**
 * Refuses, before anything is written, a write that an index cannot hold: a put of a value that its column's type cannot
 * decode, or of a key longer than HBase allows; any write with a time to live of its own. Pure; safe for use by many threads.
 */
final class WriteCheck {
    private final List<IndexMaintainer> maintainers;

    WriteCheck(List<IndexMaintainer> maintainers) {
        this.maintainers = maintainers;
    }

    /** Why the mutation is refused; empty if it is not. */
    Optional<String> refusal(Mutation mutation) {
        if (mutation.getTTL() != Long.MAX_VALUE) {
            return Optional.of(refused(
                    "a write with a TTL of its own would let the value before it reappear unseen; give the column family"
                            + " a TTL instead",
                    mutation));
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

    private static void checkValues(IndexMaintainer maintainer, Mutation mutation) throws UndecodableValueException {
        int length = mutation.getRow().length;
        for (IndexedColumn column : maintainer.definition().columns()) {
            for (Cell cell : mutation.get(column.family(), column.qualifier())) {
                length += encodedLength(column, CellUtil.cloneValue(cell));
            }
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
