package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.log4j.Appender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.DeliveryFaults;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.metrics.SlowOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a region server logs slow operations as its configuration says. */
class LoggedSlownessTest {
    private static final IndexDefinition SYNC = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final IndexDefinition ASYNC = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    @TempDir
    Path folder;

    private final Logger logger = Logger.getLogger(SlowOperations.class);
    private final Level level = logger.getLevel();
    private final StringWriter log = new StringWriter();
    private final Appender appender = new WriterAppender(new SimpleLayout(), log);

    private static Put put() {
        return new Put(Flights.row("r1")).addColumn(Flights.F, Bytes.toBytes("origin"), Flights.row("ORD"));
    }

    @BeforeEach
    void listen() {
        logger.addAppender(appender);
        logger.setLevel(Level.WARN);
    }

    @AfterEach
    void end() {
        logger.removeAppender(appender);
        logger.setLevel(level);
    }

    /** Writes a row whose index takes 20 ms or longer to answer. */
    private void writeSlowly(String thresholdMs) throws Exception {
        Map<String, String> settings = Map.of(Settings.SLOW_MS, thresholdMs);
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(SYNC), settings)) {
            DeliveryFaults faults = region.network().faultsOf(SYNC.indexTable());
            faults.holdNext();
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
                try {
                    region.region().put(put());
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            Waiting.until("the index is called", () -> faults.waiting() == 1);
            long since = System.nanoTime();
            Waiting.until("the call is slow", () -> System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(20));
            faults.end();
            written.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void logsTheCallAndTheWriteThatWaitsForIt() throws Exception {
        writeSlowly("20");
        assertThat(log.toString().lines())
                .anyMatch(line -> line.matches("WARN - Slow index operation: op=call ms=\\d+ index_table="
                        + SYNC.indexTable() + " updates=1 failed=false left_out=0"))
                .anyMatch(line -> line.matches("WARN - Slow index operation: op=write ms=\\d+ table=" + SYNC.table()
                        + " rows=1 first_row=r1 left_out=0"));
    }

    @Test
    void logsNothingIfThatIsTurnedOff() throws Exception {
        writeSlowly("0");
        assertThat(log.toString()).isEmpty();
    }

    @Test
    void logsTheFlushAndTheCloseThatWaitForAnIndex() throws Exception {
        Map<String, String> settings =
                Map.of(Settings.SLOW_MS, "1", Settings.FLUSH_WAIT_MS, "20", Settings.CLOSE_WAIT_MS, "20");
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(ASYNC), settings)) {
            region.network().faultsOf(ASYNC.indexTable()).hold();
            region.region().put(put());
            region.region().flush(true);
            region.region().put(put());
        }
        assertThat(log.toString()).contains("op=flush ms=", "op=close ms=");
    }
}
