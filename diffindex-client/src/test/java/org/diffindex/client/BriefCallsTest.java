package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests that calls are made at the same time on few threads, and that nothing but an interruption fails the caller. */
class BriefCallsTest {
    private static final String PURPOSE = "testing";

    private final BriefCalls calls = new BriefCalls(Duration.ofMinutes(1));
    private final CountDownLatch never = new CountDownLatch(1);

    private String hang() throws InterruptedException {
        never.await();
        return "late";
    }

    @Test
    void returnsTheAnswersInTheOrderOfTheCalls() throws IOException {
        List<Callable<String>> wanted = List.of(() -> "a", () -> "b", () -> "c");
        assertThat(calls.answers(PURPOSE, wanted))
                .containsExactly(Optional.of("a"), Optional.of("b"), Optional.of("c"));
        assertThat(calls.answers(PURPOSE, List.<Callable<String>>of())).isEmpty();
    }

    @Test
    void makesTheCallsAtTheSameTime() throws IOException {
        CyclicBarrier all = new CyclicBarrier(10);
        Callable<Boolean> call = () -> all.await() >= 0;
        assertThat(calls.answers(PURPOSE, Collections.nCopies(10, call))).containsOnly(Optional.of(true));
    }

    @Test
    void aCallThatFailsInWhateverWayHasNoAnswer() throws IOException {
        List<Callable<String>> wanted = List.of(
                () -> {
                    throw new IOException("moved");
                },
                () -> {
                    throw new IllegalStateException("closed");
                },
                () -> {
                    throw new NoClassDefFoundError("gone");
                },
                () -> "a");
        assertThat(calls.answers(PURPOSE, wanted))
                .containsExactly(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of("a"));
    }

    @Test
    void aCallThatTakesTooLongIsInterruptedAndHasNoAnswer() throws IOException {
        BriefCalls brief = new BriefCalls(Duration.ofMillis(100));
        AtomicBoolean isInterrupted = new AtomicBoolean();
        Callable<String> hanging = () -> {
            try {
                return hang();
            } finally {
                isInterrupted.set(true);
            }
        };
        while (!isInterrupted.get()) { // at times the call has not even begun
            assertThat(brief.answers(PURPOSE, List.of(hanging))).containsExactly(Optional.empty());
        }
    }

    @Test
    void anInterruptedCallerFailsAtOnceAndStaysInterrupted() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CompletableFuture<Boolean> failed = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                calls.answers(PURPOSE, List.<Callable<String>>of(() -> {
                    called.countDown();
                    return hang();
                }));
                failed.completeExceptionally(new AssertionError("The interruption was lost"));
            } catch (InterruptedIOException e) {
                failed.complete(Thread.currentThread().isInterrupted());
            }
        });
        caller.start();
        called.await();
        caller.interrupt();
        assertThat(failed.get(30, TimeUnit.SECONDS)).as("still interrupted").isTrue();
    }

    /** More threads would not be few; a queue would let one server that hangs delay the calls to all others. */
    @Test
    void doesNotMakeCallsForWhichNoThreadIsLeft() throws Exception {
        CountDownLatch busy = new CountDownLatch(64);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<List<Optional<String>>> others = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        others.complete(calls.answers(PURPOSE, Collections.nCopies(64, () -> {
                            busy.countDown();
                            mayEnd.await();
                            return "made";
                        })));
                    } catch (IOException e) {
                        others.completeExceptionally(e);
                    }
                })
                .start();
        busy.await();
        assertThat(calls.answers(PURPOSE, List.of(() -> "one too many"))).containsExactly(Optional.empty());
        assertThat(threads()).isLessThanOrEqualTo(64);
        mayEnd.countDown();
        assertThat(others.get(30, TimeUnit.SECONDS)).hasSize(64).containsOnly(Optional.of("made"));
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("diffindex-brief"))
                .count();
    }
}
