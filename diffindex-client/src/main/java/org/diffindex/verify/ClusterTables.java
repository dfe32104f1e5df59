package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexGenerations;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.KeyOrder;
import org.diffindex.model.ProtectedCells;
import org.diffindex.tasks.KeyRange;
import org.diffindex.tasks.Regions;

/** The base and index table of one index on a cluster. */
final class ClusterTables implements ScrubTables {
    /** The most rows that a scanner may fetch in one call. */
    static final int MOST_TOGETHER = 5_000;

    private final Connection connection;
    private final IndexDefinition definition;
    private final int together;
    private final Runnable alive;

    /**
     * Creates the tables of an index.
     *
     * @param together how many rows a scanner fetches in one call
     * @param alive called before each call, with each page of a scan, and every half of the scanner timeout while a scan meets
     *     no row
     */
    ClusterTables(Connection connection, IndexDefinition definition, int together, Runnable alive) {
        this.connection = connection;
        this.definition = definition;
        this.together = together;
        this.alive = alive;
    }

    /** Returns a scan of what the index is made of. */
    private Scan baseScan() {
        return ProtectedCells.leftOut(definition, definition.addReadColumns(new Scan()))
                .setNeedCursorResult(true);
    }

    private Scan indexScan() {
        return definition.entryFormat().scan().setNeedCursorResult(true);
    }

    @Override
    public List<ScrubRange> baseRanges() throws IOException {
        return ranges(definition.table(), baseScan());
    }

    @Override
    public List<ScrubRange> indexRanges() throws IOException {
        return ranges(definition.indexTable(), indexScan());
    }

    private List<ScrubRange> ranges(TableName name, Scan scan) throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(name);
                Table table = connection.getTable(name)) {
            List<byte[]> starts = Regions.of(locator).stream()
                    .map(location -> location.getRegion().getStartKey())
                    .toList();
            return ScrubRange.startingAt(
                    starts, firstKey(table, new Scan(scan)), firstKey(table, new Scan(scan).setReversed(true)));
        }
    }

    @Override
    public KeyRange baseRegionOf(byte[] row) throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(definition.table())) {
            RegionInfo region = locator.getRegionLocation(row).getRegion();
            return new KeyRange(region.getStartKey(), region.getEndKey());
        }
    }

    /**
     * Returns the key of the first row that a scan meets, or an empty key. The scan has no filter besides those that servers
     * add: a filter that passes the first cell of a row passes over the row if a coprocessor hides that cell.
     */
    private byte[] firstKey(Table table, Scan scan) throws IOException {
        try (ResultScanner scanner = table.getScanner(scan.setLimit(1))) {
            Result result = next(scanner);
            return result == null ? new byte[0] : result.getRow();
        }
    }

    /** Returns the next row of a scan, or null at its end. A cursor takes the place of a row that is not found in time. */
    private Result next(ResultScanner scanner) throws IOException {
        Result result = scanner.next();
        while (result != null && result.isCursor()) {
            alive.run();
            result = scanner.next();
        }
        return result;
    }

    @Override
    public void scanBase(ScrubRange range, Rows rows) throws IOException {
        scan(definition.table(), baseScan(), range, rows);
    }

    @Override
    public void scanIndex(ScrubRange range, Rows rows) throws IOException {
        scan(definition.indexTable(), indexScan(), range, rows);
    }

    /**
     * Scans page by page, each page with a scanner of its own, up to the key that is the last now: rows that are appended
     * faster than a paced scrub reads would keep it from ending. If a scanner is lost while regions merge, HBase's client
     * opens the merged region at the read point of the one before, and passes over rows of the other; so no scanner lives
     * longer than the calls of a page, one unless its rows are large.
     */
    private void scan(TableName name, Scan scan, ScrubRange range, Rows rows) throws IOException {
        try (Table table = connection.getTable(name)) {
            byte[] end = firstKey(table, range.reverse(new Scan(scan)));
            if (end.length == 0) {
                return;
            }
            scan.withStartRow(range.start())
                    .withStopRow(end, true)
                    .setCaching(together)
                    .setLimit(together)
                    .setCacheBlocks(false);
            Optional<byte[]> last = scanPage(table, new Scan(scan), rows);
            while (last.isPresent() && Bytes.compareTo(last.get(), end) < 0) {
                last = scanPage(table, new Scan(scan).withStartRow(KeyOrder.firstAfter(last.get())), rows);
            }
        }
    }

    /** Returns the key of the last row of the page, or empty if it was not full: nothing follows it. */
    private Optional<byte[]> scanPage(Table table, Scan page, Rows rows) throws IOException {
        alive.run();
        byte[] last = null;
        int met = 0;
        try (ResultScanner results = table.getScanner(page)) {
            for (Result row = next(results); row != null; row = next(results)) {
                rows.next(row);
                last = row.getRow();
                met++;
            }
        }
        return met < together ? Optional.empty() : Optional.of(last);
    }

    @Override
    public int rowsOfALook() {
        return Place.PAGE;
    }

    @Override
    public ScrubTables afterWaitFor(int rows) {
        return this;
    }

    @Override
    public Result[] baseRows(List<byte[]> rows) throws IOException {
        alive.run();
        List<Get> gets = rows.stream()
                .map(Get::new)
                .map(definition::addReadColumns)
                .map(get -> ProtectedCells.leftOut(definition, get))
                .toList();
        try (Table table = connection.getTable(definition.table())) {
            return table.get(gets);
        }
    }

    @Override
    public Result[] indexRows(List<byte[]> keys) throws IOException {
        alive.run();
        List<Get> gets = keys.stream().map(definition.entryFormat()::get).toList();
        try (Table table = connection.getTable(definition.indexTable())) {
            return table.get(gets);
        }
    }

    @Override
    public long[] latestStamps(List<byte[]> rows) throws IOException {
        alive.run();
        return new StampCalls(connection, definition.table()).latest(rows);
    }

    @Override
    public long drain(Duration timeout) throws IOException {
        alive.run();
        return IndexGenerations.drain(connection, definition, timeout).remaining();
    }

    @Override
    public void repair(List<RowRepair> repairs) throws IOException {
        alive.run();
        new RepairCalls(connection, definition).run(repairs);
    }

    @Override
    public void delete(List<Delete> deletes) throws IOException {
        alive.run();
        try (Table table = connection.getTable(definition.indexTable())) {
            table.delete(new ArrayList<>(deletes));
        }
    }
}
