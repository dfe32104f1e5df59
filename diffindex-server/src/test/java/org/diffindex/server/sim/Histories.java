package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;

/** The histories of all rows, against which reads are checked. */
final class Histories {
    private final TreeMap<String, RowHistory> rows = new TreeMap<>();
    private long moment;

    Histories(List<String> names) {
        names.forEach(name -> rows.put(name, new RowHistory()));
    }

    List<String> names() {
        return new ArrayList<>(rows.keySet());
    }

    RowHistory of(String row) {
        return rows.get(row);
    }

    /** Returns a moment that is later than all before it. */
    long now() {
        return ++moment;
    }

    /** Records what a region shows now. */
    void look(OpenRegion region) {
        shows(region.durable.info, region.visible());
    }

    /**
     * Records what a region will show when it opens again, after its server's session has ended. A write that this
     * server has logged and not yet shown takes effect; if the server is only suspended, it may write the entry of such
     * a write before the region is open again.
     */
    void lookAhead(StoreFiles region) {
        shows(region.info, Versions.visible(region.recovered(), Long.MAX_VALUE));
    }

    private void shows(RegionInfo region, List<KeyValue> visible) {
        TreeMap<String, String> origins = new TreeMap<>();
        for (KeyValue cell : visible) {
            if (CellUtil.matchingQualifier(cell, ClientWrite.ORIGIN)) {
                origins.put(Bytes.toString(CellUtil.cloneRow(cell)), Bytes.toString(CellUtil.cloneValue(cell)));
            }
        }
        rows.forEach((row, history) -> {
            if (region.containsRow(Bytes.toBytes(row))) {
                history.shows(origins.getOrDefault(row, ""), now());
            }
        });
    }
}
