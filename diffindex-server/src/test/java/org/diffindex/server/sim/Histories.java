package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;

/** The histories of all rows, by which reads are judged. */
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

    /** The moment of now; none was before it. */
    long now() {
        return ++moment;
    }

    /** A region shows what it shows now. */
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
