package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how much of the files of many regions is in memory when their index takes updates again. */
class FilesAfterAnOutageTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final int REGIONS = 20;

    /** So many that the last of four batches is not whole. */
    private static final int CHANGES = 4 * UpdateProcessor.BATCH - 100;

    private static final int THREADS = 4;

    /** Short, as long as more than a few changes of a file are in memory. */
    private static final long LIMIT = 100_000;

    private final TurnByTurn threads = new TurnByTurn();
    private final QueueMemory memory = new QueueMemory(LIMIT);
    private final RegionMaintainers maintainers = new RegionMaintainers(List.of(INDEX), (row, upTo) -> List.of());
    private Configuration conf;
    private long bytesOfFile;
    private long peak;
    private final List<String> calls = new ArrayList<>();

    @BeforeEach
    void configure(@TempDir Path folder) {
        conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
    }

    /** Otherwise a server with many regions runs out of memory, and refuses all writes, when an outage has ended. */
    @Test
    void filesAreLoadedOnlyAsFarAsThereIsMemory() throws IOException {
        StalledIndexes stalled = new StalledIndexes(THREADS, threads::nowNanos);
        for (int i = 0; i < REGIONS; i++) {
            start("region" + i, i, 1, stalled);
        }
        assertThat(memory.used()).as("what is only on disk").isZero();
        deliverAll();
        assertThat(calls).hasSizeGreaterThanOrEqualTo(REGIONS * CHANGES / UpdateProcessor.BATCH);
        assertThat(peak).isLessThanOrEqualTo(LIMIT + THREADS * bytesOfFile);
    }

    /** Otherwise the others wait until the first has delivered all that it has on disk. */
    @Test
    void aTurnIsAFileLongWhileMemoryIsShort() throws IOException {
        StalledIndexes stalled = new StalledIndexes(1, threads::nowNanos);
        for (String region : List.of("a", "b", "c")) {
            start(region, region.charAt(0), 2, stalled);
        }
        deliverAll();
        assertThat(String.join("", calls)).isEqualTo("aaaabbbbccccaaaabbbbcccc");
    }

    private void deliverAll() {
        for (int turn = 0; turn < 100_000 && threads.next(); turn++) {
            peak = Math.max(peak, memory.used());
        }
        assertThat(memory.used()).as("when all is delivered").isZero();
    }

    private void start(String region, int id, int files, StalledIndexes stalled) throws IOException {
        RegionInfo info =
                RegionInfoBuilder.newBuilder(Flights.TABLE).setRegionId(id + 1).build();
        FlushBarrier barrier = new FlushBarrier();
        UpdateQueue queue = new UpdateQueue();
        Spill spill =
                Spills.of(SpillFiles.of(conf, info, List.of(INDEX)), queue, new AppliedBatches(), barrier, memory);
        for (int file = 0; file < files; file++) {
            bytesOfFile = park(region, file * CHANGES, barrier, queue, spill);
        }
        new UpdateProcessor(new DeliveryParts(
                        region,
                        queue,
                        spill,
                        maintainers,
                        updates -> take(region),
                        new ApsThreads(threads, threads, stalled, 0),
                        new DeliveryStats(),
                        threads::nowNanos))
                .start();
    }

    /** Puts changes into a file; returns the memory that they take when it is loaded, in bytes. */
    private long park(String region, int from, FlushBarrier barrier, UpdateQueue queue, Spill spill)
            throws IOException {
        long bytes = 0;
        for (int i = from + 1; i <= from + CHANGES; i++) {
            String row = region + "-" + i;
            PendingBatch batch = new PendingBatch(barrier.register(), memory, 0);
            RowChange put = RowChange.plainPut(row(row), i, i, List.of(cell(row, "origin", "ORD", i)));
            bytes += put.heapSize() + QueuedChange.OVERHEAD_BYTES;
            queue.add(put, batch, 0);
            batch.release();
        }
        spill.park();
        return bytes;
    }

    private void take(String region) {
        threads.pass(20);
        peak = Math.max(peak, memory.used());
        calls.add(region);
    }
}
