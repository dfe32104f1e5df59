package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;

/** Counts the rows of a table by a scan of its keys. */
final class RowCount {
    private static final int CACHING = 10_000;

    private RowCount() {}

    /** Returns how many rows the table has. */
    static long of(Table table) throws IOException {
        Scan keys = new Scan().setFilter(new FirstKeyOnlyFilter()).setCaching(CACHING);
        long count = 0;
        try (ResultScanner scanner = table.getScanner(keys)) {
            while (scanner.next() != null) {
                count++;
            }
        }
        return count;
    }
}
