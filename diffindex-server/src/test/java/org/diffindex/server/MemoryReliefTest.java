package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.diffindex.server.queue.QueueMemory;
import org.junit.jupiter.api.Test;

/** Tests when the updates for indexes that are behind are moved to disk, and which. */
class MemoryReliefTest {
    private static final long LIMIT = 8_000;
    private static final long WORTH_PARKING = 1_000;

    private final QueueMemory memory = new QueueMemory(LIMIT);
    private final List<Runnable> tasks = new ArrayList<>();
    private long nowNanos = -5;
    private final MemoryRelief relief = new MemoryRelief(memory, tasks::add, () -> nowNanos);

    /** A region whose queues hold reserved memory, until it is relieved of them. */
    private class Queues implements OnlineRegion {
        private final String name;
        private final List<Long> queues = new ArrayList<>();
        private int files;
        private int unloads;

        Queues(String name, long... bytes) {
            this.name = name;
            LongStream.of(bytes).forEach(this::waits);
            relief.opened(this);
        }

        void waits(long bytes) {
            memory.reserve(bytes);
            queues.add(bytes);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public RegionMetrics metrics() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void unload() {
            unloads++;
        }

        @Override
        public LongStream parkableBytes() {
            return queues.stream().mapToLong(bytes -> bytes);
        }

        @Override
        public void relieve(long least) {
            queues.removeIf(bytes -> {
                boolean parks = bytes >= least;
                if (parks) {
                    files++;
                    memory.release(bytes);
                }
                return parks;
            });
        }
    }

    @Test
    void movesNothingWhileHalfOfTheMemoryIsFree() {
        Queues region = new Queues("a", LIMIT / 2);
        aWriteComes(0);
        assertThat(region.unloads).isZero();
        assertThat(region.queues).hasSize(1);
    }

    @Test
    void movesWhatWaitsWhenTheMemoryIsShort() {
        Queues first = new Queues("a", LIMIT / 4);
        Queues second = new Queues("b", LIMIT / 4 + 1);
        aWriteComes(0);
        assertThat(memory.used()).isZero();
        assertThat(first.unloads + second.unloads).isEqualTo(2);
    }

    @Test
    void movesNothingIfItSufficesToUnload() {
        Queues region = new Queues("a", LIMIT / 2);
        new Queues("b") {
            @Override
            public void unload() {
                memory.release(1);
            }
        };
        memory.reserve(1);
        aWriteComes(0);
        assertThat(region.queues).hasSize(1);
    }

    @Test
    void writesFewFilesWhileOthersHoldTheMemory() {
        memory.reserve(LIMIT / 2);
        Queues region = new Queues("a");
        int writes = 1_000;
        long bytes = 10;
        for (int i = 0; i < writes; i++) {
            long waiting = region.parkableBytes().sum();
            region.queues.clear();
            region.queues.add(waiting + bytes);
            memory.reserve(bytes);
            nowNanos += TimeUnit.SECONDS.toNanos(1);
            aWriteComes(bytes);
            assertThat(region.parkableBytes().sum()).isLessThan(WORTH_PARKING);
        }
        assertThat(region.files).isEqualTo((int) (writes * bytes / WORTH_PARKING));
    }

    @Test
    void leavesTheQueuesThatHoldMuchLessThanTheOthers() {
        Queues region = new Queues("a", 3_000, 10, 3_000, 1_000);
        aWriteComes(0);
        assertThat(region.queues).containsExactly(10L);
        assertThat(region.files).isEqualTo(3);
    }

    @Test
    void movesAllQueuesOfTheSameSizeHoweverManyThereAre() {
        List<Queues> regions = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            regions.add(new Queues("region " + i, 10));
        }
        aWriteComes(0);
        assertThat(memory.used()).isZero();
        assertThat(regions).allSatisfy(region -> assertThat(region.queues).isEmpty());
    }

    @Test
    void aWriteThatNeedsMoreThanHalfOfTheMemoryGetsIt() {
        Queues region = new Queues("a", LIMIT / 4);
        assertThat(memory.tryReserve(LIMIT)).isFalse();
        aWriteComes(LIMIT);
        assertThat(region.queues).isEmpty();
        region.waits(WORTH_PARKING - 1);
        nowNanos += TimeUnit.SECONDS.toNanos(1);
        aWriteComes(LIMIT);
        assertThat(region.queues).as("too little for a file").hasSize(1);
        assertThat(memory.tryReserve(LIMIT)).isTrue();
    }

    @Test
    void pausesWhenItDidNotSuffice() {
        Queues region = new Queues("a");
        memory.reserve(LIMIT);
        aWriteComes(0);
        assertThat(region.unloads).isOne();
        nowNanos += TimeUnit.MILLISECONDS.toNanos(99);
        aWriteComes(0);
        assertThat(region.unloads).isOne();
        nowNanos += TimeUnit.MILLISECONDS.toNanos(1);
        aWriteComes(0);
        assertThat(region.unloads).isEqualTo(2);
    }

    @Test
    void schedulesOnePassAtATime() {
        new Queues("a", LIMIT);
        relief.relieveIfShort(0);
        relief.relieveIfShort(0);
        assertThat(tasks).hasSize(1);
    }

    @Test
    void comesAgainAfterARegionFailed() {
        Queues region = new Queues("b", LIMIT);
        Queues failing = new Queues("a") {
            @Override
            public void unload() {
                throw new IllegalStateException("a failure that the test has planned");
            }
        };
        relief.relieveIfShort(0);
        Runnable pass = tasks.remove(0);
        assertThatThrownBy(pass::run).isInstanceOf(IllegalStateException.class);
        relief.closed(failing);
        nowNanos += TimeUnit.SECONDS.toNanos(1);
        aWriteComes(0);
        assertThat(region.queues).isEmpty();
    }

    @Test
    void aServerThatStopsMovesNothing() {
        MemoryRelief stopped = new MemoryRelief(
                memory,
                task -> {
                    throw new RejectedExecutionException("stopped");
                },
                () -> nowNanos);
        memory.reserve(LIMIT);
        stopped.relieveIfShort(1);
        assertThat(memory.used()).isEqualTo(LIMIT);
    }

    private void aWriteComes(long bytes) {
        relief.relieveIfShort(bytes);
        tasks.forEach(Runnable::run);
        tasks.clear();
    }
}
