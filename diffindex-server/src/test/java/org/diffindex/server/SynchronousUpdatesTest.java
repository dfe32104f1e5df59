package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.metrics.SlowOperations;
import org.diffindex.server.queue.AppliedBatches;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.QueueMemory;
import org.diffindex.server.queue.Spills;
import org.diffindex.server.queue.UpdateQueue;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which earlier changes of its row a repeated write completes. */
class SynchronousUpdatesTest {
    private static final Cell ORD = Flights.cell("r", "origin", "ORD", 101);
    private static final Cell LAX = Flights.cell("r", "origin", "LAX", 102);

    private final IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private final RegionMaintainers maintainers = new RegionMaintainers(List.of(index), this::read);
    private final UpdateQueue queue = new UpdateQueue();
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(1_000);
    private final List<IndexUpdate> written = new ArrayList<>();
    private Runnable atNextRead = () -> {};
    private SynchronousUpdates updates;

    @BeforeEach
    void wire(@TempDir Path folder) throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        SpillFiles files =
                SpillFiles.of(conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(index));
        updates = new SynchronousUpdates(
                maintainers,
                RowMemory.none(),
                queue,
                Spills.of(files, queue, new AppliedBatches(), barrier, memory),
                new Settings(conf),
                new WaitingHandlers(10, () -> 0),
                written::addAll,
                rows -> {},
                new SlowOperations(0, () -> 0));
    }

    /** Reads the row: its first write put ORD, the second LAX. */
    private List<Cell> read(byte[] row, long sequence) {
        Runnable task = atNextRead;
        atNextRead = () -> {};
        task.run();
        return sequence < 1 ? List.of() : List.of(sequence < 2 ? ORD : LAX);
    }

    /** The first execution fails while the repeated one reads the row of a change that has failed before. */
    @Test
    void aRepeatedWriteCompletesTheFirstExecutionAlthoughThatFailsMeanwhile() throws IOException {
        fail(change(1));
        RowChange first = change(2);
        var unused = updates.begin(List.of(first));
        atNextRead = () -> {
            fail(first);
            updates.end(List.of(first));
        };
        updates.write(List.of(), new MiniBatch(List.of(), List.of(row("r")), mutation -> false, pending()));
        byte[] key = Flights.entry(index, "r", LAX).key();
        assertThat(written)
                .as("updates of %s", index.name())
                .anyMatch(update ->
                        update.isPut() && Arrays.equals(update.mutation().getRow(), key));
    }

    /** Leaves a change to the AUQ. */
    private void fail(RowChange change) {
        PendingBatch pending = pending();
        queue.addReplayed(change, IndexSet.all(), pending, 0);
        pending.release();
    }

    private PendingBatch pending() {
        memory.reserve(10);
        return new PendingBatch(barrier.register(), memory, 10);
    }

    private static RowChange change(long sequence) {
        return RowChange.of(row("r"), sequence, 100 + sequence, 100 + sequence);
    }
}
