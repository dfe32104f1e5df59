package org.diffindex.server.maintain;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexedColumn;

/** The columns that a read of a row is after, in HBase's order, so that what lies between them can be leapt over. Immutable. */
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

    /** Whether a cell is of one of the columns. */
    boolean contain(Cell cell) {
        for (int i = 0; i < families.length; i++) {
            if (CellUtil.matchingColumn(cell, families[i], qualifiers[i])) {
                return true;
            }
        }
        return false;
    }

    /** Whether the cell's family has a column behind the cell's own. */
    boolean haveOneBehind(Cell cell) {
        return behind(cell) >= 0;
    }

    /** Where the next column of the cell's family, behind the cell's own, would begin; there must be one. */
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
