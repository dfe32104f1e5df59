package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a region with one version, like an index table's, can be read at a read point that an earlier scan was
 * told.
 */
class ToldReadPointsTest {
    private static final byte[] ENTRY = Bytes.toBytes("key");
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] Q = Bytes.toBytes("A");
    private static final long STAMP = 1_700_000_000_000L;

    @TempDir
    Path folder;

    private LocalTable table;
    private HRegion region;
    private ToldReadPoints told;
    private long nanoTime;

    @BeforeEach
    void open() throws IOException {
        table = TableShape.VERSIONS_1.openBare(folder, new FakeConnection(TableShape.VERSIONS_1.bare()));
        region = table.regionOf(ENTRY);
        told = new ToldReadPoints(region, () -> nanoTime);
    }

    @AfterEach
    void close() throws IOException {
        told.close();
        table.close();
    }

    /** The AUQ, a retry, or the replay after a crash of the base's server may deliver an entry again. */
    @Test
    void anEntryThatIsDeliveredAgainRemainsVisibleAtTheReadPoint() throws IOException {
        put(STAMP);
        long point = scanned();
        put(STAMP);
        assertThat(asOf(point)).as("before a flush").hasSize(1);
        flush();
        assertThat(asOf(point)).as("after a flush").hasSize(1);
    }

    @Test
    void anEntryThatALostWriteReplacedRemainsVisibleAtTheReadPoint() throws IOException {
        put(STAMP);
        long point = scanned();
        put(STAMP + 1);
        assertThat(asOf(point)).as("before a flush").hasSize(1);
        flush();
        assertThat(asOf(point)).as("after a flush").hasSize(1);
    }

    @Test
    void anEntryThatIsDeliveredAgainIsNotNew() throws IOException {
        put(STAMP);
        long point = scanned();
        put(STAMP);
        flush();
        List<Cell> since = read(new Scan().setFilter(new PutSince(region, point)));
        List<Cell> met = asOf(point);
        assertThat(since.size()).as("new entries that SecondLook does not know").isLessThanOrEqualTo(met.size());
    }

    @Test
    void findsEntriesPutSinceTheReadPointAfterAFlushAndACompaction() throws IOException {
        long point = scanned();
        put(STAMP);
        flush();
        region.compact(true);
        assertThat(read(new Scan().setFilter(new PutSince(region, point)))).hasSize(1);
    }

    /** A region that reopens after a crash continues with higher sequence numbers than any scan's read point. */
    @Test
    void findsEntriesPutSinceTheReadPointAfterACrash() throws IOException {
        put(STAMP);
        flush();
        put(STAMP + 1);
        flush();
        region.compact(true);
        long point = scanned();
        table.die();
        table.recover();
        region = table.regionOf(ENTRY);
        assertThat(region.getMVCC().getReadPoint()).isGreaterThanOrEqualTo(point);
        put(STAMP + 2);
        assertThat(read(new Scan().setFilter(new PutSince(region, point)))).hasSize(1);
    }

    @Test
    void findsEntriesPutSinceTheReadPointAfterACrashWithoutAFlush() throws IOException {
        put(STAMP);
        long point = scanned();
        table.die();
        table.recover();
        region = table.regionOf(ENTRY);
        put(STAMP + 2);
        assertThat(read(new Scan().setFilter(new PutSince(region, point)))).hasSize(1);
    }

    @Test
    void aLaterScanIsServedAsLongAsTheFirst() throws IOException {
        put(STAMP);
        scanned();
        nanoTime += TimeUnit.SECONDS.toNanos(59);
        put(STAMP + 1);
        long point = scanned();
        nanoTime += TimeUnit.SECONDS.toNanos(60);
        put(STAMP + 2);
        flush();
        assertThat(asOf(point)).singleElement().extracting(Cell::getTimestamp).isEqualTo(STAMP + 1);
    }

    @Test
    void servesAScanWithAnOlderReadPointThanThoseHeld() throws IOException {
        put(STAMP);
        long point;
        try (RegionScanner slow = region.getScanner(new Scan())) {
            put(STAMP + 1);
            scanned();
            point = slow.getMvccReadPoint();
            told.hold(point);
        }
        put(STAMP + 2);
        flush();
        assertThat(asOf(point)).singleElement().extracting(Cell::getTimestamp).isEqualTo(STAMP);
    }

    @Test
    void releasesAReadPointThatIsNoLongerNeeded() throws IOException {
        put(STAMP);
        long point = scanned();
        put(STAMP + 1);
        nanoTime += TimeUnit.SECONDS.toNanos(121);
        flush();
        assertThat(asOf(point)).isEmpty();
    }

    @Test
    void holdsNothingInARegionThatIsClosed() throws IOException {
        region.close();
        told.hold(1);
    }

    /** Flushes as the coprocessor of an index table does. */
    private void flush() throws IOException {
        told.letGo();
        region.flush(true);
    }

    private void put(long stamp) throws IOException {
        region.put(new Put(ENTRY).addColumn(F, Q, stamp, Bytes.toBytes("x")));
    }

    /** Scans the region to its end, and returns the scan's read point. */
    private long scanned() throws IOException {
        try (RegionScanner scanner = region.getScanner(new Scan())) {
            scanner.next(new ArrayList<>());
            told.hold(scanner.getMvccReadPoint());
            return scanner.getMvccReadPoint();
        }
    }

    private List<Cell> asOf(long point) throws IOException {
        Scan scan = new Scan(new Get(ENTRY));
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, point);
        return read(scan);
    }

    private List<Cell> read(Scan scan) throws IOException {
        List<Cell> cells = new ArrayList<>();
        try (RegionScanner scanner = region.getScanner(scan)) {
            scanner.next(cells);
        }
        return cells;
    }
}
