package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.PlainFileSystem;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a server that dies while an index is created on a table that has another one, and a second server that fails in
 * the middle of the replay, after a flush in it: what was flushed has new stamps, on disk, and the rest of the WAL is
 * replayed once more.
 */
class FlushedInAReplayTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] B = Bytes.toBytes("B");
    private static final byte[] LARGE = Bytes.toBytes("large");
    private static final byte[] ROW = Bytes.toBytes("row");
    private static final byte[] OTHER = Bytes.toBytes("other");
    private static final int FLUSH_BYTES = 64 << 10;

    @TempDir
    Path folder;

    private ManualClock clock;
    private FakeConnection network;
    private LocalTable table;

    /** Ends a replay at an edit that has a cell of the column "stop", once. */
    public static final class StopsOnce implements RegionCoprocessor, RegionObserver {
        private static final AtomicBoolean STOPS = new AtomicBoolean();

        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void preWALRestore(
                ObserverContext<? extends RegionCoprocessorEnvironment> context,
                RegionInfo info,
                WALKey key,
                WALEdit edit)
                throws IOException {
            boolean isLast =
                    edit.getCells().stream().anyMatch(cell -> CellUtil.matchingQualifier(cell, Bytes.toBytes("stop")));
            if (isLast && STOPS.getAndSet(false)) {
                throw new IOException("The server stops");
            }
        }
    }

    @BeforeEach
    void open() throws IOException {
        clock = ManualClock.install(START);
        network = new FakeConnection(TableShape.VERSIONS_1.bare());
        table = TableShape.VERSIONS_1.openBare(folder, network);
    }

    @AfterEach
    void close() throws IOException {
        table.close();
        clock.close();
    }

    private IndexDefinition index(String name, String column, IndexScheme scheme) throws IOException {
        IndexDefinition index = IndexDefinition.builder(TableShape.NAME, name)
                .column("f", column, ColumnTypes.STRING)
                .scheme(scheme)
                .build();
        network.serveIndex(index.indexTable());
        return index;
    }

    private void put(Put put) throws IOException {
        clock.move(1);
        table.regionOf(ROW).put(put);
    }

    private static Put ofRow(String value) {
        return new Put(ROW).addColumn(F, A, Bytes.toBytes(value));
    }

    /** Under sync-insert nothing is deleted here. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SYNC_INSERT")
    void theRestOfTheReplayHasLaterStampsThanWhatWasFlushed(IndexScheme scheme) throws IOException {
        IndexDefinition existing = index("existing", "A", scheme);
        failInAReplay(existing);
        table.openElsewhere();
        assertThat(table.drain()).isZero();
        assertThat(table.entries(existing)).isEqualTo(expected(existing));
    }

    /** The flush has recorded the stamps. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SYNC_INSERT")
    void theRestOfTheReplayHasLaterStampsThanWhatCannotBeRead(IndexScheme scheme) throws IOException {
        IndexDefinition existing = index("existing", "A", scheme);
        failInAReplay(existing);
        Path files = folder.resolve("diffindex").resolve("spill");
        PlainFileSystem.outageOfReadsIn(files, true);
        try {
            table.openElsewhere();
        } finally {
            PlainFileSystem.outageOfReadsIn(files, false);
        }
        assertThat(table.drain()).isZero();
        assertThat(table.entries(existing)).isEqualTo(expected(existing));
    }

    private void failInAReplay(IndexDefinition existing) throws IOException {
        IndexDefinition created = index("created", "B", IndexScheme.SYNC_FULL);
        TableDescriptor before = TableDescriptorBuilder.newBuilder(
                        IndexDefinitions.with(TableShape.VERSIONS_1.bare(), existing))
                .setCoprocessor(StopsOnce.class.getName())
                .build();
        table.alter(before);
        put(ofRow("home"));
        put(new Put(OTHER).addColumn(F, B, Bytes.toBytes("no index has it yet")));
        put(ofRow("away").addColumn(F, LARGE, new byte[2 * FLUSH_BYTES]));
        put(ofRow("home").addColumn(F, Bytes.toBytes("stop"), Bytes.toBytes("here")));
        assertThat(table.drain()).isZero();
        assertThat(table.entries(existing)).isEqualTo(expected(existing));
        table.die();
        clock.move(10);
        table.set(HConstants.HREGION_MEMSTORE_FLUSH_SIZE, FLUSH_BYTES);
        StopsOnce.STOPS.set(true);
        assertThatThrownBy(() -> table.recover(IndexDefinitions.with(before, created)))
                .hasStackTraceContaining("The server stops");
        clock.move(10);
    }

    private NavigableSet<String> expected(IndexDefinition index) throws IOException {
        return LocalTable.expected(index, table.visible(List.of("row", "other")));
    }
}
