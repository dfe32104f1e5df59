package org.diffindex.model;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The storage format of index entries: how they are put, deleted and read. Each entry is one cell in family {@code i}
 * with an empty qualifier. {@link IndexKeyCodec} encodes the row keys.
 *
 * <p>The cell's timestamp is the entry's <em>stamp</em>, a time that increases with every write of the base row, so
 * that puts and deletes of entries have the same effect in any order and however often they are applied. For most
 * writes whose timestamp the server assigned, the stamp is the base cell's own timestamp, and the value is empty. The
 * two may differ for a write with an explicit timestamp, for a delete that makes an older version reappear, and while
 * the server's clock is behind stamps that were given before; the value then holds the base timestamp (8 bytes,
 * big-endian).
 *
 * <p>The cell of an entry that includes values ({@link IncludedColumns}) always holds the base timestamp, followed by the included
 * values. So an entry is replaced as a whole, by one cell with a later stamp: no order in which puts arrive combines the
 * values of two states of a row.
 *
 * <p>Every mutation and read created here is addressed to the index by its id ({@link IndexAddress}). Immutable.
 */
public final class EntryFormat {
    /** The column family of the entries, the only one of an index table that is not BUILDING. */
    public static final byte[] FAMILY = Bytes.toBytes("i");

    /** The only qualifier in it. */
    public static final byte[] QUALIFIER = new byte[0];

    /**
     * A quarter of HBase's default block size. A seek decodes half a block on average, entry by entry, and each read by
     * index seeks in every store file; the smaller blocks add 1% to a file.
     */
    private static final int BLOCK_BYTES = 16 << 10;

    private static final byte[] EMPTY = new byte[0];

    private final String index;

    /** The index, and the change of its scheme, as its table's regions know writers. */
    private final String writer;

    private final IncludedColumns included;

    /** Creates the format of the entries of the index with that id ({@link IndexDefinition#id}). */
    public EntryFormat(String index) {
        this(index, "", IncludedColumns.NONE);
    }

    /**
     * Creates the format of the entries of an index.
     *
     * @param index its id
     * @param change the change of its scheme that writes name ({@link IndexDefinition#change})
     * @param included what its entries include
     */
    EntryFormat(String index, String change, IncludedColumns included) {
        this.index = index;
        this.writer = IndexAddress.writer(index, change);
        this.included = included;
    }

    /** Returns the column family of an index table, without the attributes that depend on its base table. */
    public static ColumnFamilyDescriptorBuilder newFamily() {
        return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                .setMaxVersions(1)
                .setKeepDeletedCells(KeepDeletedCells.FALSE)
                .setBloomFilterType(BloomType.NONE)
                .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                .setBlocksize(BLOCK_BYTES);
    }

    /** Returns the column family of entries in an index table's descriptor; empty if the descriptor lacks it. */
    public static Optional<ColumnFamilyDescriptor> familyOf(TableDescriptor indexTable) {
        return Optional.ofNullable(indexTable.getColumnFamily(FAMILY));
    }

    /** Returns a put of an entry at a stamp. */
    public Put put(IndexEntry entry, long stamp) {
        byte[] value = entry.timestamp() == stamp ? EMPTY : Bytes.toBytes(entry.timestamp());
        if (!included.isEmpty()) {
            value = Bytes.add(Bytes.toBytes(entry.timestamp()), entry.included());
        }
        Put put = new Put(entry.key());
        put.addColumn(FAMILY, QUALIFIER, stamp, value);
        return IndexAddress.of(put, writer);
    }

    /** Returns a delete of an entry as put at any stamp up to and including the given one. */
    public Delete delete(byte[] key, long stamp) {
        Delete delete = new Delete(key);
        delete.addColumns(FAMILY, QUALIFIER, stamp);
        return IndexAddress.of(delete, writer);
    }

    /** Returns a delete of an entry as put at exactly that stamp. */
    public Delete deleteExactly(byte[] key, long stamp) {
        return deleteExactly(key, FAMILY, QUALIFIER, stamp);
    }

    /** Returns a delete of exactly one cell of the index table, whatever its family and qualifier. */
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
        return IndexAddress.of(delete, writer);
    }

    /** Returns a get of a row of the index table, including cells that are not entries. */
    public Get get(byte[] key) {
        return IndexAddress.of(new Get(key), index);
    }

    /** Returns a scan of the index table, including cells that are not entries. */
    public Scan scan() {
        return IndexAddress.of(new Scan(), index);
    }

    /** Returns a scan of entries. */
    public Scan scanEntries() {
        return scan().addFamily(FAMILY);
    }

    /**
     * Returns the entry in a row of the index table, as a read by index sees it. A value that no index writes is
     * ignored: the entry's timestamp is then its stamp, and what it includes cannot be {@linkplain IncludedColumns#decode
     * decoded}.
     *
     * @param indexRow a row as returned by {@link #scanEntries}; not empty
     */
    public IndexEntry entryOf(Result indexRow) {
        Cell cell = indexRow.rawCells()[0];
        return decode(cell).orElseGet(() -> new IndexEntry(CellUtil.cloneRow(cell), cell.getTimestamp()));
    }

    /** Returns the base timestamp of the entry in a cell, as {@link #entryOf} does. */
    public static long timestampOf(Cell cell) {
        return cell.getValueLength() == Bytes.SIZEOF_LONG
                ? Bytes.toLong(cell.getValueArray(), cell.getValueOffset())
                : cell.getTimestamp();
    }

    /** Returns the stamp at which the entry in a row of the index table was put. */
    public long stampOf(Result indexRow) {
        return indexRow.rawCells()[0].getTimestamp();
    }

    /** Returns the stamp of a put or delete of an entry that this class has made. */
    public static long stampOf(Mutation update) {
        return update.getFamilyCellMap().get(FAMILY).get(0).getTimestamp();
    }

    /** Returns whether a cell has the family and qualifier of entries, whatever its value. */
    public boolean isOfEntry(Cell cell) {
        return CellUtil.matchingColumn(cell, FAMILY, QUALIFIER);
    }

    /**
     * Returns the entry in a cell; empty if no index writes the value: it has neither 0 nor 8 bytes or, where entries include
     * values, is no timestamp that they follow.
     */
    public Optional<IndexEntry> decode(Cell cell) {
        if (!included.isEmpty()) {
            return decodeIncluding(cell);
        }
        return switch (cell.getValueLength()) {
            case 0 -> Optional.of(new IndexEntry(CellUtil.cloneRow(cell), cell.getTimestamp()));
            case Bytes.SIZEOF_LONG ->
                Optional.of(new IndexEntry(
                        CellUtil.cloneRow(cell), Bytes.toLong(cell.getValueArray(), cell.getValueOffset())));
            default -> Optional.empty();
        };
    }

    private Optional<IndexEntry> decodeIncluding(Cell cell) {
        byte[] value = CellUtil.cloneValue(cell);
        if (value.length < Bytes.SIZEOF_LONG) {
            return Optional.empty();
        }
        byte[] values = Arrays.copyOfRange(value, Bytes.SIZEOF_LONG, value.length);
        return included.decode(values)
                .map(decoded -> new IndexEntry(CellUtil.cloneRow(cell), Bytes.toLong(value), values));
    }

    /**
     * Encodes an entry: its base timestamp (8 bytes, big-endian), followed by its key. What it includes is left out: a session
     * looks up the rows that it has written.
     */
    static byte[] toBytes(IndexEntry entry) {
        return ByteBuffer.allocate(Long.BYTES + entry.key().length)
                .putLong(entry.timestamp())
                .put(entry.key())
                .array();
    }

    /** Decodes the rest of a buffer, as encoded by {@link #toBytes}. */
    static IndexEntry fromBytes(ByteBuffer bytes) {
        long timestamp = bytes.getLong();
        byte[] key = new byte[bytes.remaining()];
        bytes.get(key);
        return new IndexEntry(key, timestamp);
    }
}
