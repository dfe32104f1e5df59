package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.assertj.core.data.Percentage;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FilledTime;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.ObjectGraph;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.queue.AppliedBatches;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.QueueMemory;
import org.diffindex.server.queue.UpdateQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the memory counted for a write towards the bound of the AUQs is the heap that the write takes. */
class QueuedHeapTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final Percentage TOLERANCE = Percentage.withPercentage(5);

    private final RegionMaintainers maintainers =
            new RegionMaintainers(List.of(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)), (row, sequence) -> List.of());

    /** The queue of one region, and the memory that it counts. */
    private static final class Region {
        final QueueMemory memory = new QueueMemory(Long.MAX_VALUE);
        final FlushBarrier barrier = new FlushBarrier();
        final AppliedBatches appliedBatches = new AppliedBatches();
        final UpdateQueue queue = new UpdateQueue();
    }

    private final Region region = new Region();

    @TempDir
    Path folder;

    @ParameterizedTest(name = "{0} batches of {1} rows, values of {2} bytes")
    @CsvSource({"30000, 1, 10", "30, 1000, 10", "30, 1000, 1000"})
    void aFullQueueTakesTheHeapThatIsCountedForIt(int batches, int rows, int valueLength) throws IOException {
        for (int batch = 0; batch < batches; batch++) {
            queueBatch(batch, rows, valueLength);
        }
        long counted = region.memory.used();
        assertThat(region.queue.size()).isEqualTo(batches * rows);
        if (rows > 1) {
            assertThat(region.queue.heapSize())
                    .as("queue size in a status")
                    .isCloseTo(counted, Percentage.withPercentage(1));
        }
        assertThat(new ObjectGraph().add(List.of(region))).isCloseTo(counted, TOLERANCE);
    }

    private void queueBatch(int batch, int rows, int valueLength) throws IOException {
        List<Mutation> mutations = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            Put put = new Put(row("row-%08d".formatted(batch * rows + i))).addColumn(F, ORIGIN, new byte[valueLength]);
            ServerTime.mark(put);
            FilledTime.fill(put, 0);
            mutations.add(put);
        }
        long bytes = PendingBatch.bytesOf(mutations.stream()
                .mapToLong(mutation ->
                        RowChange.heapSizeOf(mutation.getRow(), mutation.getFamilyCellMap().get(F).stream())));
        region.memory.reserve(bytes);
        PendingBatch pending = new PendingBatch(region.barrier.register(), region.memory, bytes);
        MiniBatch entered = new MiniBatch(mutations, List.of(), any -> false, pending);
        entered.stamp(new RowClock(() -> Instant.ofEpochMilli(1_000)), null, (writes, why) -> {
            throw why;
        });
        entered.logged(
                new WALKeyImpl(row("region"), Flights.TABLE, batch, 0, HConstants.DEFAULT_CLUSTER_ID),
                new WALEdit(),
                maintainers);
        pending.applied(entered.changes(maintainers), region.appliedBatches);
        pending.changes().forEach(change -> region.queue.add(change, pending, 0));
        pending.release();
    }

    @Test
    void countsAWriteWithItsIndexedValuesAndTheUpdatesKeptForARetry() throws IOException {
        try (LocalRegion local =
                new LocalRegion(folder, 1, List.of(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)), Map.of())) {
            local.network().failures.outage(true);
            QueueMemory used = ServerParts.of(local).memory();
            local.region().put(new Put(row("a")).addColumn(F, ORIGIN, Bytes.toBytes("x".repeat(10_000))));
            Waiting.until("the put of the entry, with two copies of the value, is kept", () -> used.used() > 30_000);
            assertThat(used.used()).isBetween(30_000L, 33_000L);
            local.region().put(new Put(row("b")).addColumn(F, Bytes.toBytes("of no index"), new byte[10_000]));
            assertThat(used.used()).isBetween(30_000L, 33_000L);
            local.network().failures.outage(false);
            assertThat(local.drain()).isZero();
            assertThat(used.used()).isZero();
        }
    }
}
