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
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexGenerations;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.KeyOrder;
import org.diffindex.model.ProtectedCells;
import org.diffindex.tasks.Regions;

/** The base and index table of one index on a cluster. */
final class ClusterTables implements ScrubTables {
    /** The most rows that a scanner may fetch in one call. */
    static final int MOST_TOGETHER = 5_000;

    private final Connection connection;
    private final IndexDefinition definition;
    private final int together;

    /**
     * Creates the tables of an index.
     *
     * @param together how many rows a scanner fetches in one call
     */
    ClusterTables(Connection connection, IndexDefinition definition, int together) {
        this.connection = connection;
        this.definition = definition;
        this.together = together;
    }

    @Override
    public List<ScrubRange> baseRanges() throws IOException {
        return ranges(definition.table());
    }

    @Override
    public List<ScrubRange> indexRanges() throws IOException {
        return ranges(definition.indexTable());
    }

    private List<ScrubRange> ranges(TableName name) throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(name);
                Table table = connection.getTable(name)) {
            List<byte[]> starts = Regions.of(locator).stream()
                    .map(location -> location.getRegion().getStartKey())
                    .toList();
            return ScrubRange.startingAt(
                    starts, firstKey(table, new Scan()), firstKey(table, new Scan().setReversed(true)));
        }
    }

    /** Returns the key of the first row; reads no more than one cell of it. */
    private static byte[] firstKey(Table table, Scan scan) throws IOException {
        scan.setLimit(1).setFilter(new FirstKeyOnlyFilter());
        try (ResultScanner scanner = table.getScanner(scan)) {
            Result result = scanner.next();
            return result == null ? new byte[0] : result.getRow();
        }
    }

    @Override
    public void scanBase(ScrubRange range, Rows rows) throws IOException {
        Scan read = ProtectedCells.leftOut(definition, definition.addReadColumns(new Scan()));
        scan(definition.table(), read, range, rows);
    }

    @Override
    public void scanIndex(ScrubRange range, Rows rows) throws IOException {
        scan(definition.indexTable(), definition.entryFormat().scan(), range, rows);
    }

    /**
     * Scans page by page, each page with a scanner of its own, up to the key that is the last now: rows that are appended
     * faster than a paced scrub reads would keep it from ending. If a scanner is lost while regions merge, HBase's client
     * opens the merged region at the read point of the one before, and passes over rows of the other; so no scanner lives
     * longer than the calls of a page, one unless its rows are large.
     */
    private void scan(TableName name, Scan scan, ScrubRange range, Rows rows) throws IOException {
        try (Table table = connection.getTable(name)) {
            byte[] end = firstKey(table, range.reversed());
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
        byte[] last = null;
        int met = 0;
        try (ResultScanner results = table.getScanner(page)) {
            for (Result row = results.next(); row != null; row = results.next()) {
                rows.next(row);
                last = row.getRow();
                met++;
            }
        }
        return met < together ? Optional.empty() : Optional.of(last);
    }

    @Override
    public Result[] baseRows(List<byte[]> rows) throws IOException {
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
        List<Get> gets = keys.stream().map(definition.entryFormat()::get).toList();
        try (Table table = connection.getTable(definition.indexTable())) {
            return table.get(gets);
        }
    }

    @Override
    public long[] latestStamps(List<byte[]> rows) throws IOException {
        return new StampCalls(connection, definition.table()).latest(rows);
    }

    @Override
    public long drain(Duration timeout) throws IOException {
        return IndexGenerations.drain(connection, definition, timeout).remaining();
    }

    @Override
    public void repair(List<RowRepair> repairs) throws IOException {
        new RepairCalls(connection, definition).run(repairs);
    }

    @Override
    public void delete(List<Delete> deletes) throws IOException {
        try (Table table = connection.getTable(definition.indexTable())) {
            table.delete(new ArrayList<>(deletes));
        }
    }
}
