package org.diffindex.lab.bench.experiments;

import java.util.Arrays;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.ycsb.Items;

/**
 * The cells of an item that a read returns. A read by index and a read by row key with the same projection return the
 * same data, so that their latencies are comparable.
 */
enum Projection {
    /** The row key and the title with its timestamp, all of which the index entry holds. */
    TITLE(1),

    /** The whole row. */
    ROW(BenchTable.COLUMNS);

    private static final byte[] TITLE_COLUMN = Bytes.toBytes(Items.TITLE);

    private final int cells;

    Projection(int cells) {
        this.cells = cells;
    }

    /** Returns the read by row key. */
    Get get(byte[] row) {
        Get get = new Get(row);
        return this == TITLE ? get.addColumn(BenchTable.FAMILY, TITLE_COLUMN) : get;
    }

    /** Returns the read by index. */
    IndexQuery query(byte[] title) {
        IndexQuery.Builder query = IndexQuery.index(BenchTable.BY_TITLE).equalTo((Object) title);
        return (this == ROW ? query.withRows() : query).build();
    }

    /** Returns whether a read by row key returned exactly these cells of an item. */
    boolean isOf(Result result, byte[] row, byte[] title) {
        return result.size() == cells
                && Arrays.equals(result.getRow(), row)
                && Arrays.equals(result.getValue(BenchTable.FAMILY, TITLE_COLUMN), title);
    }

    /** Returns whether a read by index returned these cells of an item. */
    boolean isOf(IndexHit hit, byte[] row, byte[] title) {
        return Arrays.equals(hit.row(), row)
                && Arrays.equals(hit.values().get(0), title)
                && (this == TITLE || isOf(hit.result(), row, title));
    }
}
