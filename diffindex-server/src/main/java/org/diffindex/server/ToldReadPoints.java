package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.collect.MapMaker;
import org.diffindex.model.KeyOrder;
import org.diffindex.model.ReadPoint;

/**
 * Tells the scans of an index region that ask for it at which read point they read, with the first row of each response.
 *
 * <p>Keeps the region readable at each read point that a scan was told, for at least a minute or until the region
 * is closed: during that time a scan that has continued with the next region can check what it found here. Otherwise a
 * flush would keep only the newer cell of an entry that was put again, and the entry would look as if it were new.
 *
 * <p>An expired read point is released before the next flush, or when another scan is told one. Thread-safe.
 */
final class ToldReadPoints implements Closeable {
    private static final long NEEDED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Region region;
    private final LongSupplier nanoTime;

    /** The open scanners of scans that are to be told, with the first key that each of them reads. */
    private final Map<InternalScanner, byte[]> telling =
            new MapMaker().weakKeys().makeMap();

    /** The held read points, oldest first. Guarded by this. */
    private final Deque<Held> held = new ArrayDeque<>(0);

    /**
     * A scanner that holds its read point, and thereby all later ones, since a time on the clock of {@code nanoTime}.
     */
    private record Held(RegionScanner scanner, long since) {}

    /**
     * Creates an instance that holds no read point.
     *
     * @param nanoTime as {@link System#nanoTime}
     */
    ToldReadPoints(Region region, LongSupplier nanoTime) {
        this.region = region;
        this.nanoTime = nanoTime;
    }

    /** Remembers the scanner that was opened for a scan, if the scan asks to be told. */
    void opened(Scan scan, RegionScanner scanner) {
        if (ReadPoint.isAskedBy(scan)) {
            telling.put(scanner, firstKey(scan, scanner.getRegionInfo()));
        }
    }

    /** Returns the first key of a region that a scan reads. */
    private static byte[] firstKey(Scan scan, RegionInfo region) {
        byte[] start = scan.includeStartRow() ? scan.getStartRow() : KeyOrder.firstAfter(scan.getStartRow());
        return Bytes.compareTo(start, region.getStartKey()) > 0 ? start : region.getStartKey();
    }

    /**
     * Adds the read point of a scanner to the first of the rows that it has returned, if its scan asks for that and there
     * are any, and holds it.
     *
     * @throws IOException as {@link #hold} does
     */
    void tell(InternalScanner scanner, List<Result> rows) throws IOException {
        byte[] start = telling.get(scanner);
        if (!rows.isEmpty() && start != null && scanner instanceof RegionScanner open) {
            byte[] end = open.getRegionInfo().getEndKey();
            ReadPoint point = new ReadPoint(open.getMvccReadPoint(), ByteBuffer.wrap(start), ByteBuffer.wrap(end));
            hold(point.point());
            rows.set(0, with(point, rows.get(0)));
        }
    }

    private static Result with(ReadPoint point, Result row) {
        List<Cell> cells = new ArrayList<>(List.of(row.rawCells()));
        cells.add(point.toCell(row.getRow()));
        return Result.create(cells, row.getExists(), row.isStale(), row.mayHaveMoreCellsInRow());
    }

    /**
     * Holds a read point that a scan is told, unless a scanner held for less than a minute covers it. The scan's own
     * scanner must be open, so that nothing visible at the read point has been dropped. Has no effect if the region is
     * closing.
     *
     * @throws IOException if a scanner cannot be opened or closed
     */
    synchronized void hold(long readPoint) throws IOException {
        letGo();
        long now = nanoTime.getAsLong();
        boolean isHeldLongEnough = held.stream()
                .anyMatch(each -> now - each.since < NEEDED_NANOS && each.scanner.getMvccReadPoint() <= readPoint);
        if (!isHeldLongEnough) {
            try {
                held.addLast(new Held(EmptyScan.open(region, readPoint), now));
            } catch (NotServingRegionException closing) {
                // Nothing can be held: the region's next server does not know this one's read points.
            }
        }
    }

    /**
     * Releases the expired read points, those held for more than two minutes: during the first, a read point also
     * covers scans that are told a later one, and the last of these needs it for another minute.
     */
    synchronized void letGo() throws IOException {
        while (!held.isEmpty() && nanoTime.getAsLong() - held.peekFirst().since > 2 * NEEDED_NANOS) {
            held.removeFirst().scanner.close();
        }
    }

    /** Releases all read points. Later calls of {@link #hold} may hold further ones. */
    @Override
    public synchronized void close() throws IOException {
        while (!held.isEmpty()) {
            held.removeFirst().scanner.close();
        }
    }
}
