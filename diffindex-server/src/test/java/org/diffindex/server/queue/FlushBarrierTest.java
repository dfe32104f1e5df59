package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a flush waits for what entered before it, and for nothing else. */
@Timeout(60)
class FlushBarrierTest {
    private final FlushBarrier barrier = new FlushBarrier();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void doesNotWaitWhenNothingIsInside() throws InterruptedException {
        assertThat(barrier.inside()).isZero();
        assertThat(barrier.awaitAllInside(0, TimeUnit.MILLISECONDS)).isZero();
    }

    @Test
    void aTimeoutReturnsHowManyAreStillInside() throws InterruptedException {
        barrier.register();
        barrier.register().leave();
        barrier.register();
        assertThat(barrier.awaitAllInside(1, TimeUnit.MILLISECONDS)).isEqualTo(2);
        assertThat(barrier.inside()).isEqualTo(2);
    }

    @Test
    void doesNotWaitForWritesThatEnterLater() throws Exception {
        FlushBarrier.Registration before = barrier.register();
        Future<Long> flush = flush();
        awaitWaiting(flush);
        FlushBarrier.Registration later = barrier.register();
        before.leave();
        assertThat(flush.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(barrier.inside()).isEqualTo(1);
        later.leave();
        assertThat(barrier.inside()).isZero();
    }

    @Test
    void theNextFlushWaitsForWritesThatATimedOutFlushLeft() throws Exception {
        FlushBarrier.Registration oldest = barrier.register();
        assertThat(barrier.awaitAllInside(0, TimeUnit.MILLISECONDS)).isEqualTo(1);
        FlushBarrier.Registration newer = barrier.register();
        Future<Long> flush = flush();
        awaitWaiting(flush);
        newer.leave();
        assertThat(flush).isNotDone();
        oldest.leave();
        assertThat(flush.get(30, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void generationsMayEmptyInAnyOrder() throws InterruptedException {
        int[][] orders = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}};
        for (int[] order : orders) {
            List<FlushBarrier.Registration> registrations = new ArrayList<>();
            for (int i = 0; i < order.length; i++) {
                registrations.add(barrier.register());
                assertThat(barrier.awaitAllInside(0, TimeUnit.MILLISECONDS)).isEqualTo(i + 1);
            }
            for (int left = order.length; left > 0; left--) {
                assertThat(barrier.inside()).isEqualTo(left);
                registrations.get(order[order.length - left]).leave();
            }
            assertThat(barrier.inside()).isZero();
        }
    }

    @Test
    void oneRegistrationMayOutlastAnyNumberOfFlushes() throws InterruptedException {
        FlushBarrier.Registration outage = barrier.register();
        for (int i = 0; i < 100_000; i++) {
            assertThat(barrier.awaitAllInside(0, TimeUnit.MILLISECONDS)).isEqualTo(1);
        }
        outage.leave();
        assertThat(barrier.inside()).isZero();
    }

    @Test
    void manyGenerationsMayBeOccupiedAtOnce() throws InterruptedException {
        List<FlushBarrier.Registration> registrations = new ArrayList<>();
        for (int i = 1; i <= 20_000; i++) {
            registrations.add(barrier.register());
            barrier.awaitAllInside(0, TimeUnit.MILLISECONDS);
        }
        assertThat(barrier.inside()).isEqualTo(20_000);
        registrations.forEach(FlushBarrier.Registration::leave);
        assertThat(barrier.inside()).isZero();
    }

    @Test
    void noWakeUpIsLostAmongManyWritersAndFlushes() throws Exception {
        AtomicBoolean writing = new AtomicBoolean(true);
        CountDownLatch started = new CountDownLatch(4);
        List<Future<?>> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            writers.add(threads.submit(() -> {
                started.countDown();
                while (writing.get()) {
                    FlushBarrier.Registration first = barrier.register();
                    FlushBarrier.Registration second = barrier.register();
                    first.leave();
                    second.leave();
                }
            }));
        }
        started.await();
        List<Future<?>> flushes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            flushes.add(threads.submit(() -> {
                for (int n = 0; n < 2_000; n++) {
                    assertThat(barrier.awaitAllInside(30, TimeUnit.SECONDS)).isZero();
                }
                return null;
            }));
        }
        for (Future<?> flush : flushes) {
            flush.get(50, TimeUnit.SECONDS);
        }
        writing.set(false);
        for (Future<?> writer : writers) {
            writer.get(30, TimeUnit.SECONDS);
        }
        assertThat(barrier.inside()).isZero();
    }

    @Test
    void waitsForAnIndexThatIsBehindOnlyOnRequest() throws Exception {
        FlushBarrier.Registration write = barrier.register();
        FlushBarrier.Registration behind = write.another("behind");
        Future<Long> flush = flush(index -> false);
        awaitWaiting(flush);
        write.leave();
        assertThat(flush.get(30, TimeUnit.SECONDS))
                .as("common writes that remain")
                .isZero();
        assertThat(barrier.inside()).isEqualTo(1);
        behind.leave();
    }

    /** A wait in several parts ends, although writers continue. */
    @Test
    void aLaterWaitForTheSameCutDoesNotWaitForLaterWrites() throws Exception {
        FlushBarrier.Registration before = barrier.register();
        long cut = barrier.cut();
        FlushBarrier.Registration later = barrier.register();
        assertThat(barrier.cut(cut)).isEqualTo(cut);
        assertThat(barrier.await(cut, 0, TimeUnit.SECONDS, index -> true).total())
                .isEqualTo(1);
        before.leave();
        assertThat(barrier.await(cut, 0, TimeUnit.SECONDS, index -> true).total())
                .isZero();
        assertThat(barrier.inside()).isEqualTo(1);
        later.leave();
    }

    /** It may be that of the region on its server before. */
    @Test
    void doesNotKnowTheCutOfAnotherBarrier() throws Exception {
        barrier.register();
        for (long foreign : new long[] {new FlushBarrier().cut(), 0, Long.MAX_VALUE}) {
            long cut = barrier.cut(foreign);
            assertThat(cut).isNotEqualTo(foreign);
            assertThat(barrier.await(cut, 0, TimeUnit.SECONDS, index -> true).total())
                    .isEqualTo(1);
        }
    }

    @Test
    void needsThePastFromTheOldestPointUntilTheLastIndexHasCaughtUp() {
        FlushBarrier.Registration older = barrier.register();
        FlushBarrier.Registration newer = barrier.register();
        older.needsPastFrom(7);
        newer.needsPastFrom(9);
        FlushBarrier.Registration behind = older.another("behind");
        older.leave();
        newer.leave();
        assertThat(barrier.pastNeededFrom()).isEqualTo(7);
        behind.leave();
        assertThat(barrier.pastNeededFrom()).isEqualTo(Long.MAX_VALUE);
    }

    private final List<Thread> waiting = new ArrayList<>();

    private Future<Long> flush() throws InterruptedException {
        return flush(index -> true);
    }

    /**
     * Starts a flush that waits without a limit, and returns how many writes common to all indexes remain.
     */
    private Future<Long> flush(Predicate<String> indexes) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        Future<Long> flush = threads.submit(() -> {
            waiting.add(Thread.currentThread());
            running.countDown();
            return barrier.await(barrier.cut(), 1, TimeUnit.HOURS, indexes).common();
        });
        running.await();
        return flush;
    }

    /** Returns when the flush's thread waits at the barrier. */
    private void awaitWaiting(Future<Long> flush) {
        Thread thread = waiting.get(waiting.size() - 1);
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(flush).isNotDone();
            Thread.onSpinWait();
        }
    }
}
