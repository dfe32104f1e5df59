package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What flushes keep of the past, by the oldest read point that the region has for them. */
class RegionHistoryTest {
    private static final byte[] ROW = Bytes.toBytes("row");
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");

    @TempDir
    Path folder;

    private final Platform platform = new Platform();
    private final AtomicLong neededFrom = new AtomicLong(Long.MAX_VALUE);
    private ManualClock clock;
    private LocalTable table;
    private HRegion region;
    private RegionHistory history;

    @BeforeEach
    void open() throws IOException {
        clock = ManualClock.install(1_700_000_000_000L);
        table = TableShape.VERSIONS_1.openBare(folder, new FakeConnection(TableShape.VERSIONS_1.bare()));
        region = table.regionOf(ROW);
        history = new RegionHistory(region, neededFrom::get, () -> platform.smallestReadPoint(region));
        put("first");
    }

    @AfterEach
    void close() throws IOException {
        history.close();
        table.close();
        clock.close();
    }

    private void put(String value) throws IOException {
        region.put(new Put(ROW).addColumn(F, A, Bytes.toBytes(value)));
    }

    private long oldest() {
        return platform.smallestReadPoint(region);
    }

    @Test
    void keepsWhatIsNeededAndNoMore() throws IOException {
        long needed = oldest();
        neededFrom.set(needed);
        history.keep();
        put("second");
        assertThat(oldest()).isEqualTo(needed);
        neededFrom.set(Long.MAX_VALUE);
        history.forget();
        assertThat(oldest()).isGreaterThan(needed);
    }

    /**
     * A write that was let in waits for a row, and is applied when the region closes already: then no scanner can be opened for
     * it any more, and the last flush would leave out what it has deleted.
     */
    @Test
    void inARegionThatClosesKeepsWhatWritesWillNeedThatAreInside() throws IOException {
        long before = oldest();
        history.keepToTheEnd();
        region.delete(new Delete(ROW));
        history.forget();
        history.keep();
        assertThat(oldest()).isEqualTo(before);
    }

    @Test
    void inARegionThatClosesKeepsWhatIsNeededBesides() throws IOException {
        long needed = oldest();
        put("second");
        neededFrom.set(needed);
        history.keepToTheEnd();
        put("third");
        assertThat(oldest()).isEqualTo(needed);
        history.close();
        assertThat(oldest()).isGreaterThan(needed);
    }
}
