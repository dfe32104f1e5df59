package org.diffindex.model;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * How the entries of an index lie in its table, and how they are put, deleted and read: each is one cell in family {@code i}
 * with an empty qualifier. The row keys are those of {@link IndexKeyCodec}.
 *
 * <p>The cell's timestamp is the entry's <em>stamp</em>, a time that strictly grows with every write of the base row, so
 * that puts and deletes of entries mean the same in whatever order, and however often, they arrive. For a write to which
 * the server gave the time the stamp is the base cell's own timestamp, and the value is empty. For a write with an
 * explicit timestamp, or a delete that lets an older version reappear, the two differ: then the value holds the base
 * timestamp, 8 bytes, big-endian.
 *
 * <p>All that this makes is addressed to the index by its id ({@link IndexAddress}). Immutable.
 */
public final class EntryFormat {
    /** The only column family of an index table. */
    public static final byte[] FAMILY = Bytes.toBytes("i");

    /** The only qualifier of an index table. */
    public static final byte[] QUALIFIER = new byte[0];

    /**
     * A quarter of HBase's own block size. A seek decodes half a block, entry by entry, and each read by index seeks in every
     * store file; what smaller blocks add to a file is 1%.
     */
    private static final int BLOCK_BYTES = 16 << 10;

    private static final byte[] EMPTY = new byte[0];

    private final String index;

    /** The format of the entries of an index with that id, see {@link IndexDefinition#id}. */
    public EntryFormat(String index) {
        this.index = index;
    }

    /** The column family of an index table, without what depends on its base table. */
    public static ColumnFamilyDescriptorBuilder newFamily() {
        return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                .setMaxVersions(1)
                .setKeepDeletedCells(KeepDeletedCells.FALSE)
                .setBloomFilterType(BloomType.NONE)
                .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                .setBlocksize(BLOCK_BYTES);
    }

    /** The column family of entries in the descriptor of an index table; empty if it has lost it. */
    public static Optional<ColumnFamilyDescriptor> familyOf(TableDescriptor indexTable) {
        return Optional.ofNullable(indexTable.getColumnFamily(FAMILY));
    }

    /** Puts an entry at a stamp. */
    public Put put(IndexEntry entry, long stamp) {
        byte[] value = entry.timestamp() == stamp ? EMPTY : Bytes.toBytes(entry.timestamp());
        Put put = new Put(entry.key());
        put.addColumn(FAMILY, QUALIFIER, stamp, value);
        return IndexAddress.of(put, index);
    }

    /** Deletes an entry as it was put at any stamp up to, and with, the given one. */
    public Delete delete(byte[] key, long stamp) {
        Delete delete = new Delete(key);
        delete.addColumns(FAMILY, QUALIFIER, stamp);
        return IndexAddress.of(delete, index);
    }

    /** Deletes an entry as it was put at exactly that stamp. */
    public Delete deleteExactly(byte[] key, long stamp) {
        return deleteExactly(key, FAMILY, QUALIFIER, stamp);
    }

    /** Deletes exactly one cell of the index table, wherever in its row it lies. */
    public Delete deleteExactly(Cell cell) {
        return deleteExactly(
                CellUtil.cloneRow(cell),
                CellUtil.cloneFamily(cell),
                CellUtil.cloneQualifier(cell),
                cell.getTimestamp());
    }

    private Delete deleteExactly(byte[] key, byte[] family, byte[] qualifier, long timestamp) {
        Delete delete = new Delete(key);
        delete.addColumn(family, qualifier, timestamp);
        return IndexAddress.of(delete, index);
    }

    /** Reads a row of the index table, whatever lies in it. */
    public Get get(byte[] key) {
        return IndexAddress.of(new Get(key), index);
    }

    /** Reads rows of the index table, whatever lies in them. */
    public Scan scan() {
        return IndexAddress.of(new Scan(), index);
    }

    /** Reads entries. */
    public Scan scanEntries() {
        return scan().addFamily(FAMILY);
    }

    /**
     * The entry that a row of the index table holds, as a read by index sees it: a value that no index writes does not count.
     *
     * @param indexRow a row as {@link #scanEntries} returns it
     */
    public IndexEntry entryOf(Result indexRow) {
        Cell cell = indexRow.rawCells()[0];
        return decode(cell).orElseGet(() -> new IndexEntry(CellUtil.cloneRow(cell), cell.getTimestamp()));
    }

    /** The stamp at which the entry of a row of the index table was put. */
    public long stampOf(Result indexRow) {
        return indexRow.rawCells()[0].getTimestamp();
    }

    /** Whether a cell lies where the entry of its row does, whatever is in it. */
    public boolean isOfEntry(Cell cell) {
        return CellUtil.matchingColumn(cell, FAMILY, QUALIFIER);
    }

    /** The entry in the cell of one; empty if its value is none that an index writes. */
    public Optional<IndexEntry> decode(Cell cell) {
        return switch (cell.getValueLength()) {
            case 0 -> Optional.of(new IndexEntry(CellUtil.cloneRow(cell), cell.getTimestamp()));
            case Bytes.SIZEOF_LONG ->
                Optional.of(new IndexEntry(
                        CellUtil.cloneRow(cell), Bytes.toLong(cell.getValueArray(), cell.getValueOffset())));
            default -> Optional.empty();
        };
    }

    /** An entry in bytes of its own: its base timestamp (8 bytes) and its key. */
    static byte[] toBytes(IndexEntry entry) {
        return ByteBuffer.allocate(Long.BYTES + entry.key().length)
                .putLong(entry.timestamp())
                .put(entry.key())
                .array();
    }

    /** The entry that {@link #toBytes} made the rest of a buffer of. */
    static IndexEntry fromBytes(ByteBuffer bytes) {
        long timestamp = bytes.getLong();
        byte[] key = new byte[bytes.remaining()];
        bytes.get(key);
        return new IndexEntry(key, timestamp);
    }
}
