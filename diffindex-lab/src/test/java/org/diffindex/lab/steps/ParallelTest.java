package org.diffindex.lab.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParallelTest {
    @Test
    void runsStepsConcurrentlyAndKeepsTheOrderOfTheirResults() throws IOException {
        CyclicBarrier all = new CyclicBarrier(3);
        List<Callable<Integer>> steps = new ArrayList<>();
        IntStream.range(0, 3)
                .forEach(i -> steps.add(() -> {
                    all.await(30, TimeUnit.SECONDS); // ends only if all three run at the same time
                    return i;
                }));
        assertThat(Parallel.run(3, steps)).containsExactly(0, 1, 2);
    }

    @Test
    void runsNoMoreStepsAtATimeThanThereAreThreads() throws IOException {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Callable<Void>> steps = new ArrayList<>();
        IntStream.range(0, 50)
                .forEach(i -> steps.add(() -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    running.decrementAndGet();
                    return null;
                }));
        assertThat(Parallel.run(2, steps)).hasSize(50);
        assertThat(most.get()).isBetween(1, 2);
    }

    @Test
    void aFailureInterruptsTheRunningSteps() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        List<Callable<Void>> steps = List.of(
                () -> {
                    running.await();
                    throw new IOException("full");
                },
                () -> {
                    try {
                        running.countDown();
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                    return null;
                });
        assertThatThrownBy(() -> Parallel.run(2, steps))
                .isInstanceOf(IOException.class)
                .hasMessage("full");
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void wrapsAnUncheckedFailure() {
        List<Callable<Void>> steps = List.of(() -> {
            throw new IllegalStateException("bug");
        });
        assertThatThrownBy(() -> Parallel.run(1, steps))
                .isInstanceOf(IOException.class)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("bug");
    }

    @Test
    void anInterruptEndsTheWaitAndRemainsSet() {
        CountDownLatch never = new CountDownLatch(1);
        List<Callable<Void>> steps = List.of(() -> {
            never.await();
            return null;
        });
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Parallel.run(1, steps))
                .isInstanceOf(IOException.class)
                .hasMessage("The run was interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aRotationPutsEveryElementAtEveryPlaceOnce() {
        List<String> things = List.of("a", "b", "c");
        assertThat(Rotation.of(things, 0)).containsExactly("a", "b", "c");
        assertThat(Rotation.of(things, 1)).containsExactly("b", "c", "a");
        for (int place = 0; place < 3; place++) {
            int at = place;
            assertThat(IntStream.range(4, 7)
                            .mapToObj(turn -> Rotation.of(things, turn).get(at)))
                    .containsExactlyInAnyOrder("a", "b", "c");
        }
    }
}
