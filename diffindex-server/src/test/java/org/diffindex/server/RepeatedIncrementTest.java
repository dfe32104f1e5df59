package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests an increment whose answer was lost, and which the client sends again. HBase recognizes it by its nonce, also
 * from the WAL of a dead server, and does not apply it twice. Its acknowledgement must mean the same for the index as
 * that of the first attempt.
 */
class RepeatedIncrementTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] ROW = Bytes.toBytes("r0");
    private static final long NONCE_GROUP = 7;
    private static final long NONCE = 8;

    private final ExecutorService handlers = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    private FakeConnection network;

    @BeforeEach
    void connect() throws IOException {
        network = new FakeConnection();
    }

    @AfterEach
    void endHandlers() {
        handlers.shutdownNow();
    }

    private static void increment(LocalTable table) throws IOException {
        Increment increment = new Increment(ROW).addColumn(Column.N.family(), Column.N.qualifier(), 1);
        table.regionOf(ROW).batchMutate(new Mutation[] {increment}, true, NONCE_GROUP, NONCE);
    }

    /** Kills the server when the increment is in the WAL, and in no index. */
    private void crashBeforeTheIndexes(LocalTable table) throws IOException {
        network.faults.outage();
        assertThatThrownBy(() -> increment(table)).isInstanceOf(IndexUpdateDelayedException.class);
        table.die();
        network.faults.serverDied(false);
    }

    @Test
    void isAcknowledgedOnlyWithItsEntries() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            crashBeforeTheIndexes(table);
            network.faults.end();
            network.faults.hold(); // calls of the APS remain in flight
            table.recover();

            increment(table);

            isAppliedOnceAndInTheSynchronousIndexes(table);
            network.faults.end();
        }
    }

    private static void isAppliedOnceAndInTheSynchronousIndexes(LocalTable table) throws IOException {
        var visible = table.visible(List.of("r0"));
        assertThat(Bytes.toLong(
                        visible.get("r0").get(0).getValueArray(),
                        visible.get("r0").get(0).getValueOffset()))
                .isEqualTo(1);
        for (IndexDefinition index : table.indexes()) {
            if (!index.scheme().isAsynchronous()) {
                assertThat(table.entries(index)).as(index.name()).isEqualTo(LocalTable.expected(index, visible));
            }
        }
    }

    private Future<?> begin(LocalTable table) {
        return handlers.submit(() -> {
            increment(table);
            return null;
        });
    }

    /** HBase counts the increment as executed before its last hook, in which the indexes are written. */
    @Test
    void isNotAcknowledgedBeforeTheFirstAttemptHasWrittenTheIndexes() throws Exception {
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            network.faults.holdAll();
            Future<?> first = begin(table);
            Waiting.until("the first attempt waits for an index", () -> network.faults.waiting() > 0);

            Future<?> again = begin(table);

            assertThatThrownBy(() -> again.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            network.faults.end();
            again.get(20, TimeUnit.SECONDS);
            isAppliedOnceAndInTheSynchronousIndexes(table);
            first.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void isReportedAsDelayedWhileItsEntriesCannotBeWritten() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            crashBeforeTheIndexes(table);
            table.recover();

            assertThatThrownBy(() -> increment(table)).isInstanceOf(IndexUpdateDelayedException.class);
            network.faults.end();
        }
    }

    /**
     * The region refuses writes while it waits for its index updates before it closes. HBase still recognizes the
     * increment then; its next server would not.
     */
    @Test
    void isNotAppliedTwiceIfItIsSentAgainToAClosingRegion() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            increment(table);
            table.regionOf(ROW).getCoprocessorHost().preClose(false);
            try {
                increment(table);
            } catch (NotServingRegionException e) {
                table.move();
                increment(table); // as HBase's client does
            }
            isAppliedOnceAndInTheSynchronousIndexes(table);
        }
    }
}
