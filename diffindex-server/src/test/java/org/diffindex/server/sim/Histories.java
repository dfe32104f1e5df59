package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
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
        TreeMap<String, String> origins = new TreeMap<>();
        for (KeyValue cell : region.visible()) {
            if (CellUtil.matchingQualifier(cell, ClientWrite.ORIGIN)) {
                origins.put(Bytes.toString(CellUtil.cloneRow(cell)), Bytes.toString(CellUtil.cloneValue(cell)));
            }
        }
        rows.forEach((row, history) -> {
            if (region.durable.info.containsRow(Bytes.toBytes(row))) {
                history.shows(origins.getOrDefault(row, ""), now());
            }
        });
    }
}
