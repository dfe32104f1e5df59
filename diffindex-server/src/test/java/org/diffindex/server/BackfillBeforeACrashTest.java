package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.LateIndexes;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what the next server does with an entry that a backfill put at a stamp of its own. */
class BackfillBeforeACrashTest {
    private static final long START = 1_700_000_000_000L;
    private static final long AHEAD = START + Duration.ofDays(1).toMillis();
    private static final long FAR_BACK = -Duration.ofMinutes(1).toMillis();
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] ROW = Bytes.toBytes("r");

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

    /** The clock of the next server is behind. Under sync-insert nothing is deleted. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SYNC_INSERT")
    void theNextWriteAfterACrashReplacesABackfilledEntryFromTheFuture(IndexScheme scheme) throws IOException {
        put("old", AHEAD);
        LateIndexes late = new LateIndexes(table, network.faults, "ahead");
        IndexDefinition index = late.create(scheme);
        clock.move(5);
        late.backfill(index);
        table.die();
        clock.move(-5);
        table.recover();
        put("new", AHEAD + 1);
        assertThat(table.drain()).isZero();
        assertThat(table.entries(index)).isEqualTo(LocalTable.expected(index, table.visible(List.of("r"))));
    }

    /**
     * The timestamp was ahead of the clock when the client gave it, and is past when the page reads the row. The write
     * has a stamp, which is earlier. For the next server the timestamp is too far ahead to be one of a server.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SYNC_INSERT")
    void theNextWriteAfterACrashReplacesAnEntryBackfilledAtATimeOfAClientThatTheClockHasPassed(IndexScheme scheme)
            throws IOException {
        IndexDefinition index = crashAfterABackfillAtAPassedTime(scheme);
        put("new", START + 16);
        assertThat(table.drain()).isZero();
        assertThat(table.entries(index)).isEqualTo(LocalTable.expected(index, table.visible(List.of("r"))));
    }

    /** As above, but the next write leaves its timestamp to the server: it deletes the newest version. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SYNC_INSERT")
    void theNextDeleteAfterACrashEndsAnEntryBackfilledAtATimeOfAClientThatTheClockHasPassed(IndexScheme scheme)
            throws IOException {
        IndexDefinition index = crashAfterABackfillAtAPassedTime(scheme);
        table.regionOf(ROW).delete(new Delete(ROW).addColumn(F, A));
        assertThat(table.drain()).isZero();
        assertThat(table.visible(List.of("r")).get("r")).isEmpty();
        assertThat(table.entries(index)).isEmpty();
    }

    /** Backfills a row at a client's time that the clock has passed; the server dies, and the next is far behind. */
    private IndexDefinition crashAfterABackfillAtAPassedTime(IndexScheme scheme) throws IOException {
        LateIndexes late = new LateIndexes(table, network.faults, "passed");
        IndexDefinition index = late.create(scheme);
        clock.move(5);
        put("old", START + 15);
        clock.move(20);
        late.backfill(index);
        table.die();
        clock.move(FAR_BACK);
        table.recover();
        return index;
    }

    private void put(String value, long time) throws IOException {
        table.regionOf(ROW).put(new Put(ROW).addColumn(F, A, time, Bytes.toBytes(value)));
    }
}
