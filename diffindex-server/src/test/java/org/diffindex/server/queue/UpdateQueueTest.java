package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RowChange;
import org.junit.jupiter.api.Test;

/** Tests the order of the AUQ, and which changes it merges. */
class UpdateQueueTest {
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(1_000_000);
    private final UpdateQueue queue = new UpdateQueue();

    @Test
    void returnsTheOldestChangesFirst() {
        add("a", 1);
        add("b", 2);
        add("c", 3);
        assertThat(rows(queue.take(2))).containsExactly("a", "b");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(rows(queue.take(2))).containsExactly("c");
        assertThat(queue.take(2)).isEmpty();
    }

    @Test
    void mergesWaitingChangesOfARow() {
        add("r", 1);
        add("other", 2);
        add("r", 3);
        add("r", 4);
        assertThat(queue.size()).isEqualTo(2);
        RowChange merged = queue.take(1).get(0).change();
        assertThat(merged.firstSequence()).isEqualTo(1);
        assertThat(merged.lastSequence()).isEqualTo(4);
        assertThat(merged.firstStamp()).isEqualTo(101);
        assertThat(merged.lastStamp()).isEqualTo(104);
        assertThat(merged.isPlainPut()).isFalse();
    }

    @Test
    void aMergedChangeHoldsAllItsBatchesUntilItIsDelivered() {
        add("r", 1);
        add("r", 2);
        assertThat(barrier.inside()).isEqualTo(2);
        QueuedChange merged = queue.take(1).get(0);
        assertThat(barrier.inside()).isEqualTo(2);
        merged.ready(List.of()).done();
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();
    }

    @Test
    void aChangeIsNotMergedIntoOneThatIsBeingDelivered() {
        add("r", 1);
        QueuedChange taken = queue.take(1).get(0);
        add("r", 2);
        assertThat(taken.change().lastSequence()).isEqualTo(1);
        assertThat(queue.take(1).get(0).change().firstSequence()).isEqualTo(2);
    }

    @Test
    void aSeparationSplitsChangesIntoThoseBeforeAndThoseAfter() {
        add("r", 1);
        add("r", 2);
        UpdateQueue.Separation separation = queue.keepApart();
        add("r", 3);
        add("r", 4);
        separation.end();
        add("r", 5);
        add("r", 6);
        assertThat(queue.take(10))
                .extracting(item ->
                        item.change().firstSequence() + "-" + item.change().lastSequence())
                .containsExactlyInAnyOrder("1-2", "3-3", "4-4", "5-6");
    }

    @Test
    void doesNotMergeAcrossASeparationDuringWhichNoChangeArrived() {
        add("r", 1);
        queue.keepApart().end();
        add("r", 2);
        add("r", 3);
        List<RowChange> changes =
                queue.take(10).stream().map(QueuedChange::change).toList();
        assertThat(changes).extracting(RowChange::firstSequence).containsExactly(1L, 2L);
        assertThat(changes).extracting(RowChange::lastSequence).containsExactly(1L, 3L);
    }

    @Test
    void doesNotMergeReplayedChanges() {
        addReplayed("r", 1);
        addReplayed("r", 2);
        add("r", 3);
        List<QueuedChange> items = queue.take(10);
        assertThat(items).extracting(item -> item.change().lastSequence()).containsExactly(1L, 2L, 3L);
        IndexDefinition synchronous = Flights.byOrigin(IndexScheme.SYNC_FULL);
        assertThat(items)
                .extracting(item -> item.indexes().contains(synchronous))
                .containsExactly(true, true, false);
    }

    /** An index may have seen it. */
    @Test
    void mergesNothingIntoAChangeThatWasPutBackInTheQueueOfALaneEither() {
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        UpdateQueue lane = queue.another();
        add("r", 1);
        queue.putBack(queue.take(1));
        add("r", 2);
        for (QueuedChange item : queue.take(2)) {
            lane.add(item.forIndex(index, IndexSet.of(index), null));
        }
        assertThat(lane.take(10))
                .extracting(item -> item.change().lastSequence())
                .containsExactly(1L, 2L);
    }

    @Test
    void returnsFailedChangesFirstThenReplayedOnesThenTheOldest() {
        add("failed", 1);
        List<QueuedChange> failed = queue.take(1);
        add("new", 2);
        addReplayed("replayed", 3);
        queue.putBack(failed);
        assertThat(queue.size()).isEqualTo(3);
        assertThat(rows(queue.take(2))).containsExactly("failed", "replayed");
        assertThat(rows(queue.take(2))).containsExactly("new");
    }

    @Test
    void reportsItsSizeInBytes() {
        assertThat(queue.heapSize()).isZero();
        add("r", 1);
        long one = queue.heapSize();
        assertThat(one).isPositive();
        queue.add(
                RowChange.plainPut(row("s"), 2, 102, List.of(cell("s", "origin", "x".repeat(1_000), 102))),
                pending(),
                0);
        assertThat(queue.heapSize()).isGreaterThan(2 * one + 1_000);
        queue.take(2);
        assertThat(queue.heapSize()).isZero();
    }

    @Test
    void reportsTheAgeOfTheOldestChangeEvenIfItWasMergedOrPutBack() {
        assertThat(queue.oldestAgeMs(7)).isZero();
        queue.add(change("r", 1), pending(), millis(10));
        queue.add(change("r", 2), pending(), millis(40));
        queue.add(change("s", 3), pending(), millis(30));
        assertThat(queue.oldestAgeMs(millis(50))).isEqualTo(40);
        List<QueuedChange> taken = queue.take(1);
        assertThat(queue.oldestAgeMs(millis(50))).isEqualTo(20);
        queue.putBack(List.of(taken.get(0).ready(List.of())));
        assertThat(queue.oldestAgeMs(millis(50))).isEqualTo(40);
    }

    private void add(String row, long sequence) {
        PendingBatch pending = pending();
        queue.add(change(row, sequence), pending, 0);
        pending.release();
    }

    private void addReplayed(String row, long sequence) {
        PendingBatch pending = pending();
        queue.addReplayed(change(row, sequence), IndexSet.all(), pending, 0);
        pending.release();
    }

    private PendingBatch pending() {
        memory.reserve(10);
        return new PendingBatch(barrier.register(), memory, 10);
    }

    private static RowChange change(String row, long sequence) {
        return RowChange.of(row(row), sequence, 100 + sequence, 100 + sequence);
    }

    private static long millis(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private static List<String> rows(List<QueuedChange> items) {
        return items.stream().map(item -> Bytes.toString(item.change().row())).toList();
    }
}
