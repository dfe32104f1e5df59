package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests in which order the AUQs of a server are emptied if all indexes keep up. */
class AuqTurnsTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final int BATCHES_OF_THE_BUSY = 50;

    private final TurnByTurn threads = new TurnByTurn();
    private final QueueMemory memory = new QueueMemory(100_000_000);
    private final RegionMaintainers maintainers = new RegionMaintainers(List.of(INDEX), (row, upTo) -> List.of());
    private final List<String> calls = new ArrayList<>();
    private final Map<String, UpdateQueue> queues = new HashMap<>();
    private final Map<String, FlushBarrier> barriers = new HashMap<>();
    private Configuration conf;
    private long last;

    @BeforeEach
    void configure(@TempDir Path folder) {
        conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
    }

    /**
     * Otherwise as many regions as the server has threads of the APS keep all of them, as long as their clients write
     * faster than one thread delivers; the few updates of every other table wait until then.
     */
    @Test
    void aRegionWithFewUpdatesGetsTheThreadOfOneThatIsNeverEmptied() throws IOException {
        start("busy", UpdateProcessor.BATCH);
        start("quiet", 1);
        while (threads.next()) {
            assertThat(calls.size()).isLessThan(3 * BATCHES_OF_THE_BUSY);
        }
        assertThat(calls.indexOf("quiet")).isBetween(0, 5);
    }

    private void start(String region, int changes) throws IOException {
        RegionInfo info = RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setRegionId(region.charAt(0))
                .build();
        FlushBarrier barrier = new FlushBarrier();
        UpdateQueue queue = new UpdateQueue();
        queues.put(region, queue);
        barriers.put(region, barrier);
        Spill spill =
                Spills.of(SpillFiles.of(conf, info, List.of(INDEX)), queue, new AppliedBatches(), barrier, memory);
        write(region, changes);
        new UpdateProcessor(new DeliveryParts(
                        region,
                        queue,
                        spill,
                        maintainers,
                        updates -> delivered(region),
                        new ApsThreads(
                                threads,
                                MoreExecutors.newDirectExecutorService(),
                                new StalledIndexes(4, threads::nowNanos),
                                0),
                        new DeliveryStats(),
                        threads::nowNanos))
                .start();
    }

    /** Clients write a batch of the busy region while the one before it is delivered. */
    private void delivered(String region) {
        calls.add(region);
        threads.pass(20);
        if (region.equals("busy") && calls.size() < BATCHES_OF_THE_BUSY) {
            write(region, UpdateProcessor.BATCH);
        }
    }

    private void write(String region, int changes) {
        for (int i = 0; i < changes; i++) {
            last++;
            String row = region + last;
            PendingBatch batch = new PendingBatch(barriers.get(region).register(), memory, 0);
            RowChange put = RowChange.plainPut(row(row), last, last, List.of(cell(row, "origin", "ORD", last)));
            queues.get(region).add(put, batch, 0);
            batch.release();
        }
    }
}
