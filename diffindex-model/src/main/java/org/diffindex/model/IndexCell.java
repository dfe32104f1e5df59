package org.diffindex.model;

import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * How an entry lies in the index table: one cell in family {@code i} with an empty qualifier.
 *
 * <p>The cell's timestamp is the entry's <em>stamp</em>, a time that strictly grows with every write of the base row, so
 * that puts and deletes of entries mean the same in whatever order, and however often, they arrive. For a write to which
 * the server gave the time the stamp is the base cell's own timestamp, and the value is empty. For a write with an
 * explicit timestamp, or a delete that lets an older version reappear, the two differ: then the value holds the base
 * timestamp, 8 bytes, big-endian.
 */
public final class IndexCell {
    /** The only column family of an index table. */
    public static final byte[] FAMILY = Bytes.toBytes("i");

    /** The only qualifier of an index table. */
    public static final byte[] QUALIFIER = new byte[0];

    /**
     * The mutation attribute by which the index's own writes are told from those of a client that strayed into an index
     * table. It guards against accidents; against malice an index table needs HBase's access control. Its value is the id
     * of the index that the write is for; empty for the table of an index without one.
     */
    public static final String WRITER_ATTRIBUTE = "diffindex.writer";

    /** The attribute of a get or scan that names, by its id, the index that is to be read; absent or empty: whichever it is. */
    public static final String READER_ATTRIBUTE = "diffindex.reader";

    /** The attribute of a delete that names, by its encoded name, the only region that may carry it out. */
    private static final String REGION_ATTRIBUTE = "diffindex.region";

    /** How the message begins with which another region refuses such a delete. */
    public static final String NOT_IN_ITS_REGION = "Not deleted: the entry is in another region than it was";

    private static final byte[] EMPTY = new byte[0];

    private IndexCell() {}

    /** Puts an entry at a stamp. */
    public static Put put(IndexEntry entry, long stamp) {
        byte[] value = entry.timestamp() == stamp ? EMPTY : Bytes.toBytes(entry.timestamp());
        Put put = new Put(entry.key());
        put.addColumn(FAMILY, QUALIFIER, stamp, value);
        put.setAttribute(WRITER_ATTRIBUTE, EMPTY);
        return put;
    }

    /** Deletes an entry as it was put at any stamp up to, and with, the given one. */
    public static Delete delete(byte[] key, long stamp) {
        Delete delete = new Delete(key);
        delete.addColumns(FAMILY, QUALIFIER, stamp);
        delete.setAttribute(WRITER_ATTRIBUTE, EMPTY);
        return delete;
    }

    /** Makes a write one for that very index: the table of another one that was later given the same name refuses it. */
    public static void addressTo(Mutation mutation, IndexDefinition index) {
        mutation.setAttribute(WRITER_ATTRIBUTE, Bytes.toBytes(index.id()));
    }

    /**
     * Makes a delete one that only a certain region carries out: the one to which the put of the entry that replaces it goes in
     * the same call.
     *
     * @param region its encoded name; null for whichever region has the entry
     */
    public static void onlyIn(Delete delete, String region) {
        delete.setAttribute(REGION_ATTRIBUTE, region == null ? null : Bytes.toBytes(region));
    }

    /** The region that {@link #onlyIn} names. */
    public static Optional<String> regionOf(Mutation mutation) {
        return Optional.ofNullable(mutation.getAttribute(REGION_ATTRIBUTE)).map(Bytes::toString);
    }

    /** Makes a read one of that very index: the table of another one that was later given the same name refuses it. */
    public static void addressTo(Query read, IndexDefinition index) {
        read.setAttribute(READER_ATTRIBUTE, Bytes.toBytes(index.id()));
    }

    /** Deletes one cell of an index table, as it was put at exactly that time, wherever in the row it lies. */
    public static Delete deleteExactly(byte[] key, byte[] family, byte[] qualifier, long timestamp) {
        Delete delete = new Delete(key);
        delete.addColumn(family, qualifier, timestamp);
        delete.setAttribute(WRITER_ATTRIBUTE, EMPTY);
        return delete;
    }

    /** The entry that a row of the index table holds. */
    public static IndexEntry entryOf(Result indexRow) {
        Cell cell = indexRow.rawCells()[0];
        long timestamp = cell.getValueLength() == Bytes.SIZEOF_LONG
                ? Bytes.toLong(cell.getValueArray(), cell.getValueOffset())
                : cell.getTimestamp();
        return new IndexEntry(CellUtil.cloneRow(cell), timestamp);
    }

    /** The stamp at which the entry was put. */
    public static long stampOf(Result indexRow) {
        return indexRow.rawCells()[0].getTimestamp();
    }
}
