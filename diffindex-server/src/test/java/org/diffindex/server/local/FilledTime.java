package org.diffindex.server.local;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Mutation;

/** Sets the timestamps of a write as HBase does before a batch is mutated. */
public final class FilledTime {
    private FilledTime() {}

    public static void fill(Mutation mutation, long time) throws IOException {
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                PrivateCellUtil.setTimestamp(cell, time);
            }
        }
    }
}
