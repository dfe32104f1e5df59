package org.diffindex.model;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * As of which moment a scan reads a region of an index table. HBase reads each region as it was when the scan came to it (MVCC),
 * but does not tell the client as of when. A scan that asks for it gets a second cell beside the first entry of each answer: in
 * family {@code i}, qualifier {@code p}, with the read point (8 bytes), the length of the region's start key (4 bytes), the start
 * key and the end key. A get that names a read point is answered as of then, a scan with only what was put since.
 *
 * @param point HBase's MVCC read point
 * @param regionStart the region's first key; empty if it is the first region
 * @param regionEnd the key behind the region; empty if it is the last region
 */
public record ReadPoint(long point, ByteBuffer regionStart, ByteBuffer regionEnd) {
    private static final String ASKED = "diffindex.readpoint.asked";
    private static final String AS_OF = "diffindex.readpoint";
    private static final String SINCE = "diffindex.readpoint.since";
    private static final byte[] QUALIFIER = Bytes.toBytes("p");
    private static final byte[] MARK = {1};

    /** Makes a scan ask for the read points; the same one, for chaining. */
    public static Scan askFor(Scan scan) {
        return scan.setAttribute(ASKED, MARK);
    }

    /** Whether a scan asks for the read points. */
    public static boolean isAskedBy(Scan scan) {
        return scan.getAttribute(ASKED) != null;
    }

    /** Makes a get read as of a read point; the same one, for chaining. */
    public static Get asOf(Get get, long point) {
        return get.setAttribute(AS_OF, Bytes.toBytes(point));
    }

    /** The read point that a get names. */
    public static OptionalLong of(Get get) {
        byte[] point = get.getAttribute(AS_OF);
        return point == null ? OptionalLong.empty() : OptionalLong.of(Bytes.toLong(point));
    }

    /** Makes a scan return only what was put after a read point; the same one, for chaining. */
    public static Scan since(Scan scan, long point) {
        return scan.setAttribute(SINCE, Bytes.toBytes(point));
    }

    /** The read point since which a scan asks for what was put. */
    public static OptionalLong since(Scan scan) {
        byte[] point = scan.getAttribute(SINCE);
        return point == null ? OptionalLong.empty() : OptionalLong.of(Bytes.toLong(point));
    }

    /** The cell that tells this, for a row of the answer. */
    public Cell toCell(byte[] row) {
        ByteBuffer value =
                ByteBuffer.allocate(Long.BYTES + Integer.BYTES + regionStart.remaining() + regionEnd.remaining());
        value.putLong(point)
                .putInt(regionStart.remaining())
                .put(regionStart.duplicate())
                .put(regionEnd.duplicate());
        return new KeyValue(row, EntryFormat.FAMILY, QUALIFIER, 0, value.array());
    }

    /** What a row of an answer tells; empty if it has no such cell. */
    public static Optional<ReadPoint> of(Result row) {
        for (Cell cell : row.rawCells()) {
            if (CellUtil.matchingQualifier(cell, QUALIFIER)) {
                ByteBuffer value = ByteBuffer.wrap(CellUtil.cloneValue(cell));
                long point = value.getLong();
                int startLength = value.getInt();
                ByteBuffer start = value.slice(value.position(), startLength);
                ByteBuffer end = value.slice(value.position() + startLength, value.remaining() - startLength);
                return Optional.of(new ReadPoint(point, start, end));
            }
        }
        return Optional.empty();
    }
}
