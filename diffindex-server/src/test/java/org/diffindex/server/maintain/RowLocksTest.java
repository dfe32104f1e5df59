package org.diffindex.server.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.rowKey;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a row has one write at a time, and that batches do not deadlock. */
@Timeout(60)
class RowLocksTest {
    private final RowLocks locks = new RowLocks();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void aSecondWriteOfTheRowWaitsForTheFirst() throws Exception {
        RowLocks.Held first = locks.acquire(List.of(rowKey("r")));
        CountDownLatch trying = new CountDownLatch(1);
        AtomicInteger entered = new AtomicInteger();
        Future<?> second = threads.submit(() -> {
            trying.countDown();
            RowLocks.Held held = locks.acquire(List.of(rowKey("r")));
            entered.incrementAndGet();
            held.release();
        });
        trying.await();
        locks.acquire(List.of(rowKey("other"))).release();
        assertThat(entered).hasValue(0);
        first.release();
        second.get(30, TimeUnit.SECONDS);
        assertThat(entered).hasValue(1);
    }

    @Test
    void aWriteWaitsForLocksForALimitedTime() throws Exception {
        RowLocks.Held first = locks.acquire(List.of(rowKey("r")));
        Duration brief = Duration.ofMillis(20);
        Future<RowLocks.Held> second =
                threads.submit(() -> locks.acquireWithin(brief, List.of(rowKey("q"), rowKey("r"))));
        assertThat(second.get(30, TimeUnit.SECONDS)).isNull();
        locks.acquire(List.of(rowKey("q"))).release();
        first.release();
        RowLocks.Held both = locks.acquireWithin(brief, List.of(rowKey("r"), rowKey("q")));
        assertThat(locks.size()).isEqualTo(2);
        both.release();
        assertThat(locks.size()).isZero();
    }

    @Test
    void anInterruptedThreadAcquiresFreeLocksAndWaitsForNoOthers() throws Exception {
        RowLocks.Held first = locks.acquire(List.of(rowKey("r")));
        Future<?> second = threads.submit(() -> {
            Thread.currentThread().interrupt();
            locks.acquireWithin(Duration.ofMinutes(5), List.of(rowKey("q"))).release();
            assertThat(locks.acquireWithin(Duration.ofMinutes(5), List.of(rowKey("q"), rowKey("r"))))
                    .isNull();
            assertThat(Thread.interrupted()).isTrue();
        });
        second.get(30, TimeUnit.SECONDS);
        first.release();
        assertThat(locks.size()).isZero();
    }

    @Test
    void writesOfOneRowNeverOverlap() throws Exception {
        int[] inside = new int[1];
        int[] total = new int[1];
        inParallel(4, thread -> {
            for (int i = 0; i < 5_000; i++) {
                RowLocks.Held held = locks.acquire(List.of(rowKey("r")));
                inside[0]++;
                assertThat(inside[0]).isEqualTo(1);
                total[0]++;
                inside[0]--;
                held.release();
            }
        });
        assertThat(total[0]).isEqualTo(20_000);
    }

    @Test
    void crossingBatchesDoNotDeadlock() throws Exception {
        List<ImmutableBytesWritable> rows = List.of(rowKey("a"), rowKey("b"), rowKey("c"), rowKey("d"), rowKey("e"));
        int[] total = new int[1];
        inParallel(4, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 3_000; i++) {
                List<ImmutableBytesWritable> batch = new ArrayList<>(rows);
                Collections.shuffle(batch, random);
                RowLocks.Held held = locks.acquire(batch);
                total[0]++;
                held.release();
            }
        });
        assertThat(total[0]).isEqualTo(12_000);
    }

    /** Otherwise two batches could each hold a row that the other waits for. */
    @Test
    void aBatchThatWaitsForARowHoldsNoLaterOne() throws Exception {
        RowLocks.Held first = locks.acquire(List.of(rowKey("a")));
        Thread batch = new Thread(
                () -> locks.acquire(List.of(rowKey("b"), rowKey("a"))).release());
        batch.start();
        Waiting.until("the batch waits for its row", () -> batch.getState() == Thread.State.WAITING);
        Future<?> second =
                threads.submit(() -> locks.acquire(List.of(rowKey("b"))).release());
        second.get(30, TimeUnit.SECONDS);
        first.release();
        batch.join();
    }

    @Test
    void releasingTwiceDoesNotReleaseTheLocksOfTheNextHolder() throws Exception {
        RowLocks.Held first = locks.acquire(List.of(rowKey("r"), rowKey("s")));
        first.release();
        RowLocks.Held second = locks.acquire(List.of(rowKey("r"), rowKey("s")));
        first.release();
        Future<RowLocks.Held> third = threads.submit(() -> locks.acquire(List.of(rowKey("r"))));
        assertThat(third).isNotDone();
        second.release();
        assertThat(third.get(30, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void waitsForAllThatHoldALockNow() throws Exception {
        locks.awaitHeld();
        RowLocks.Held first = locks.acquire(List.of(rowKey("a"), rowKey("b")));
        RowLocks.Held second = locks.acquire(List.of(rowKey("c")));
        Thread waiting = new Thread(locks::awaitHeld);
        waiting.start();
        Waiting.until("it waits for a lock", () -> waiting.getState() == Thread.State.WAITING);
        RowLocks.Held later = locks.acquire(List.of(rowKey("d")));
        first.release();
        Waiting.until("it waits for the other", () -> locks.size() == 2 && waiting.isAlive());
        second.release();
        waiting.join();
        later.release();
        assertThat(locks.size()).isZero();
    }

    /** The work of a thread. */
    @FunctionalInterface
    private interface Work {
        void run(int thread) throws Exception;
    }

    private void inParallel(int count, Work work) throws Exception {
        CyclicBarrier together = new CyclicBarrier(count);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int thread = i;
            all.add(threads.submit(() -> {
                together.await();
                work.run(thread);
                return null;
            }));
        }
        for (Future<?> each : all) {
            each.get(50, TimeUnit.SECONDS);
        }
    }
}
