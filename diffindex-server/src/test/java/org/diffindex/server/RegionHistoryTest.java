package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what flushes keep of the past, by the oldest read point that the region has for them. */
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
        history = new RegionHistory(region, neededFrom::get, () -> platform.smallestReadPoint(region), () -> true);
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
    void keepsOnlyTheNeededPast() throws IOException {
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
     * A write that was admitted waits for a row, and is applied while the region is already closing. No scanner can be
     * opened for it then, and the last flush would drop what it has deleted.
     */
    @Test
    void aClosingRegionKeepsThePastForWritesInFlight() throws IOException {
        long before = oldest();
        history.keepToTheEnd();
        region.delete(new Delete(ROW));
        history.forget();
        history.keep();
        assertThat(oldest()).isEqualTo(before);
    }

    @Test
    void aClosingRegionKeepsAnOlderPastThatIsNeeded() throws IOException {
        long needed = oldest();
        put("second");
        neededFrom.set(needed);
        history.keepToTheEnd();
        put("third");
        assertThat(oldest()).isEqualTo(needed);
        history.close();
        assertThat(oldest()).isGreaterThan(needed);
    }

    @ParameterizedTest
    @EnumSource(
            value = Cell.Type.class,
            names = {"Delete", "DeleteFamilyVersion"})
    void aTombstoneOfOneVersionNeedsAllVersions(Cell.Type type) {
        history.applied(cell(type), 7);
        assertThat(history.needsAllVersions()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Cell.Type.class,
            names = {"Put", "DeleteColumn", "DeleteFamily"})
    void aCellThatRevealsNoOlderVersionDoesNotNeedAllVersions(Cell.Type type) {
        history.applied(cell(type), 7);
        assertThat(history.needsAllVersions()).isFalse();
    }

    /** A flush trims nothing as long as it might drop the version that the tombstone reveals. */
    @Test
    void aFlushAfterATombstoneOfOneVersionTrimsNothing() throws IOException {
        try (LocalTable indexed = TableShape.VERSIONS_1.open(
                folder.resolve("indexed"), clock, new FakeConnection(TableShape.VERSIONS_1.bare()))) {
            HRegion other = indexed.regionOf(ROW);
            BaseProbe probe = other.getCoprocessorHost().findCoprocessor(BaseProbe.class);
            other.put(new Put(ROW).addColumn(F, A, Bytes.toBytes("first")));
            assertThat(indexed.drain()).isZero();
            other.flush(true);
            assertThat(probe.versionsOfLastFlush).isEqualTo(1);

            other.delete(new Delete(ROW).addColumn(F, A));
            other.flush(true);

            assertThat(probe.versionsOfLastFlush).isEqualTo(Integer.MAX_VALUE);
        }
    }

    /** In such a family HBase would drop from the past what it drops from the present. */
    @Test
    void aCompactionOfFilesWithANeededPastKeepsAllUnderNewVersionBehavior() throws IOException {
        region.flush(true);
        Collection<HStoreFile> files = region.getStore(F).getStorefiles();
        long newest =
                files.stream().mapToLong(HStoreFile::getMaxSequenceId).max().orElseThrow();
        ColumnFamilyDescriptor classic = region.getStore(F).getColumnFamilyDescriptor();
        ColumnFamilyDescriptor other = ColumnFamilyDescriptorBuilder.newBuilder(classic)
                .setNewVersionBehavior(true)
                .build();
        assertThat(history.needsAllOf(other, files)).isFalse();
        neededFrom.set(newest);
        assertThat(history.needsAllOf(other, files)).isFalse();
        neededFrom.set(newest - 1);
        assertThat(history.needsAllOf(other, files)).isTrue();
        assertThat(history.needsAllOf(classic, files)).isFalse();
    }

    private static Cell cell(Cell.Type type) {
        return CellBuilderFactory.create(CellBuilderType.SHALLOW_COPY)
                .setRow(ROW)
                .setFamily(F)
                .setQualifier(A)
                .setTimestamp(1)
                .setType(type)
                .build();
    }
}
