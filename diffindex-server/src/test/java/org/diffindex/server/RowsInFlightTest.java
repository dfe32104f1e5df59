package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.maintain.RowChange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests two writers of one row, of which the second finishes first. */
class RowsInFlightTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    private final IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private final ExecutorService firstWriter = Executors.newSingleThreadExecutor();

    @TempDir
    Path folder;

    private LocalRegion local;

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(folder, 1, List.of(index));
    }

    @AfterEach
    void close() throws IOException {
        firstWriter.shutdownNow();
        local.close();
    }

    @Test
    void theIndexIsExactWhenTheSecondPutIsAcknowledged() throws Exception {
        local.region().put(put("ORD"));
        Future<?> first = heldUp(() -> local.region().put(put("LAX")));

        local.region().put(put("JFK"));
        assertThatTheIndexIsExact();

        local.network().faults.end();
        first.get();
        assertThatTheIndexIsExact();
    }

    @Test
    void theIndexIsExactWhenADeleteIsAcknowledged() throws Exception {
        local.region().put(put("ORD"));
        Future<?> first = heldUp(() -> local.region().put(put("LAX")));

        local.region().delete(new Delete(row("r")));
        assertThatTheIndexIsExact();

        local.network().faults.end();
        first.get();
        assertThatTheIndexIsExact();
    }

    @Test
    void aChangeIsInFlightUntilItLeaves() {
        RowsInFlight inFlight = new RowsInFlight();
        RowChange first = RowChange.of(row("r"), 1, 1, 1);
        RowChange second = RowChange.of(row("r"), 2, 2, 2);
        assertThat(inFlight.enter(first)).isEmpty();
        assertThat(inFlight.enter(RowChange.of(row("s"), 3, 3, 3))).isEmpty();
        assertThat(inFlight.enter(second)).containsExactly(first);
        inFlight.leave(first);
        inFlight.leave(first);
        assertThat(inFlight.enter(RowChange.of(row("r"), 4, 4, 4))).containsExactly(second);
        assertThat(inFlight.size()).isEqualTo(2);
    }

    /** A write to the region. */
    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }

    /** Starts a write, and returns when its call to the index is in flight. */
    private Future<?> heldUp(Write write) {
        local.network().faults.holdNext();
        Future<?> held = firstWriter.submit(() -> {
            write.run();
            return null;
        });
        Waiting.until(
                "the write's call is in flight", () -> local.network().faults.waiting() == 1);
        return held;
    }

    private void assertThatTheIndexIsExact() throws IOException {
        assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
    }

    private static Put put(String origin) {
        return new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }
}
