package org.diffindex.server.sequences;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.diffindex.server.maintain.RegionRowReader;

/**
 * Finds puts that a tombstone of the same timestamp hides although the tombstone was written first. A flush that has
 * such a put but not the tombstone, which is in a file, counts the put among the versions to keep: HBase may then drop
 * what it has shown of the row.
 */
public final class HiddenPuts {
    private HiddenPuts() {}

    /** Returns whether one is among all cells of a row, including tombstones and what they hide. */
    public static boolean areAmong(List<Cell> row) {
        return row.stream().filter(CellUtil::isPut).anyMatch(put -> row.stream()
                .anyMatch(tombstone -> hides(tombstone, put)));
    }

    private static boolean hides(Cell tombstone, Cell put) {
        boolean ofOneVersion =
                switch (tombstone.getType()) {
                    case Delete -> CellUtil.matchingColumn(tombstone, put);
                    case DeleteFamilyVersion -> CellUtil.matchingFamily(tombstone, put);
                    default -> false;
                };
        return ofOneVersion
                && tombstone.getTimestamp() == put.getTimestamp()
                && RegionRowReader.sequenceOf(tombstone) < RegionRowReader.sequenceOf(put);
    }
}
