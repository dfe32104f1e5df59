package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class BuildGateTest {
    private static final BuildOrders PAUSED = new BuildOrders(OptionalDouble.empty(), true);

    private long nanos;
    private Duration waited = Duration.ZERO;

    /** Completed when a gate has got other orders during a wait. */
    private final CompletableFuture<Void> paused = new CompletableFuture<>();

    private BuildGate gate(BuildOrders orders) {
        return new BuildGate(orders, () -> nanos, time -> {
            waited = waited.plus(time);
            nanos += time.toNanos();
        });
    }

    private static BuildOrders limit(double rowsPerSecond) {
        return new BuildOrders(OptionalDouble.of(rowsPerSecond), false);
    }

    @Test
    void letsWholePagesPassWithoutALimit() throws IOException {
        BuildGate gate = gate(BuildOrders.NONE);
        assertThat(gate.pass(10_000)).isEqualTo(10_000);
        assertThat(gate.pass(10_000)).isEqualTo(10_000);
        assertThat(waited).isZero();
    }

    @Test
    void keepsToTheRate() throws IOException {
        BuildGate gate = gate(limit(1_000));
        for (int i = 0; i < 11; i++) {
            assertThat(gate.pass(10_000)).isEqualTo(100);
        }
        assertThat(waited).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aChangedRateCountsFromThenOn() throws IOException {
        BuildGate gate = gate(limit(1));
        gate.pass(1);
        gate.set(limit(1_000));
        gate.pass(100);
        gate.pass(100);
        assertThat(waited).isEqualTo(Duration.ofMillis(100));
        gate.set(BuildOrders.NONE);
        gate.pass(10_000);
        gate.pass(10_000);
        assertThat(waited).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void aPausedBuildStandsUntilItIsResumed() throws Exception {
        BuildGate gate = gate(PAUSED);
        CompletableFuture<Void> passed = CompletableFuture.runAsync(() -> {
            try {
                gate.pass(1);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        gate.set(new BuildOrders(OptionalDouble.of(5), true));
        assertThat(passed).isNotDone();
        gate.set(BuildOrders.NONE);
        passed.get(30, TimeUnit.SECONDS);
    }

    @Test
    void anInterruptEndsAPause() {
        BuildGate gate = gate(PAUSED);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> gate.pass(1)).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Like a thread that waits for 1,000 seconds, which a test cannot do. */
    @Test
    void aThreadThatWaitsForItsRateGoesOnWithoutALimit() throws IOException {
        BuildGate gate = gateThatIsSet(limit(0.001), new ArrayDeque<>(List.of(BuildOrders.NONE)));
        gate.pass(1);
        assertThat(gate.pass(10_000)).isEqualTo(10_000);
        assertThat(waited).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void aPauseThatIsOrderedDuringAWaitForTheRateHoldsThePage() throws Exception {
        BuildGate gate = gateThatIsSet(limit(2), new ArrayDeque<>(List.of(PAUSED)));
        gate.pass(1);
        CompletableFuture<Integer> passed = CompletableFuture.supplyAsync(() -> {
            try {
                return gate.pass(10_000);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        paused.get(30, TimeUnit.SECONDS);
        assertThat(passed).isNotDone();
        gate.set(limit(50));
        assertThat(passed.get(30, TimeUnit.SECONDS)).isEqualTo(5);
    }

    /** Returns a gate whose orders are replaced by the next ones with each wait. */
    private BuildGate gateThatIsSet(BuildOrders orders, Queue<BuildOrders> next) {
        AtomicReference<BuildGate> gate = new AtomicReference<>();
        gate.set(new BuildGate(orders, () -> nanos, time -> {
            waited = waited.plus(time);
            nanos += time.toNanos();
            BuildOrders others = next.poll();
            if (others != null) {
                gate.get().set(others);
                paused.complete(null);
            }
        }));
        return gate.get();
    }
}
