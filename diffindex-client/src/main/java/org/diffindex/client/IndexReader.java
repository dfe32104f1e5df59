package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexCell;
import org.diffindex.model.IndexDefinition;

/**
 * The scan of an index table between two bounds: streams, {@code caching} entries a call. What it returns is what the
 * index table holds, stale entries too.
 */
final class IndexReader implements EntrySource {
    private final IndexDefinition definition;
    private final Table indexTable;
    private final Scan scan;
    private ResultScanner scanner;

    /** A reader that has made no call yet, from an index table, which it does not close. */
    IndexReader(IndexDefinition definition, Table indexTable, Scan scan) {
        this.definition = definition;
        this.indexTable = indexTable;
        this.scan = scan;
    }

    /**
     * The scan for a query.
     *
     * @param everyEntryIsHit whether nothing behind the scan drops entries or adds them, so that the server may count
     *     the limit
     */
    static Scan scanOf(IndexQuery query, QueryBounds bounds, boolean everyEntryIsHit) {
        Scan scan = new Scan()
                .withStartRow(bounds.start())
                .withStopRow(bounds.stop())
                .addFamily(IndexCell.FAMILY)
                .setCaching(query.caching());
        if (everyEntryIsHit && query.limit() <= Integer.MAX_VALUE) {
            scan.setLimit((int) query.limit());
            scan.setCaching((int) Math.min(query.caching(), query.limit()));
        }
        return scan;
    }

    @Override
    public FoundEntry next() throws IOException {
        try {
            if (scanner == null) {
                scanner = indexTable.getScanner(scan);
            }
            Result row = scanner.next();
            return row == null ? null : new FoundEntry(IndexCell.entryOf(row), IndexCell.stampOf(row), false);
        } catch (TableNotFoundException e) {
            throw new NoSuchIndexException(definition.table(), definition.name(), e);
        }
    }

    @Override
    public void close() {
        if (scanner != null) {
            scanner.close();
        }
    }
}
