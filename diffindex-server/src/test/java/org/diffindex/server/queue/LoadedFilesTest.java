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
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
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

/** Tests the memory of what the regions of a server load from disk for an unavailable index, while nobody writes. */
class LoadedFilesTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final int REGIONS = 24;
    private static final int ROWS = 50;
    private static final String WIDE = "x".repeat(1_000);

    /** More than ten files take that, with the updates that are computed of them, and less than one of each region. */
    private static final long LIMIT = 2_000_000;

    /** Enough for each region to try several times. */
    private static final int TURNS = 40 * REGIONS;

    private final TurnByTurn threads = new TurnByTurn();
    private final ApsThreads apsThreads = new ApsThreads(
            threads, MoreExecutors.newDirectExecutorService(), new StalledIndexes(4, threads::nowNanos), 0);
    private final QueueMemory memory = new QueueMemory(LIMIT);
    private final RegionMaintainers maintainers = new RegionMaintainers(List.of(INDEX), this::read);

    /** The only write of each row. */
    private final Map<String, RowChange> writes = new HashMap<>();

    private Configuration conf;
    private boolean isAway = true;
    private int delivered;

    /** The most memory that was reserved during a failing delivery, in bytes. */
    private long most;

    @BeforeEach
    void configure(@TempDir Path folder) {
        conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
    }

    /** The AUQ of a region, with its changes on disk. */
    private final class Region {
        final FlushBarrier barrier = new FlushBarrier();
        final DeliveryStats stats = new DeliveryStats();
        final Spill spill;
        final UpdateProcessor processor;

        Region(int number) throws IOException {
            RegionInfo info = RegionInfoBuilder.newBuilder(Flights.TABLE)
                    .setRegionId(number)
                    .build();
            SpillFiles files = SpillFiles.of(conf, info, List.of(INDEX));
            UpdateQueue queue = new UpdateQueue();
            spill = Spills.of(files, queue, new AppliedBatches(), barrier, memory);
            for (int i = 0; i < ROWS; i++) {
                add("row-" + number + "-" + i, i + 1, queue);
            }
            spill.park();
            processor = new UpdateProcessor(new DeliveryParts(
                    "region " + number,
                    queue,
                    spill,
                    maintainers,
                    LoadedFilesTest.this::write,
                    apsThreads,
                    stats,
                    threads::nowNanos));
        }

        private void add(String row, long sequence, UpdateQueue queue) {
            RowChange change = RowChange.plainPut(
                    row(row), sequence, 100 + sequence, List.of(cell(row, "origin", WIDE, 100 + sequence)));
            writes.put(row, change);
            PendingBatch batch = new PendingBatch(barrier.register(), memory, 0);
            queue.add(change, batch, 0);
            batch.release();
        }
    }

    private List<Cell> read(byte[] row, long upTo) {
        RowChange write = writes.get(Bytes.toString(row));
        return write.lastSequence() <= upTo ? write.plainCells() : List.of();
    }

    private void write(List<IndexUpdate> updates) throws IOException {
        if (isAway) {
            most = Math.max(most, memory.used());
            throw new IOException("index table not available");
        }
        delivered += updates.size();
    }

    @Test
    void doNotExceedTheLimitHoweverManyRegionsTryToDeliverThem() throws IOException {
        List<Region> regions = new ArrayList<>();
        for (int i = 0; i < REGIONS; i++) {
            regions.add(new Region(i));
        }
        assertThat(memory.used()).as("while all is on disk").isZero();

        regions.forEach(region -> region.processor.start());
        for (int i = 0; i < TURNS; i++) {
            assertThat(threads.next()).isTrue();
        }

        assertThat(regions).as("failed deliveries").allSatisfy(region -> assertThat(region.stats.retries.sum())
                .isGreaterThan(1));
        assertThat(most).as("memory, in bytes").isBetween(LIMIT / 4, LIMIT);
        assertThat(memory.isShort(0)).isFalse();
        deliverAll(regions);
    }

    private void deliverAll(List<Region> regions) {
        isAway = false;
        while (regions.stream().anyMatch(region -> region.barrier.inside() > 0)) {
            assertThat(threads.next()).isTrue();
        }
        assertThat(delivered).isEqualTo(REGIONS * ROWS);
        assertThat(memory.used()).isZero();
    }
}
