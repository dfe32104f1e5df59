package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests writes that fail at once at one synchronous index, such as one whose table does not exist, while the index whose
 * entries are sent early does not answer: the server's handlers bound what is in flight to it.
 */
class AbandonedInsertsTest {
    private static final IndexDefinition SILENT = Flights.byOrigin(IndexScheme.SYNC_INSERT);
    private static final IndexDefinition FAILING = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final int HANDLERS = 4;
    private static final int WRITES = 20;

    private final AtomicInteger delayed = new AtomicInteger();
    private final ExecutorService handlers = Executors.newFixedThreadPool(HANDLERS);

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        handlers.shutdownNow();
    }

    @Test
    void noMoreEarlyInsertsAreInFlightThanHandlersWrite() throws Exception {
        Map<String, String> settings = Map.of(HConstants.REGION_SERVER_HANDLER_COUNT, Integer.toString(HANDLERS));
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(SILENT, FAILING), settings)) {
            local.network().faultsOf(SILENT.indexTable()).holdAll();
            local.network().faultsOf(FAILING.indexTable()).outage();
            List<Future<?>> writers = new ArrayList<>();
            for (int handler = 0; handler < HANDLERS; handler++) {
                String name = "r" + handler + "-";
                writers.add(handlers.submit(() -> {
                    for (int i = 0; i < WRITES; i++) {
                        write(local, name + i);
                    }
                    return null;
                }));
            }
            Waiting.until("each place has an abandoned insert", () -> delayed.get() >= HANDLERS);
            WaitingHandlers waiting = ServerParts.of(local).waitingHandlers();
            Waiting.until(
                    "the handlers wait, or have written all rows",
                    () -> waiting.areTooMany() || writers.stream().allMatch(Future::isDone));
            long inserts = earlyInserts();
            int delayedBefore = delayed.get();
            boolean areAllDone = writers.stream().allMatch(Future::isDone);
            local.network().faultsOf(SILENT.indexTable()).end();
            local.network().faultsOf(FAILING.indexTable()).end();
            for (Future<?> writer : writers) {
                writer.get(1, TimeUnit.MINUTES);
            }
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(SILENT).entries()).isEqualTo(local.expected(SILENT));
            assertThat(inserts)
                    .as("threads that send early inserts, of %d handlers", HANDLERS)
                    .isLessThanOrEqualTo(HANDLERS);
            assertThat(delayedBefore).as("writes that ended delayed").isEqualTo(HANDLERS);
            assertThat(areAllDone).isFalse();
        }
    }

    /** Returns the number of threads within the write of an early insert. */
    private static long earlyInserts() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("diffindex-insert-"))
                .filter(thread -> List.of(thread.getValue()).stream()
                        .anyMatch(frame -> frame.getClassName().endsWith("IndexWriter")))
                .count();
    }

    private void write(LocalRegion local, String row) throws IOException {
        try {
            local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes("ORD")));
        } catch (IndexUpdateDelayedException e) {
            delayed.incrementAndGet();
        } catch (RegionTooBusyException e) {
            assertThat(e).hasMessageContaining("wait"); // as the client is told while half of the handlers wait
        }
    }
}
