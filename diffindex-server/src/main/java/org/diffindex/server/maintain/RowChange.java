package org.diffindex.server.maintain;

import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;

/**
 * One or more consecutive writes of a base row, as HBase applied them: their log sequence numbers and stamps. The row's
 * state before and after is read when needed. Immutable.
 *
 * <p>A change is for all indexes, unless it {@linkplain #onlyFor names} those for which its stamps hold.
 *
 * <p>A plain put (a single put whose timestamp the server assigned and is its stamp) also keeps its indexed cells, so
 * that the row after it need not be read.
 */
public final class RowChange {
    /** The object, and a list of one or two cells. */
    private static final int OVERHEAD =
            ClassSize.align(ClassSize.OBJECT + 3 * ClassSize.REFERENCE + 4 * Bytes.SIZEOF_LONG)
                    + ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE);

    private final byte[] row;
    private final long firstSequence;
    private final long lastSequence;
    private final long firstStamp;
    private final long lastStamp;
    private final List<Cell> plainPut;
    private final IndexSet indexes;

    private RowChange(
            byte[] row,
            long firstSequence,
            long lastSequence,
            long firstStamp,
            long lastStamp,
            List<Cell> plainPut,
            IndexSet indexes) {
        this.row = row;
        this.firstSequence = firstSequence;
        this.lastSequence = lastSequence;
        this.firstStamp = firstStamp;
        this.lastStamp = lastStamp;
        this.plainPut = List.copyOf(plainPut); // for few elements smaller than an ArrayList
        this.indexes = indexes;
    }

    /** Creates a put whose cells all have the stamp as their timestamp. The cells are not copied: pass copies. */
    public static RowChange plainPut(byte[] row, long sequence, long stamp, List<Cell> indexedCells) {
        return new RowChange(row, sequence, sequence, stamp, stamp, indexedCells, IndexSet.all());
    }

    /** Creates any other write, or several writes of the row under one sequence number. */
    public static RowChange of(byte[] row, long sequence, long firstStamp, long lastStamp) {
        return new RowChange(row, sequence, sequence, firstStamp, lastStamp, List.of(), IndexSet.all());
    }

    /** Creates a change that covers all writes of a row from one sequence number to another, both inclusive. */
    public static RowChange between(
            byte[] row, long firstSequence, long lastSequence, long firstStamp, long lastStamp) {
        return new RowChange(row, firstSequence, lastSequence, firstStamp, lastStamp, List.of(), IndexSet.all());
    }

    /** Returns the same change for some of the indexes only. */
    public RowChange onlyFor(IndexSet some) {
        return new RowChange(row, firstSequence, lastSequence, firstStamp, lastStamp, plainPut, some);
    }

    /**
     * Returns both changes of the row as one, from the row before the earlier to the row after the later. The other
     * change must not be earlier than this one, and must be for the same indexes.
     */
    public RowChange mergedWith(RowChange other) {
        return new RowChange(
                row,
                Math.min(firstSequence, other.firstSequence),
                Math.max(lastSequence, other.lastSequence),
                Math.min(firstStamp, other.firstStamp),
                Math.max(lastStamp, other.lastStamp),
                List.of(),
                indexes);
    }

    /** Returns the base row key; not a copy. */
    public byte[] row() {
        return row;
    }

    /** Returns the indexes that the change is for, whether or not it changes their entries. */
    public IndexSet indexes() {
        return indexes;
    }

    /** Returns whether the change is for an index. */
    public boolean isFor(IndexDefinition index) {
        return indexes.contains(index);
    }

    public long firstSequence() {
        return firstSequence;
    }

    /** Returns the read point at which the row is seen as it was before this change. */
    public long before() {
        return firstSequence - 1;
    }

    public long lastSequence() {
        return lastSequence;
    }

    /** Returns whether the row may have had other states between this change's first and last write. */
    boolean isOfSeveralWrites() {
        return firstSequence < lastSequence;
    }

    /** Returns the stamp of the first write; every earlier stamp of the row is smaller. */
    public long firstStamp() {
        return firstStamp;
    }

    /** Returns the stamp of the last write. */
    public long lastStamp() {
        return lastStamp;
    }

    /** Returns whether this is one put whose timestamp the server assigned. */
    public boolean isPlainPut() {
        return !plainPut.isEmpty();
    }

    /** Returns the indexed cells of a plain put; empty for any other change. */
    public List<Cell> plainCells() {
        return plainPut;
    }

    /** Returns the memory that the change occupies, in bytes. */
    public long heapSize() {
        return heapSizeOf(row, plainPut.stream());
    }

    /**
     * Returns the memory, in bytes, that a change by one put with these indexed cells will occupy; an upper bound for
     * other writes.
     */
    public static long heapSizeOf(byte[] row, Stream<Cell> indexed) {
        return OVERHEAD
                + ClassSize.sizeOfByteArray(row.length)
                + indexed.mapToLong(RowChange::heapSizeOf).sum();
    }

    /** Returns the memory, in bytes, of a list of copies of cells. */
    static long heapSizeOf(List<Cell> cells) {
        return OVERHEAD + cells.stream().mapToLong(RowChange::heapSizeOf).sum();
    }

    /** Returns the size of a copy of the cell with an array of its own. */
    private static long heapSizeOf(Cell cell) {
        return ClassSize.align(KeyValue.FIXED_OVERHEAD) + ClassSize.sizeOfByteArray(cell.getSerializedSize());
    }
}
