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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Of a row that is written often, a replay gives stamps further ahead than the clocks of servers may differ. */
    @ParameterizedTest
    @ValueSource(ints = {20_000, 60_000})
    void theNextServerContinuesFromTheStampsInTheFiles(int ahead) throws IOException {
        IndexDefinition created = parkInAReplayThatFails(ahead);
        clock.move(100 - ahead);
        table.openElsewhere();
        assertThat(table.drain()).isZero();
        table.backfill(created);
        writesAreIndexed(created);
    }

    @Test
    void theNextServerContinuesFromTheStampsInFilesThatItCannotReadAtFirst() throws IOException {
        IndexDefinition created = parkInAReplayThatFails(20_000);
        clock.move(-19_900);
        Path files = folder.resolve("diffindex").resolve("spill");
        PlainFileSystem.outageOfReadsIn(files, true);
        try {
            table.openElsewhere();
        } finally {
            PlainFileSystem.outageOfReadsIn(files, false);
        }
        assertThat(table.drain()).isZero();
        writesAreIndexed(created);
    }

    /** Returns the index that is being created. */
    private IndexDefinition parkInAReplayThatFails(int ahead) throws IOException {
        IndexDefinition created = IndexDefinition.builder(TableShape.NAME, "created")
                .column("f", "A", ColumnTypes.STRING)
                .scheme(IndexScheme.SYNC_FULL)
                .build();
        network.serveIndex(created.indexTable());
        TableDescriptor descriptor = IndexDefinitions.with(TableShape.VERSIONS_1.bare(), created);
        put("first");
        put("old");
        table.die();
        clock.move(ahead); // the clock of the next server is ahead
        table.set(Settings.QUEUE_MAX_BYTES, 1);
        table.set("hbase.hstore.flush.retries.number", 1);
        Path stamps = folder.resolve("diffindex").resolve("stamps");
        PlainFileSystem.failNextIn(stamps);
        assertThatThrownBy(() -> table.recover(descriptor)).isInstanceOf(IOException.class);
        assertThat(PlainFileSystem.hasFailedIn(stamps)).isTrue();
        table.set(Settings.QUEUE_MAX_BYTES, 1 << 20);
        return created;
    }

    private void writesAreIndexed(IndexDefinition index) throws IOException {
        put("new");
        assertThat(table.drain()).isZero();
        assertThat(table.entries(index)).isEqualTo(LocalTable.expected(index, table.visible(List.of("row"))));
    }
}
