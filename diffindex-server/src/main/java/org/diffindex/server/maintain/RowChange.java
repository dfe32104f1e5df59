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
 * that the row after it need not be read. Another write may {@linkplain #concerning name} the indexes that its cells
 * concern.
 */
public final class RowChange {
    /** The object, and a list of one or two cells. */
    private static final int OVERHEAD =
            ClassSize.align(ClassSize.OBJECT + 4 * ClassSize.REFERENCE + 4 * Bytes.SIZEOF_LONG)
                    + ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE);

    private final byte[] row;
    private final long firstSequence;
    private final long lastSequence;
    private final long firstStamp;
    private final long lastStamp;
    private final List<Cell> plainPut;
    private final IndexSet indexes;

    /** The indexes of which the change can change an entry, or more of them. */
    private final IndexSet concerned;

    private RowChange(
            byte[] row,
            long firstSequence,
            long lastSequence,
            long firstStamp,
            long lastStamp,
            List<Cell> plainPut,
            IndexSet indexes,
            IndexSet concerned) {
        this.row = row;
        this.firstSequence = firstSequence;
        this.lastSequence = lastSequence;
        this.firstStamp = firstStamp;
        this.lastStamp = lastStamp;
        this.plainPut = List.copyOf(plainPut); // for few elements smaller than an ArrayList
        this.indexes = indexes;
        this.concerned = concerned;
    }

    /** Creates a put whose cells all have the stamp as their timestamp. The cells are not copied: pass copies. */
    public static RowChange plainPut(byte[] row, long sequence, long stamp, List<Cell> indexedCells) {
        return new RowChange(row, sequence, sequence, stamp, stamp, indexedCells, IndexSet.all(), IndexSet.all());
    }

    /** Creates any other write, or several writes of the row under one sequence number. */
    public static RowChange of(byte[] row, long sequence, long firstStamp, long lastStamp) {
        return between(row, sequence, sequence, firstStamp, lastStamp);
    }

    /** Creates a change that covers all writes of a row from one sequence number to another, both inclusive. */
    public static RowChange between(
            byte[] row, long firstSequence, long lastSequence, long firstStamp, long lastStamp) {
        return new RowChange(
                row, firstSequence, lastSequence, firstStamp, lastStamp, List.of(), IndexSet.all(), IndexSet.all());
    }

    /** Returns the same change for some of the indexes only. */
    public RowChange onlyFor(IndexSet some) {
        return new RowChange(row, firstSequence, lastSequence, firstStamp, lastStamp, plainPut, some, concerned);
    }

    /**
     * Returns the same change, known to change entries of no other indexes than these. The set is not copied and its
     * memory is not part of {@link #heapSize}: many changes share it.
     */
    public RowChange concerning(IndexSet some) {
        return new RowChange(row, firstSequence, lastSequence, firstStamp, lastStamp, plainPut, indexes, some);
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
                indexes,
                mayChange(other));
    }

    /** Returns the indexes that this or the other change concerns. What a plain put concerns is in its cells only. */
    private IndexSet mayChange(RowChange other) {
        boolean isSame = !isPlainPut() && !other.isPlainPut() && concerned.equals(other.concerned);
        return isSame ? concerned : IndexSet.all();
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

    /** Returns whether the change can change an entry of an index, as far as is known without the cells of a plain put. */
    boolean mayConcern(IndexDefinition index) {
        return concerned.contains(index);
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
