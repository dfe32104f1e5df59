package org.diffindex.server.maintain;

import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;

/**
 * One or more writes of a base row, one after the other, as HBase applied them: which sequence numbers they had, and
 * which stamps. What the row was before and after is read when it is needed. Immutable.
 *
 * <p>A single put to which the server gave the time also keeps its indexed cells, so that the row after it need not be
 * read.
 */
public final class RowChange {
    /** The object, and a list of one cell or two. */
    private static final int OVERHEAD =
            ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE + 4 * Bytes.SIZEOF_LONG)
                    + ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE);

    private final byte[] row;
    private final long firstSequence;
    private final long lastSequence;
    private final long firstStamp;
    private final long lastStamp;
    private final List<Cell> plainPut;

    private RowChange(
            byte[] row, long firstSequence, long lastSequence, long firstStamp, long lastStamp, List<Cell> plainPut) {
        this.row = row;
        this.firstSequence = firstSequence;
        this.lastSequence = lastSequence;
        this.firstStamp = firstStamp;
        this.lastStamp = lastStamp;
        this.plainPut = List.copyOf(plainPut); // of few elements it makes smaller ones than an ArrayList
    }

    /** A put whose cells all have the stamp as their timestamp. The cells are kept: give copies. */
    public static RowChange plainPut(byte[] row, long sequence, long stamp, List<Cell> indexedCells) {
        return new RowChange(row, sequence, sequence, stamp, stamp, indexedCells);
    }

    /** Any other write, or several writes of the row under one sequence number. */
    public static RowChange of(byte[] row, long sequence, long firstStamp, long lastStamp) {
        return new RowChange(row, sequence, sequence, firstStamp, lastStamp, List.of());
    }

    /** All writes of a row from one sequence number to another. */
    public static RowChange between(
            byte[] row, long firstSequence, long lastSequence, long firstStamp, long lastStamp) {
        return new RowChange(row, firstSequence, lastSequence, firstStamp, lastStamp, List.of());
    }

    /** Both changes as one: from the row before this one to the row after the other, which came later or at once. */
    public RowChange mergedWith(RowChange other) {
        return new RowChange(
                row,
                Math.min(firstSequence, other.firstSequence),
                Math.max(lastSequence, other.lastSequence),
                Math.min(firstStamp, other.firstStamp),
                Math.max(lastStamp, other.lastStamp),
                List.of());
    }

    /** The base row key; not a copy. */
    public byte[] row() {
        return row;
    }

    public long firstSequence() {
        return firstSequence;
    }

    /** The read point at which the row is seen as it was before this change. */
    public long before() {
        return firstSequence - 1;
    }

    public long lastSequence() {
        return lastSequence;
    }

    /** Whether the row was something else in between, perhaps. */
    boolean isOfSeveralWrites() {
        return firstSequence < lastSequence;
    }

    /** The stamp of the first write: every stamp that the row had before is smaller. */
    public long firstStamp() {
        return firstStamp;
    }

    /** The stamp of the last write. */
    public long lastStamp() {
        return lastStamp;
    }

    /** Whether this is one put to which the server gave the time. */
    public boolean isPlainPut() {
        return !plainPut.isEmpty();
    }

    /** The indexed cells of a plain put; empty for any other change. */
    public List<Cell> plainCells() {
        return plainPut;
    }

    /** The memory that the change holds, in bytes. */
    public long heapSize() {
        return heapSizeOf(row, plainPut.stream());
    }

    /** The memory that the change by one put will hold, in bytes, of which these cells are indexed; of other writes, no less. */
    public static long heapSizeOf(byte[] row, Stream<Cell> indexed) {
        return OVERHEAD
                + ClassSize.sizeOfByteArray(row.length)
                + indexed.mapToLong(RowChange::heapSizeOf).sum();
    }

    /** Of a copy that it has for itself. */
    private static long heapSizeOf(Cell cell) {
        return ClassSize.align(KeyValue.FIXED_OVERHEAD) + ClassSize.sizeOfByteArray(cell.getSerializedSize());
    }
}
