package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.Flights.F;
import static org.diffindex.server.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The filling of an index whose writers go on. */
class IndexFillTest {
    /** By then the AUQ pauses for seconds between its tries. */
    private static final long TRIES = 6;

    private static final long START = 1_700_000_000_000L;

    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    @TempDir
    Path folder;

    @Test
    void anEntryThatIsFilledInWhileTheQueueWaitsIsEndedByTheNextWrite() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            local.network().failures.outage(true);
            put(local, "other", "LAX");
            Waiting.until("the AUQ pauses for long", () -> local.status().getRetries() >= TRIES);
            put(local, "r", "ORD");
            local.network().failures.outage(false);
            assertThat(fill(local).getEntries()).isEqualTo(2);
            put(local, "r", "JFK");
            assertThat(local.status().getQueued()).as("changes that wait").isGreaterThan(1);

            assertThat(local.drain()).isZero();

            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
        }
    }

    /** Also of a row that a server whose clock was a little ahead, or the clients themselves, gave the time. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void entriesOfRowsFromBeforeTheIndexExpireWithThem(TableShape shape) throws IOException {
        try (ManualClock clock = ManualClock.install(START)) {
            FakeConnection network = new FakeConnection(shape.bare());
            try (LocalTable table = shape.openBare(folder, network)) {
                putAt(table, "past", START - 5_000);
                putAt(table, "ahead", START + 20);
                putAt(table, "now", HConstants.LATEST_TIMESTAMP);
                shape.serveIndexes(clock, network);
                table.alter(shape.descriptor());
                for (IndexDefinition index : table.indexes()) {
                    assertThat(table.fill(index)).as(index.name()).isPresent();
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
    void aRowThatWouldOutliveItsEntryIsRefused(TableShape shape) throws IOException {
        try (ManualClock clock = ManualClock.install(START)) {
            FakeConnection network = new FakeConnection(shape.bare());
            try (LocalTable table = shape.openBare(folder, network)) {
                putAt(table, "far ahead", START + 60_000);
                shape.serveIndexes(clock, network);
                table.alter(shape.descriptor());
                IndexDefinition index = table.indexes().iterator().next();
                assertThat(table.fill(index)).isEmpty();
                assertThat(table.entries(index)).isEmpty();
            }
        }
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

    private static FillResponse fill(LocalRegion local) {
        List<FillResponse> responses = new ArrayList<>();
        local.endpoint()
                .fill(
                        new ServerRpcController(),
                        FillRequest.newBuilder()
                                .setIndex(INDEX.name())
                                .setMaxRows(100)
                                .build(),
                        responses::add);
        return responses.get(0);
    }
}
