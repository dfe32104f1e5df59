package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class StartGateTest {
    private final StartGate gate = new StartGate();

    @Test
    void startsNothingOnceItIsClosed() throws Exception {
        AtomicBoolean started = new AtomicBoolean();
        gate.close();

        assertThatThrownBy(() -> gate.start("rs1", () -> started.set(true)))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("rs1 was not started");
        assertThat(started).isFalse();
    }

    /** Otherwise whoever kills all processes would miss the one that is being started. */
    @Test
    void closesWhenTheStartUnderWayIsFinished() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        AtomicBoolean started = new AtomicBoolean();
        Thread starter = new Thread(() -> {
            try {
                gate.start("rs1", () -> {
                    inside.countDown();
                    await(closing);
                    started.set(true);
                });
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        starter.start();
        await(inside);
        Thread closer = new Thread(gate::close);
        closer.start();
        while (closer.getState() != Thread.State.BLOCKED && closer.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(closer.isAlive()).as("the gate waits").isTrue();

        closing.countDown();
        closer.join();

        assertThat(started).isTrue();
        starter.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
