package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a server that dies while it replays writes from before an index, after it has parked them on disk with new
 * stamps. Nothing but these files tells the stamps.
 */
class ParkedInAReplayTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] ROW = Bytes.toBytes("row");

    @TempDir
    Path folder;

    private ManualClock clock;
    private FakeConnection network;
    private LocalTable table;

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

    private void put(String value) throws IOException {
        clock.move(1);
        table.regionOf(ROW).put(new Put(ROW).addColumn(F, A, Bytes.toBytes(value)));
    }

    @Test
    void theNextServerContinuesFromTheStampsInTheFiles() throws IOException {
        IndexDefinition created = IndexDefinition.builder(TableShape.NAME, "created")
                .column("f", "A", ColumnTypes.STRING)
                .scheme(IndexScheme.SYNC_FULL)
                .build();
        network.serveIndex(created.indexTable());
        TableDescriptor descriptor = IndexDefinitions.with(TableShape.VERSIONS_1.bare(), created);
        put("first");
        put("old");
        table.die();
        clock.move(20_000); // the clock of the next server is ahead
        table.set(Settings.QUEUE_MAX_BYTES, 1);
        table.set("hbase.hstore.flush.retries.number", 1);
        Path stamps = folder.resolve("diffindex").resolve("stamps");
        PlainFileSystem.failNextIn(stamps);
        assertThatThrownBy(() -> table.recover(descriptor)).isInstanceOf(IOException.class);
        assertThat(PlainFileSystem.hasFailedIn(stamps)).isTrue();
        clock.move(-19_900);
        table.set(Settings.QUEUE_MAX_BYTES, 1 << 20);
        table.openElsewhere();
        assertThat(table.drain()).isZero();
        table.backfill(created);
        put("new");
        assertThat(table.drain()).isZero();
        assertThat(table.entries(created)).isEqualTo(LocalTable.expected(created, table.visible(List.of("row"))));
    }
}
