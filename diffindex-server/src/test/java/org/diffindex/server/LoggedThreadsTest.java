package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoggedThreadsTest {
    private final List<Throwable> reported = new CopyOnWriteArrayList<>();
    private final LoggedThreads threads = new LoggedThreads(1, Executors.defaultThreadFactory(), reported::add);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void reportsWhatATaskThrowsWhetherOrNotItIsAnError() throws Exception {
        Future<?> failing = threads.schedule(
                () -> {
                    throw new IllegalStateException("no such row");
                },
                1,
                TimeUnit.MILLISECONDS);
        Future<?> broken = threads.schedule(
                () -> {
                    throw new AssertionError("no such class");
                },
                2,
                TimeUnit.MILLISECONDS);

        assertThatThrownBy(failing::get).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(broken::get).isInstanceOf(ExecutionException.class);
        threads.submit(() -> {}).get(); // runs when the report of the tasks before is made, on the same thread

        assertThat(reported).extracting(Throwable::getMessage).containsExactly("no such row", "no such class");
    }

    @Test
    void reportsNeitherTasksThatSucceedNorCancelledOnes() throws Exception {
        Future<?> cancelled = threads.schedule(() -> {}, 1, TimeUnit.HOURS);
        assertThat(cancelled.cancel(true)).isTrue();
        threads.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get();
        threads.submit(() -> {}).get();

        assertThat(reported).isEmpty();
    }
}
