package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.sequences.Step;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the backfill of an index whose table is being written. */
class BackfillPageTest {
    /** The number of retries after which the AUQ's backoff takes seconds. */
    private static final long TRIES = 6;

    private static final long START = 1_700_000_000_000L;

    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    @TempDir
    Path folder;

    @Test
    void theNextWriteDeletesAnEntryThatWasBackfilledDuringABackoff() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            local.network().failures.outage(true);
            put(local, "other", "LAX");
            Waiting.until(
                    "the AUQ's backoff takes seconds", () -> local.status().getRetries() >= TRIES);
            put(local, "r", "ORD");
            local.network().failures.outage(false);
            assertThat(backfill(local).getEntries()).isEqualTo(2);
            put(local, "r", "JFK");
            assertThat(local.status().getQueued()).as("queued changes").isGreaterThan(1);

            assertThat(local.drain()).isZero();

            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
        }
    }

    /** This includes rows with timestamps of a server whose clock was slightly ahead, or of clients. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void backfilledEntriesExpireWithTheirRows(TableShape shape) throws IOException {
        try (ManualClock clock = ManualClock.install(START)) {
            FakeConnection network = new FakeConnection(shape.bare());
            try (LocalTable table = shape.openBare(folder, network)) {
                putAt(table, "past", START - 5_000);
                putAt(table, "ahead", START + 20);
                putAt(table, "now", HConstants.LATEST_TIMESTAMP);
                shape.serveIndexes(clock, network);
                table.alter(shape.descriptor());
                for (IndexDefinition index : table.indexes()) {
                    assertThat(table.backfill(index)).as(index.name()).isPresent();
                }
                compare(table);
                clock.move(5_000);
                compare(table);
                clock.move(1);
                compare(table);
                putAt(table, "ahead", HConstants.LATEST_TIMESTAMP);
                clock.move(4_980);
                for (int i = 0; i < 50; i++) {
                    clock.move(1);
                    compare(table);
                }
                assertThat(visible(table).get("now")).isEmpty();
                assertThat(visible(table).get("ahead")).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void refusesToBackfillARowThatWouldOutliveItsEntry(TableShape shape) throws IOException {
        try (ManualClock clock = ManualClock.install(START)) {
            FakeConnection network = new FakeConnection(shape.bare());
            try (LocalTable table = shape.openBare(folder, network)) {
                putAt(table, "far ahead", START + 60_000);
                shape.serveIndexes(clock, network);
                table.alter(shape.descriptor());
                IndexDefinition index = table.indexes().iterator().next();
                assertThat(table.backfill(index)).isEmpty();
                assertThat(table.entries(index)).isEmpty();
            }
        }
    }

    @Test
    void aPageAlsoCountsRowsWithoutTheColumn() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            for (int i = 0; i < 1_000; i++) {
                putCarrier(local, "r%04d".formatted(i));
            }
            local.region().flush(true);
            FillResponse page = backfill(local);
            assertThat(page.hasNextRow()).isTrue();
            assertThat(page.getNextRow().toStringUtf8()).isEqualTo("r0100");
            assertThat(page.getRowsRead()).isEqualTo(100);
            assertThat(page.getRows()).isZero();
        }
    }

    /** The pages read each row once, wherever the rows with the column are. */
    @Test
    void pagesAddUpToTheRegionAndTheLastReportsItsEnd() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            for (int i = 0; i < 1_050; i++) {
                putCarrier(local, "r%04d".formatted(i));
            }
            local.region().flush(true);
            putUnindexed(local, "r0007");
            putUnindexed(local, "r0612");
            putUnindexed(local, "r1049");
            FillResponse page = backfill(local);
            long read = page.getRowsRead();
            long rows = page.getRows();
            while (page.hasNextRow()) {
                page = backfill(local, request().setStartRow(page.getNextRow()).build(), new ServerRpcController());
                assertThat(page.getRowsRead()).isLessThanOrEqualTo(100);
                read += page.getRowsRead();
                rows += page.getRows();
            }
            assertThat(read).isEqualTo(1_050);
            assertThat(rows).isEqualTo(3);
            assertThat(page.hasRegionEnd()).isTrue();
            assertThat(page.getRegionEnd()).isEqualTo(ByteString.EMPTY);
            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
        }
    }

    @Test
    void aPageEndsBeforeItsStopRow() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            putCarrier(local, "a");
            putCarrier(local, "b");
            putCarrier(local, "c");
            FillRequest request = request()
                    .setStartRow(ByteString.copyFromUtf8("b"))
                    .setStopRow(ByteString.copyFromUtf8("c"))
                    .build();
            FillResponse page = backfill(local, request, new ServerRpcController());
            assertThat(page.getRowsRead()).isEqualTo(1);
            assertThat(page.hasNextRow()).isFalse();
        }
    }

    @Test
    void refusesToBackfillADroppedIndexOfTheSameName() throws IOException {
        IndexDefinition second = INDEX.withId("second");
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(second))) {
            putUnindexed(local, "r");
            ServerRpcController late = new ServerRpcController();
            assertThat(backfill(local, request().setIndexId("first").build(), late))
                    .isNull();
            assertThat(late.getFailedOn())
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("was dropped and created again");
            ServerRpcController older = new ServerRpcController();
            assertThat(backfill(local, request().clearIndexId().build(), older)).isNull();
            assertThat(older.getFailedOn()).hasMessageContaining("older version");
            assertThat(local.network().addressees).isEmpty();
        }
    }

    /** The table of an index that is created later under the same name can then refuse late entries. */
    @Test
    void addressesEntriesToTheIndexByItsId() throws IOException {
        IndexDefinition index = INDEX.withId("the one");
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            putUnindexed(local, "r");
            assertThat(backfill(local, request().setIndexId("the one").build(), new ServerRpcController())
                            .getEntries())
                    .isEqualTo(1);
            assertThat(local.network().addressees).containsExactly("the one");
        }
    }

    /** Puts a row as from before the index, for which no entry was put. */
    private static void putUnindexed(LocalRegion local, String row) throws IOException {
        put(local, row, "ORD");
        local.drain();
        local.indexTable(INDEX).clear();
        local.network().addressees.clear();
    }

    /**
     * The row's timestamp is slightly ahead of the clock when it is written, past when it is backfilled, and then ahead
     * again.
     */
    @Test
    void aBackfilledEntryAtAClientsTimestampIsDeletedAfterTheClockJumpedBack() throws IOException {
        try (ManualClock clock = ManualClock.install(START)) {
            TableShape shape = TableShape.VERSIONS_1;
            FakeConnection network = new FakeConnection(shape.bare());
            try (LocalTable table = shape.open(folder, clock, network)) {
                putAt(table, "ahead", START + 20);
                clock.move(30);
                for (IndexDefinition index : table.indexes()) {
                    assertThat(table.backfill(index)).as(index.name()).isPresent();
                }
                clock.move(-20);
                table.regionOf(row("ahead")).delete(new Delete(row("ahead"), START + 25));
                assertThat(table.drain()).isZero();
                for (IndexDefinition index : table.indexes()) {
                    if (!index.scheme().leavesStaleEntries()) {
                        assertThat(table.entries(index)).as(index.name()).isEmpty();
                    }
                }
            }
        }
    }

    private static void putCarrier(LocalRegion local, String row) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("carrier"), Bytes.toBytes("AA")));
    }

    private static void putAt(LocalTable table, String row, long timestamp) throws IOException {
        byte[] value = Bytes.toBytes("A");
        table.regionOf(row(row)).put(new Put(row(row)).addColumn(F, Step.Column.A.qualifier(), timestamp, value));
    }

    private static Map<String, List<Cell>> visible(LocalTable table) throws IOException {
        return table.visible(List.of("past", "ahead", "now"));
    }

    private static void compare(LocalTable table) throws IOException {
        assertThat(table.drain()).isZero();
        for (IndexDefinition index : table.indexes()) {
            assertThat(table.entries(index)).as(index.name()).isEqualTo(LocalTable.expected(index, visible(table)));
        }
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }

    /** Backfills a page of up to 100 rows. */
    private static FillResponse backfill(LocalRegion local) {
        return backfill(local, request().build(), new ServerRpcController());
    }

    private static FillRequest.Builder request() {
        return FillRequest.newBuilder()
                .setIndex(INDEX.name())
                .setIndexId(INDEX.id())
                .setMaxRows(100);
    }

    private static FillResponse backfill(LocalRegion local, FillRequest request, ServerRpcController controller) {
        List<FillResponse> responses = new ArrayList<>();
        local.endpoint().fill(controller, request, responses::add);
        return responses.get(0);
    }
}
