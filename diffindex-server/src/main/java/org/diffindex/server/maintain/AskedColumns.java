package org.diffindex.server.maintain;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexedColumn;

/**
 * The columns requested by a read of a row, in HBase's order, so that a scan can skip the cells between them.
 * Immutable.
 */
final class AskedColumns {
    private final byte[][] families;
    private final byte[][] qualifiers;

    AskedColumns(Collection<IndexedColumn> columns) {
        byte[][][] sorted = columns.stream()
                .map(column -> new byte[][] {column.family(), column.qualifier()})
                .sorted(Comparator.<byte[][], byte[]>comparing(column -> column[0], Bytes.BYTES_COMPARATOR)
                        .thenComparing(column -> column[1], Bytes.BYTES_COMPARATOR))
                .toArray(byte[][][]::new);
        families = Arrays.stream(sorted).map(column -> column[0]).toArray(byte[][]::new);
        qualifiers = Arrays.stream(sorted).map(column -> column[1]).toArray(byte[][]::new);
    }

    /** Returns whether a cell belongs to one of the columns. */
    boolean contain(Cell cell) {
        for (int i = 0; i < families.length; i++) {
            if (CellUtil.matchingColumn(cell, families[i], qualifiers[i])) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether there is a later column in the cell's family. */
    boolean haveOneBehind(Cell cell) {
        return behind(cell) >= 0;
    }

    /** Returns the first possible cell of the next column in the cell's family; there must be one. */
    Cell firstBehind(Cell cell) {
        byte[] qualifier = qualifiers[behind(cell)];
        return PrivateCellUtil.createFirstOnRowCol(cell, qualifier, 0, qualifier.length);
    }

    private int behind(Cell cell) {
        for (int i = 0; i < families.length; i++) {
            if (CellUtil.matchingFamily(cell, families[i])
                    && CellUtil.compareQualifiers(cell, qualifiers[i], 0, qualifiers[i].length) < 0) {
                return i;
            }
        }
        return -1;
    }
}
