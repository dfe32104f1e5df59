package org.diffindex.model;

import java.util.Iterator;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Passes the cells that have no ACL and no visibility label of their own, which HBase keeps in tags of the cells ({@link
 * TagType#ACL_TAG_TYPE}, {@link TagType#VISIBILITY_TAG_TYPE}). Of a column whose newest cell has one, passes nothing. Whoever may
 * read the table of an index sees all its keys, so cells that not everybody may read who may read their column are not
 * indexed, unless {@linkplain IndexDefinition#indexesProtectedCells the definition says so}.
 *
 * <p>HBase sends no tags to clients: only a server can tell these cells from others. So a client that compares an index with
 * its table asks the regions to {@linkplain #leftOut leave them out}. It names no filter, because a server looks for the class
 * of a filter on its own class path, where a jar that the table loads is not.
 *
 * <p>A row of which nothing passes does not count towards the limit of a scan, which reads on to the next row. So a filter may
 * be {@linkplain #beside(Filter, int) bounded}. Its only state is the number of rows that it has looked at.
 */
public final class ProtectedCells extends FilterBase {
    static final String ATTRIBUTE = "diffindex.protected.cells.left.out";
    private static final byte[] MARK = {1};

    private static final Set<Byte> PROTECTING = Set.of(
            TagType.ACL_TAG_TYPE,
            TagType.VISIBILITY_TAG_TYPE,
            TagType.VISIBILITY_EXP_SERIALIZATION_FORMAT_TAG_TYPE,
            TagType.STRING_VIS_TAG_TYPE);

    /** The most rows to look at. */
    private final long mostRows;

    private long rows;

    private ProtectedCells(long mostRows) {
        this.mostRows = mostRows;
    }

    /** Returns whether a cell, on a server, has an ACL or a visibility label. */
    public static boolean isProtected(Cell cell) {
        Iterator<Tag> tags = PrivateCellUtil.tagsIterator(cell);
        while (tags.hasNext()) {
            if (PROTECTING.contains(tags.next().getType())) {
                return true;
            }
        }
        return false;
    }

    /** Makes a read of a base table ask for what an index of it is made of; returns the same read. */
    public static <T extends Query> T leftOut(IndexDefinition definition, T read) {
        if (!definition.indexesProtectedCells()) {
            read.setAttribute(ATTRIBUTE, MARK);
        }
        return read;
    }

    /** Leaves protected cells out of a read, on a server, if the read asks for that; besides what its own filter leaves out. */
    public static void leaveOutIfAsked(Query read) {
        if (read.getAttribute(ATTRIBUTE) != null) {
            read.setFilter(beside(read.getFilter()));
        }
    }

    /** Returns a filter for what passes both this one and another one, or null for no other. */
    public static Filter beside(Filter other) {
        ProtectedCells unbounded = new ProtectedCells(Long.MAX_VALUE);
        return other == null ? unbounded : new FilterList(unbounded, other);
    }

    /**
     * Returns a filter for what passes both this one and another one, of a scan that ends, in each region, after a number of rows,
     * whether anything of them passes or not. A server of an earlier build does not know the bound, and reads on.
     *
     * @param mostRows at least 1
     */
    public static Filter beside(Filter other, int mostRows) {
        return new FilterList(new ProtectedCells(mostRows), other);
    }

    @Override
    public boolean filterRowKey(Cell firstCell) {
        rows++;
        return filterAllRemaining();
    }

    @Override
    public boolean filterAllRemaining() {
        return rows > mostRows;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
        return isProtected(cell) ? ReturnCode.NEXT_COL : ReturnCode.INCLUDE;
    }

    /** Returns the serialized form: the bound in four bytes, or nothing if there is none. */
    @Override
    public byte[] toByteArray() {
        return mostRows == Long.MAX_VALUE ? new byte[0] : Bytes.toBytes((int) mostRows);
    }

    /** Parses the serialized form; called by HBase's servers. */
    public static ProtectedCells parseFrom(byte[] serialized) {
        return new ProtectedCells(serialized.length == Integer.BYTES ? Bytes.toInt(serialized) : Long.MAX_VALUE);
    }
}
