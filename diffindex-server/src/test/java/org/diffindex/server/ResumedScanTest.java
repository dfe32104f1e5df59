package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
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
 * Tests scans of an index table that lose their scanner, on real regions. HBase's client opens another one with the read
 * point of the lost one, whatever region holds the rest of the range by then.
 */
class ResumedScanTest {
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final byte[] QUALIFIER = Bytes.toBytes("A");
    private static final long STAMP = 1_700_000_000_000L;

    @TempDir
    Path folder;

    private LocalTable table;

    @BeforeEach
    void open() throws IOException {
        table = TableShape.VERSIONS_1.openBare(folder, new FakeConnection(TableShape.VERSIONS_1.bare()));
    }

    @AfterEach
    void close() throws IOException {
        table.close();
    }

    @Test
    void findsWhatTheOtherRegionOfAMergeHeldLongBefore() throws IOException {
        put("a", STAMP);
        put("c", STAMP);
        table.split(Bytes.toBytes("m"));
        List<String> others = IntStream.range(10, 60).mapToObj(i -> "n" + i).toList();
        for (String key : others) {
            put(key, STAMP);
        }
        long point = pointOfALostScanner("a");
        table.merge();
        assertThat(resumed("b", point)).hasSize(1 + others.size()).containsAll(others);
    }

    /** A flush keeps only the newest of the cells of an entry, which is newer than the read point. */
    @Test
    void findsAnEntryThatWasPutAgainAndFlushed() throws IOException {
        put("a", STAMP);
        put("k", STAMP);
        long point = pointOfALostScanner("a");
        put("k", STAMP + 1);
        table.flush();
        assertThat(resumed("b", point)).containsExactly("k");
    }

    /** HBase compacts a daughter at once. */
    @Test
    void findsAnEntryThatWasPutAgainInARegionThatSplits() throws IOException {
        put("a", STAMP);
        put("k", STAMP);
        long point = pointOfALostScanner("a");
        put("k", STAMP + 1);
        table.split(Bytes.toBytes("m"));
        table.compact();
        assertThat(resumed("b", point)).containsExactly("k");
    }

    private void put(String key, long stamp) throws IOException {
        byte[] row = Bytes.toBytes(key);
        table.regionOf(row).put(new Put(row).addColumn(FAMILY, QUALIFIER, stamp, Bytes.toBytes("x")));
    }

    /** Reads the first entry of the region of a key; returns the read point of the scanner, which is lost then. */
    private long pointOfALostScanner(String key) throws IOException {
        try (RegionScanner scanner = table.regionOf(Bytes.toBytes(key)).getScanner(new Scan())) {
            scanner.next(new ArrayList<>());
            return scanner.getMvccReadPoint();
        }
    }

    /** Returns the keys of the region that holds a key now, from there on, as a scan with such a read point sees them. */
    private List<String> resumed(String key, long point) throws IOException {
        HRegion region = table.regionOf(Bytes.toBytes(key));
        Scan scan = new Scan().withStartRow(Bytes.toBytes(key));
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, point);
        openThroughTheGuard(region, scan);
        List<String> keys = new ArrayList<>();
        try (RegionScanner scanner = region.getScanner(scan)) {
            boolean more = true;
            while (more) {
                List<Cell> cells = new ArrayList<>();
                more = scanner.next(cells);
                cells.forEach(cell -> keys.add(Bytes.toString(CellUtil.cloneRow(cell))));
            }
        }
        return keys;
    }

    @SuppressWarnings("unchecked") // a mock of a generic interface
    private static void openThroughTheGuard(HRegion region, Scan scan) throws IOException {
        RegionCoprocessorEnvironment env = mock(RegionCoprocessorEnvironment.class);
        when(env.getRegion()).thenReturn(region);
        when(env.getRegionInfo()).thenReturn(region.getRegionInfo());
        when(env.getSharedData()).thenReturn(new ConcurrentHashMap<>());
        ObserverContext<RegionCoprocessorEnvironment> context = mock(ObserverContext.class);
        when(context.getEnvironment()).thenReturn(env);
        IndexTableGuard guard = new IndexTableGuard();
        guard.start(env);
        try {
            guard.preScannerOpen(context, scan);
        } finally {
            guard.stop(env);
        }
    }
}
