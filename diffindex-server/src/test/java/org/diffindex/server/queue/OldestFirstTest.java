package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.maintain.RowChange;
import org.junit.jupiter.api.Test;

/** Tests that a change is taken from a busy queue some time, also while a backfill keeps later changes apart. */
class OldestFirstTest {
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(100_000_000);
    private final UpdateQueue queue = new UpdateQueue();
    private long last;

    @Test
    void aChangeFromBeforeABackfillIsTakenWhileTheBackfillLasts() {
        add("old");
        UpdateQueue.Separation backfill = queue.keepApart();
        boolean isTaken = false;
        for (int i = 0; i < 20 && !isTaken; i++) {
            for (int j = 0; j < UpdateProcessor.BATCH; j++) {
                add("new-" + last);
            }
            List<QueuedChange> taken = queue.take(UpdateProcessor.BATCH);
            isTaken = taken.stream()
                    .anyMatch(each -> Bytes.toString(each.change().row()).equals("old"));
            taken.forEach(QueuedChange::done);
        }
        backfill.end();
        assertThat(isTaken).as("whether it was among 20 batches").isTrue();
    }

    private void add(String row) {
        last++;
        PendingBatch batch = new PendingBatch(barrier.register(), memory, 0);
        queue.add(RowChange.plainPut(row(row), last, last, List.of(cell(row, "origin", "ORD", last))), batch, 0);
        batch.release();
    }
}
