package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void spreadsTheStartsOfAllClientsEvenly() {
        List<Long> starts = new ArrayList<>();
        IntStream.range(0, 4).forEach(client -> {
            Schedule schedule = new Schedule(SECOND, 100, 4, client);
            LongStream.range(0, 25).forEach(n -> starts.add(schedule.intendedStart(n)));
        });
        assertThat(starts.stream().sorted())
                .containsExactlyElementsOf(LongStream.range(0, 100)
                        .mapToObj(n -> SECOND + n * SECOND / 100)
                        .toList());
    }

    @Test
    void theIntendedStartDoesNotWaitForOperationsThatAreLate() {
        Schedule schedule = new Schedule(0, 3, 1, 0);
        assertThat(schedule.intendedStart(3_000_000)).isEqualTo(1_000_000 * SECOND);
    }

    @Test
    void refusesARateOfZeroAndAClientOutOfRange() {
        assertThatThrownBy(() -> new Schedule(0, 0, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Schedule(0, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    /**
     * The first operation is delayed until nine more are due. These have waited too, and their latencies include the
     * wait.
     */
    @Test
    void aLatencyBehindASlowOperationCountsFromTheIntendedStart() throws IOException {
        double perSecond = 100;
        CountDownLatch held = new CountDownLatch(1);
        List<Long> times = new ArrayList<>();
        Load.Done done = Load.paced(1, perSecond, 0.1).run(thread -> () -> {
            if (times.isEmpty()) {
                awaitQuietly(held, 200);
            }
            times.add(System.nanoTime());
        });
        assertThat(done.nanos().getTotalCount()).isEqualTo(10);
        // The last operation was due 90 ms after the first, and started after 200 ms: it has waited at least 110 ms.
        assertThat(done.nanos().getMinValue()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(100));
    }

    private static void awaitQuietly(CountDownLatch latch, long millis) throws IOException {
        try {
            assertThat(latch.await(millis, TimeUnit.MILLISECONDS)).isFalse();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void withoutARateAClientMakesAtLeastOneOperation() throws IOException {
        Load.Done done = Load.closed(3, 0).run(thread -> () -> {});
        assertThat(done.nanos().getTotalCount()).isEqualTo(3);
    }

    @Test
    void aClientThatFailsEndsTheLoadWithItsError() {
        assertThatThrownBy(() -> Load.closed(2, 60).run(thread -> () -> {
                    throw new IOException("of client " + thread);
                }))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("of client");
    }
}
