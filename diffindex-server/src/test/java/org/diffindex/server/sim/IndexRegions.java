package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.diffindex.server.deliver.IndexTableModel;

/** The regions of an index table, with their current content and that at earlier read points, like HBase's MVCC. */
final class IndexRegions {
    final IndexTableModel content = new IndexTableModel();
    private final List<RegionInfo> regions = new ArrayList<>();

    /** The visible content at each read point that a reader has taken. */
    private final List<NavigableMap<byte[], Cell>> moments = new ArrayList<>();

    /** Creates regions that meet at the given keys. */
    IndexRegions(TableName table, List<byte[]> splits) {
        byte[] start = HConstants.EMPTY_BYTE_ARRAY;
        for (byte[] split : splits) {
            regions.add(region(table, start, split));
            start = split;
        }
        regions.add(region(table, start, HConstants.EMPTY_BYTE_ARRAY));
    }

    private static RegionInfo region(TableName table, byte[] start, byte[] end) {
        return RegionInfoBuilder.newBuilder(table)
                .setStartKey(start)
                .setEndKey(end)
                .build();
    }

    boolean areSeveral() {
        return regions.size() > 1;
    }

    RegionInfo of(byte[] key) {
        return regions.stream()
                .filter(region -> region.containsRow(key))
                .findFirst()
                .orElseThrow();
    }

    /** Returns a new read point for the current content. */
    int now() {
        moments.add(content.visible());
        return moments.size() - 1;
    }

    /** Returns what was visible at a read point. */
    NavigableMap<byte[], Cell> at(long readPoint) {
        return moments.get((int) readPoint);
    }
}
