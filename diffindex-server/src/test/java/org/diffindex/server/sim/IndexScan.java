package org.diffindex.server.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.KeyOrder;
import org.diffindex.model.ReadPoint;

/**
 * A scan of an index table. It reads each region as of the moment at which the scan reaches it, or resumes on another
 * server.
 */
final class IndexScan implements ResultScanner {
    private final IndexTable table;
    private final Scan scan;
    private final Deque<Result> page = new ArrayDeque<>();
    private final byte[] stop;
    private final ScanMetrics metrics = new ScanMetrics();
    private byte[] position;
    private RegionInfo region;
    private Server server;
    private int readPoint;
    private byte[] openedAt;
    private int fetched;
    private boolean over;

    IndexScan(IndexTable table, Scan scan) {
        this.table = table;
        this.scan = scan;
        this.position = scan.includeStartRow() ? scan.getStartRow() : KeyOrder.firstAfter(scan.getStartRow());
        this.stop = scan.getStopRow();
    }

    @Override
    public Result next() {
        while (page.isEmpty() && !over) {
            fetch();
        }
        return page.poll();
    }

    @Override
    public Result[] next(int most) {
        List<Result> results = new ArrayList<>();
        while (results.size() < most) {
            Result next = next();
            if (next == null) {
                break;
            }
            results.add(next);
        }
        return results.toArray(Result[]::new);
    }

    /** Makes one call to one region. */
    private void fetch() {
        RegionInfo here = table.regions.of(position);
        if (region != null && !here.equals(region)) {
            table.takesItsTime("goes to the next region of");
        }
        table.awaitRead("scans");
        if (!here.equals(region) || table.server != server) {
            region = here;
            server = table.server;
            metrics.countOfRegions.incrementAndGet();
            readPoint = table.regions.now();
            openedAt = position;
        }
        int left = scan.getLimit() > 0 ? scan.getLimit() - fetched : Integer.MAX_VALUE;
        int most = Math.min(left, scan.getCaching());
        List<Map.Entry<byte[], Cell>> found =
                inRange().entrySet().stream().filter(this::isAskedFor).toList();
        found.stream().limit(most).forEach(entry -> page.add(toResult(entry.getValue())));
        fetched += page.size();
        if (found.size() > most) {
            position = KeyOrder.firstAfter(page.getLast().getRow());
        } else {
            position = region.getEndKey();
        }
        boolean atEnd = position.length == 0 || (stop.length > 0 && Bytes.compareTo(position, stop) >= 0);
        over = atEnd || fetched == scan.getLimit();
        table.pause("has the answer to its scan");
    }

    private NavigableMap<byte[], Cell> inRange() {
        NavigableMap<byte[], Cell> cells = table.regions.at(readPoint).tailMap(position, true);
        byte[] end = region.getEndKey();
        cells = end.length == 0 ? cells : cells.headMap(end, false);
        return stop.length == 0 || (end.length > 0 && Bytes.compareTo(end, stop) <= 0)
                ? cells
                : cells.headMap(stop, false);
    }

    private boolean isAskedFor(Map.Entry<byte[], Cell> entry) {
        OptionalLong since = ReadPoint.since(scan);
        return since.isEmpty() || table.regions.at(since.getAsLong()).get(entry.getKey()) != entry.getValue();
    }

    private Result toResult(Cell cell) {
        List<Cell> cells = new ArrayList<>(List.of(cell));
        if (page.isEmpty() && ReadPoint.isAskedBy(scan) && table.tellsReadPoints()) {
            ReadPoint point = new ReadPoint(readPoint, ByteBuffer.wrap(openedAt), ByteBuffer.wrap(region.getEndKey()));
            cells.add(point.toCell(Arrays.copyOfRange(
                    cell.getRowArray(), cell.getRowOffset(), cell.getRowOffset() + cell.getRowLength())));
        }
        return Result.create(cells);
    }

    @Override
    public void close() {
        over = true;
    }

    @Override
    public boolean renewLease() {
        return true;
    }

    @Override
    public ScanMetrics getScanMetrics() {
        return metrics;
    }
}
