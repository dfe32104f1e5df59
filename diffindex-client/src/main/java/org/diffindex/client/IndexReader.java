package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.ReadPoint;

/**
 * Scans a range of an index table in one direction, {@code caching} entries a call, and returns what the table holds,
 * including stale entries.
 *
 * <p>The first scan is limited to what is left of the query's limit, which suffices if no entry is stale, and whose
 * scanner the server closes by itself. If more entries are needed, a second scan reads those behind them; so does one that
 * reads by another scheme ({@link ReadMode}).
 */
final class IndexReader implements EntrySource {
    private final IndexDefinition definition;
    private final Table indexTable;
    private final int caching;
    private final long limit;
    private final ScanDirection direction;
    private final KeyRange range;
    private final ScanView view;
    private final ReadMode mode;
    private final FailedReads failed;
    private Scan scan;
    private ResultScanner scanner;

    /** How many entries the scan has returned. */
    private long returned;

    /** The key of the last one. */
    private byte[] last;

    /** How many regions the scanners before the present one have opened. */
    private long opened;

    /**
     * Creates a reader of an index table, which it does not close. Makes no call.
     *
     * @param range what to read; not empty
     * @param limit how many entries suffice if none is stale; {@code Long.MAX_VALUE} if all are needed
     * @param view is told what the scan meets
     * @param mode how the query reads
     * @param failed decides whether a failed read means that the index was dropped
     */
    IndexReader(
            IndexDefinition definition,
            Table indexTable,
            IndexQuery query,
            KeyRange range,
            long limit,
            ScanView view,
            ReadMode mode,
            FailedReads failed) {
        this.definition = definition;
        this.indexTable = indexTable;
        this.caching = query.caching();
        this.limit = limit;
        this.direction = query.direction();
        this.range = range;
        this.view = view;
        this.mode = mode;
        this.failed = failed;
        this.scan = firstScan();
    }

    private Scan firstScan() {
        Scan first = ReadPoint.askFor(mode.mark(direction.over(newScan(definition, caching), range)))
                .setScanMetricsEnabled(mode.looksTwice());
        if (limit <= Integer.MAX_VALUE) {
            first.setLimit((int) limit);
            first.setCaching((int) Math.min(caching, limit));
        }
        return first;
    }

    /** Returns a scan of this index and no other of its name. */
    static Scan newScan(IndexDefinition definition, int caching) {
        return definition.entryFormat().scanEntries().setCaching(caching);
    }

    /** Returns the entry that a row of the index table holds. */
    static FoundEntry foundIn(Result row, IndexDefinition definition) {
        EntryFormat format = definition.entryFormat();
        return new FoundEntry(format.entryOf(row), format.stampOf(row), false);
    }

    /**
     * Returns how often HBase's client has opened a region for this scan, by its scan metrics: the next region of a
     * range, and a region whose scanner was lost, count too. 0 if the client does not count.
     */
    long openedRegions() {
        return opened + openedBy(scanner);
    }

    private static long openedBy(ResultScanner scanner) {
        ScanMetrics metrics = scanner == null ? null : scanner.getScanMetrics();
        return metrics == null ? 0 : metrics.countOfRegions.get();
    }

    @Override
    public FoundEntry next() throws IOException {
        Result row = nextRow();
        if (row == null) {
            view.ends();
            return null;
        }
        returned++;
        last = row.getRow();
        FoundEntry found = foundIn(row, definition);
        view.met(row, found);
        return found;
    }

    /** Returns the next row of the index table; null at the end. */
    private Result nextRow() throws IOException {
        while (true) {
            try {
                Result row = nextOfScan();
                return row == null && returned == scan.getLimit() && goOnWithoutLimit() ? nextOfScan() : row;
            } catch (IOException e) {
                if (!mode.isChangedBy(e, returned > 0)) {
                    throw failed.exceptionFor(e);
                }
                if (returned == 0) {
                    close();
                    scanner = null;
                    scan = firstScan();
                } else if (!goOnWithoutLimit()) {
                    return null;
                }
            }
        }
    }

    private Result nextOfScan() throws IOException {
        if (scanner == null) {
            scanner = indexTable.getScanner(scan);
        }
        return scanner.next();
    }

    /** Makes the next scan begin behind the last entry, without a limit; returns false if there can be nothing. */
    private boolean goOnWithoutLimit() throws IOException {
        KeyRange rest = range.after(last, direction);
        if (rest.isEmpty()) {
            return false;
        }
        close();
        opened += openedBy(scanner);
        scanner = null;
        Scan next = direction.over(new Scan(scan), rest);
        scan = mode.mark(next.setLimit(-1).setCaching(caching));
        return true;
    }

    @Override
    public void close() {
        if (scanner != null) {
            scanner.close();
        }
    }
}
