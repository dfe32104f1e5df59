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
 * The read point at which a scan reads a region of an index table. HBase reads each region as of the moment the scan
 * opens it (MVCC) but does not expose that read point to the caller. The response to a scan that asks for read points
 * carries a second cell beside its first entry: family {@code i}, qualifier {@code p}, value = the read point (8
 * bytes), the length of the scanner's first key (4 bytes), that key and the region's end key. A get that names a read point
 * is answered as of that read point; a scan that names one returns only entries put after it.
 *
 * @param point HBase's MVCC read point
 * @param start the first key that the scanner reads, inclusive; empty for the beginning of the table. It is the region's
 *     start key only if the scanner began there: a region may have merged with one that the scan has read before. Of a
 *     scanner in reverse that was opened behind a key, exclusively, it is the first key after that one, which it does not
 *     read; of one that was opened at the table's end it is the region's start key
 * @param regionEnd the region's end key, exclusive; empty for the last region
 */
public record ReadPoint(long point, ByteBuffer start, ByteBuffer regionEnd) {
    static final String ASKED = "diffindex.readpoint.asked";
    static final String AS_OF = "diffindex.readpoint";
    static final String SINCE = "diffindex.readpoint.since";
    private static final byte[] QUALIFIER = Bytes.toBytes("p");
    private static final byte[] MARK = {1};

    /** Makes a scan ask for read points; returns the same scan. */
    public static Scan askFor(Scan scan) {
        return scan.setAttribute(ASKED, MARK);
    }

    /** Returns whether a scan asks for read points. */
    public static boolean isAskedBy(Scan scan) {
        return scan.getAttribute(ASKED) != null;
    }

    /** Makes a get read as of a read point; returns the same get. */
    public static Get asOf(Get get, long point) {
        return get.setAttribute(AS_OF, Bytes.toBytes(point));
    }

    /** Returns the read point that a get names. */
    public static OptionalLong of(Get get) {
        byte[] point = get.getAttribute(AS_OF);
        return point == null ? OptionalLong.empty() : OptionalLong.of(Bytes.toLong(point));
    }

    /** Makes a scan return only what was put after a read point; returns the same scan. */
    public static Scan since(Scan scan, long point) {
        return scan.setAttribute(SINCE, Bytes.toBytes(point));
    }

    /** Returns the read point after which a scan asks for puts. */
    public static OptionalLong since(Scan scan) {
        byte[] point = scan.getAttribute(SINCE);
        return point == null ? OptionalLong.empty() : OptionalLong.of(Bytes.toLong(point));
    }

    /** Encodes this read point as a cell of a row of the response. */
    public Cell toCell(byte[] row) {
        ByteBuffer value = ByteBuffer.allocate(Long.BYTES + Integer.BYTES + start.remaining() + regionEnd.remaining());
        value.putLong(point).putInt(start.remaining()).put(start.duplicate()).put(regionEnd.duplicate());
        return new KeyValue(row, EntryFormat.FAMILY, QUALIFIER, 0, value.array());
    }

    /** Decodes the read point in a row of a response; empty if the row carries none. */
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
