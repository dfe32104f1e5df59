package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.maintain.RowChange;
import org.junit.jupiter.api.Test;

class PendingBatchTest {
    private static final RowChange CHANGE = RowChange.of(Bytes.toBytes("r"), 2, 1, 1);

    /** Otherwise an unavailable index would use up the memory for index updates too early. */
    @Test
    void thePartOfOneIndexCountsTheMemoryOfItsChangesOnce() {
        QueueMemory memory = new QueueMemory(1 << 20);
        long bytes = PendingBatch.bytesOf(LongStream.of(CHANGE.heapSize()));
        memory.reserve(bytes);
        PendingBatch batch = new PendingBatch(new FlushBarrier().register(), memory, bytes);
        batch.applied(List.of(CHANGE), new AppliedBatches());
        PendingBatch part = batch.acquirePart("by_origin");
        batch.release();
        assertThat(memory.used()).isEqualTo(bytes + PendingBatch.bytesOf(LongStream.empty()));
        part.release();
        assertThat(memory.used()).isZero();
    }
}
