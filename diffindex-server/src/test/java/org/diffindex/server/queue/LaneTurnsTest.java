package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests in which order the regions of a server deliver to an index that takes its updates, but slowly. */
class LaneTurnsTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final int ROWS = 3 * UpdateProcessor.BATCH;
    private static final long CALL_MS = 2 * TimeUnit.NANOSECONDS.toMillis(UpdateProcessor.SLOW_CALL_NANOS);

    private final TurnByTurn threads = new TurnByTurn();
    private final StalledIndexes stalled = new StalledIndexes(4, threads::nowNanos);
    private final QueueMemory memory = new QueueMemory(100_000_000);
    private final RegionMaintainers maintainers = new RegionMaintainers(List.of(INDEX), (row, upTo) -> List.of());
    private final List<String> calls = new ArrayList<>();
    private Configuration conf;

    @BeforeEach
    void configure(@TempDir Path folder) {
        conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
    }

    /** Otherwise the region that began first keeps the thread as long as its clients write. */
    @Test
    void regionsTakeTurns() throws IOException {
        stalled.add(INDEX.indexTable());
        for (String region : List.of("a", "b", "c")) {
            start(region);
        }
        // Every fourth turn at least is a call; the others enter changes into lanes and wait for a thread.
        for (int turn = 0; turn < 100 && calls.size() < 9; turn++) {
            threads.next();
        }
        assertThat(calls).containsExactly("a", "b", "c", "a", "b", "c", "a", "b", "c");
    }

    /** Otherwise regions with updates would call it with many threads again, each of which waits for the timeout. */
    @Test
    void anIndexThatIsNotCalledStaysStalled() throws IOException {
        stalled.add(INDEX.indexTable());
        start("a", (row, sequence) -> RowChange.of(row(row), sequence, sequence, sequence));
        for (int turn = 0; turn < 20 && threads.next(); turn++) {
            assertThat(stalled.contains(INDEX.indexTable())).isTrue();
        }
        assertThat(memory.used()).isZero();
        assertThat(calls).isEmpty();
    }

    private void start(String region) throws IOException {
        start(region, (row, i) -> RowChange.plainPut(row(row), i, i, List.of(cell(row, "origin", "ORD", i))));
    }

    private void start(String region, BiFunction<String, Integer, RowChange> change) throws IOException {
        RegionInfo info = RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setRegionId(region.charAt(0))
                .build();
        FlushBarrier barrier = new FlushBarrier();
        UpdateQueue queue = new UpdateQueue();
        Spill spill =
                Spills.of(SpillFiles.of(conf, info, List.of(INDEX)), queue, new AppliedBatches(), barrier, memory);
        for (int i = 1; i <= ROWS; i++) {
            String row = region + i;
            PendingBatch batch = new PendingBatch(barrier.register(), memory, 0);
            queue.add(change.apply(row, i), batch, 0);
            batch.release();
        }
        UpdateProcessor processor = new UpdateProcessor(new DeliveryParts(
                region,
                queue,
                spill,
                maintainers,
                updates -> write(region, updates),
                new ApsThreads(threads, threads, stalled, 0),
                new DeliveryStats(),
                threads::nowNanos));
        processor.start();
    }

    private void write(String region, List<IndexUpdate> updates) {
        assertThat(updates).hasSize(UpdateProcessor.BATCH);
        threads.pass(CALL_MS);
        calls.add(region);
    }
}
