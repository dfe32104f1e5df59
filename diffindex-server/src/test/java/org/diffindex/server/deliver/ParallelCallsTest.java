package org.diffindex.server.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.Uninterruptibles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParallelCallsTest {
    private static final int TIMEOUT_MS = 10_000;
    private static final int THREADS = 4;

    /** Runs each task when it is submitted, so that the first one makes all calls but the writer's. */
    private final ExecutorService here = MoreExecutors.newDirectExecutorService();

    private final AtomicLong nanos = new AtomicLong();
    private final List<Integer> made = new ArrayList<>();
    private final List<Integer> limits = new ArrayList<>();
    private final Map<Integer, String> failures = new LinkedHashMap<>();

    private void makeAll(int calls, ParallelCalls.Maker<Integer> maker) throws InterruptedIOException {
        List<Integer> numbers = IntStream.range(0, calls).boxed().toList();
        ParallelCalls.Maker<Integer> recorded = (call, limitMs) -> {
            made.add(call);
            limits.add(limitMs);
            maker.make(call, limitMs);
        };
        new ParallelCalls<>(numbers, recorded, new ParallelCalls.Limits(THREADS, TIMEOUT_MS, nanos::get), 0)
                .makeAll(here, (call, failure) -> failures.put(call, failure.getMessage()));
    }

    @Test
    void makesEachCallOnceTheFirstOneOnTheThreadOfTheWriter() throws IOException {
        makeAll(9, (call, limitMs) -> {});
        assertThat(made).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 0);
        assertThat(failures).isEmpty();
    }

    /** A write must not take several delivery timeouts because it reaches many servers, or takes several steps. */
    @Test
    void callsThatBeginLateHaveWhatIsLeftOfTheTime() throws IOException {
        makeAll(8, (call, limitMs) -> nanos.addAndGet(TimeUnit.SECONDS.toNanos(2)));
        assertThat(made).containsExactly(1, 2, 3, 4, 5);
        assertThat(limits).containsExactly(0, 8_000, 6_000, 4_000, 2_000);
        assertThat(failures).containsOnlyKeys(0, 6, 7).allSatisfy((call, message) -> assertThat(message)
                .contains("Not sent", "took 10000 ms"));
    }

    /** Else small calls would seldom be combined with those of other writes. */
    @Test
    void callsOfAFastWriteHaveTheWholeTime() throws IOException {
        makeAll(4, (call, limitMs) -> nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(333)));
        assertThat(limits).containsExactly(0, 0, 0, 0);
    }

    @Test
    void reportsFailuresInTheOrderOfTheCallsAndMakesTheOthers() throws IOException {
        makeAll(6, (call, limitMs) -> {
            if (call == 0) {
                throw new IllegalStateException("first");
            } else if (call == 3) {
                throw new IOException("third");
            } else if (call == 4) {
                throw new LinkageError("fourth");
            }
        });
        assertThat(made).hasSize(6);
        assertThat(failures.keySet()).containsExactly(0, 3, 4);
        assertThat(failures.get(0)).isEqualTo("first");
        assertThat(failures.get(3)).contains("third");
        assertThat(failures.get(4)).contains("fourth");
    }

    @Test
    @Timeout(60)
    void noCallBeginsAfterTheWriterWasInterrupted() throws InterruptedException {
        CountDownLatch isInterrupted = new CountDownLatch(1);
        List<Integer> begun = new CopyOnWriteArrayList<>();
        ParallelCalls.Maker<Integer> maker = (call, limitMs) -> {
            begun.add(call);
            if (call == 0) {
                throw new InterruptedIOException("stop");
            }
            Uninterruptibles.awaitUninterruptibly(isInterrupted);
        };
        ExecutorService pool = Executors.newCachedThreadPool();
        assertThatThrownBy(() -> new ParallelCalls<>(
                                IntStream.range(0, 9).boxed().toList(),
                                maker,
                                new ParallelCalls.Limits(THREADS, TIMEOUT_MS, nanos::get),
                                0)
                        .makeAll(pool, (call, failure) -> failures.put(call, "failed")))
                .isInstanceOf(InterruptedIOException.class);
        isInterrupted.countDown();
        pool.shutdown();
        assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(begun).as("one for each thread at most").hasSizeLessThanOrEqualTo(THREADS);
        assertThat(failures).isEmpty();
    }

    /** The server is stopping, or no thread can be created. */
    @ParameterizedTest
    @ValueSource(classes = {RejectedExecutionException.class, OutOfMemoryError.class})
    void makesAllCallsOnTheThreadsThatThereAre(Class<? extends Throwable> failure) throws Exception {
        ExecutorService pool = mock(ExecutorService.class);
        when(pool.submit(any(Runnable.class))).thenThrow(failure);
        new ParallelCalls<>(
                        List.of(0, 1, 2),
                        (call, limitMs) -> made.add(call),
                        new ParallelCalls.Limits(THREADS, TIMEOUT_MS, nanos::get),
                        0)
                .makeAll(pool, (call, problem) -> failures.put(call, "failed"));
        assertThat(made).containsExactly(0, 1, 2);
        assertThat(failures).isEmpty();
    }
}
