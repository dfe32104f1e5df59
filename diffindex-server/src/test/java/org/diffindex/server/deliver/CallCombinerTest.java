package org.diffindex.server.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.Uninterruptibles;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.sequences.Step;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that writes to one region are combined while a call is in flight, that each is made once, and fails only for
 * itself.
 */
@Timeout(60)
class CallCombinerTest {
    private static final CallCombiner.TargetRegion REGION =
            new CallCombiner.TargetRegion(TableName.valueOf("flights.by_origin"), "a");
    private static final CallCombiner.TargetRegion OTHER_REGION =
            new CallCombiner.TargetRegion(TableName.valueOf("flights.by_origin"), "b");

    private CallCombiner combiner = new CallCombiner(Long.MAX_VALUE);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** The rows of each call, in their order. */
    private final List<List<String>> calls = Collections.synchronizedList(new ArrayList<>());

    private final CountDownLatch firstIsInFlight = new CountDownLatch(1);
    private final CountDownLatch firstMayEnd = new CountDownLatch(1);

    @AfterEach
    void stop() {
        firstMayEnd.countDown();
        threads.shutdownNow();
    }

    @Test
    void aSingleWriteIsOneCallWithItsPutsFirst() throws IOException {
        combiner.write(REGION, List.of(delete("old"), put("new")), this::succeed);
        assertThat(calls).containsExactly(List.of("new", "old"));
        assertThat(combiner.isIdle()).isTrue();
    }

    @Test
    void combinesWritesThatArriveDuringACall() throws Exception {
        Future<?> first = writeThatHangs();
        List<Future<?>> others = List.of(write("b"), write("c"), write("d"));
        firstMayEnd.countDown();
        first.get();
        for (Future<?> other : others) {
            other.get();
        }
        assertThat(calls.get(0)).containsExactly("a");
        assertThat(calls.get(1)).containsExactlyInAnyOrder("b", "c", "d");
        assertThat(calls).hasSize(2);
        assertThat(combiner.isIdle()).isTrue();
    }

    @Test
    void aWriteToAnotherRegionDoesNotWait() throws Exception {
        Future<?> first = writeThatHangs();
        combiner.write(OTHER_REGION, List.of(put("b")), this::succeed);
        assertThat(calls).containsExactly(List.of("b"));
        firstMayEnd.countDown();
        first.get();
    }

    @Test
    void aCallThatHangsDelaysOthersOnlyBriefly() throws Exception {
        combiner = new CallCombiner(1);
        Future<?> first = writeThatHangs();
        combiner.write(REGION, List.of(put("b")), this::succeed);
        combiner.write(REGION, List.of(put("c")), this::succeed);
        assertThat(calls).containsExactly(List.of("b"), List.of("c"));
        firstMayEnd.countDown();
        first.get();
        assertThat(combiner.isIdle()).isTrue();
    }

    @Test
    void aWriteSeesOnlyItsOwnFailure() throws Exception {
        Future<?> first = writeThatHangs();
        Future<?> bad = write("bad");
        Future<?> good = write("good");
        firstMayEnd.countDown();
        first.get();
        good.get();
        assertThatThrownBy(bad::get)
                .isInstanceOf(ExecutionException.class)
                .rootCause()
                .hasMessage("no such region");
        assertThat(combiner.isIdle()).isTrue();
    }

    @Test
    void anyErrorOfACallEndsTheWaitOfAllItsWrites() throws Exception {
        Future<?> first = writeThatHangs();
        CallCombiner.Caller broken = (mutations, results) -> {
            throw new StackOverflowError("deep");
        };
        List<Future<?>> others = new ArrayList<>();
        for (String row : List.of("b", "c")) {
            others.add(threads.submit(call(() -> combiner.write(REGION, List.of(put(row)), broken))));
        }
        awaitWaiting(2);
        firstMayEnd.countDown();
        first.get();
        for (Future<?> other : others) {
            assertThatThrownBy(other::get).rootCause().hasMessage("deep");
        }
        assertThat(combiner.isIdle()).isTrue();
        combiner.write(REGION, List.of(put("d")), this::succeed);
    }

    /** As it happens if memory is used up. */
    @Test
    void anErrorBeforeTheCallEndsTheWaitOfAllItsWrites() throws Exception {
        Future<?> first = writeThatHangs();
        List<Mutation> broken = new AbstractList<>() {
            @Override
            public Mutation get(int index) {
                throw new OutOfMemoryError("no list");
            }

            @Override
            public int size() {
                return 1;
            }
        };
        List<Future<?>> others = new ArrayList<>();
        for (List<Mutation> mutations : List.of(List.<Mutation>of(put("b")), broken)) {
            others.add(threads.submit(call(() -> combiner.write(REGION, mutations, this::succeed))));
        }
        awaitWaiting(2);
        firstMayEnd.countDown();
        first.get();
        for (Future<?> other : others) {
            assertThatThrownBy(() -> other.get(1, TimeUnit.MINUTES)).rootCause().hasMessage("no list");
        }
        assertThat(combiner.isIdle()).isTrue();
    }

    @Test
    void theThreadThatMakesTheCallGetsItsErrorUnchanged() {
        StackOverflowError deep = new StackOverflowError("deep");
        assertThatThrownBy(() -> combiner.write(REGION, List.of(put("a")), (mutations, results) -> {
                    throw deep;
                }))
                .isSameAs(deep);
        assertThat(combiner.isIdle()).isTrue();
    }

    @Test
    void anInterruptedWriteBlocksNoOther() throws Exception {
        Future<?> first = writeThatHangs();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> combiner.write(REGION, List.of(put("b")), this::succeed))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        firstMayEnd.countDown();
        first.get();
        assertThat(combiner.isIdle()).isTrue();
        assertThat(calls).containsExactly(List.of("a"));
    }

    /** The write may still be applied, but its thread does not know. */
    @Test
    void anInterruptedWriteFailsThoughAnotherThreadSendsIt() throws Exception {
        Future<?> first = writeThatHangs();
        CountDownLatch isSent = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Future<?> sender = threads.submit(call(() -> combiner.write(REGION, List.of(put("b")), (mutations, results) -> {
            isSent.countDown();
            await(mayEnd);
            succeed(mutations, results);
        })));
        awaitWaiting(1);
        Thread[] thread = new Thread[1];
        CountDownLatch begun = new CountDownLatch(1);
        Future<?> interrupted = threads.submit(call(() -> {
            thread[0] = Thread.currentThread();
            begun.countDown();
            combiner.write(REGION, List.of(put("c")), this::succeed);
        }));
        begun.await();
        awaitWaiting(2);
        firstMayEnd.countDown();
        first.get();
        isSent.await();
        thread[0].interrupt();
        assertThatThrownBy(interrupted::get).hasCauseInstanceOf(InterruptedIOException.class);
        mayEnd.countDown();
        sender.get();
        assertThat(calls).containsExactly(List.of("a"), List.of("b", "c"));
        assertThat(combiner.isIdle()).isTrue();
    }

    /** None of the writes is known to be made, so none may be taken for sent, and none may wait for ever. */
    @Test
    void aCallWhoseThreadIsInterruptedFailsForAllItsWrites() throws Exception {
        Future<?> first = writeThatHangs();
        CallCombiner.Caller interrupted = (mutations, results) -> {
            throw new InterruptedIOException("interrupted");
        };
        List<Future<?>> others = new ArrayList<>();
        for (String row : List.of("b", "c")) {
            others.add(threads.submit(call(() -> combiner.write(REGION, List.of(put(row)), interrupted))));
        }
        awaitWaiting(2);
        firstMayEnd.countDown();
        first.get();
        for (Future<?> other : others) {
            assertThatThrownBy(other::get).rootCause().isInstanceOf(InterruptedIOException.class);
        }
        assertThat(combiner.isIdle()).isTrue();
    }

    /** A thread that goes on after an interrupt of its wait only when it is told to. */
    private static final class Interrupted extends Thread {
        private final CountDownLatch mayGoOn = new CountDownLatch(1);

        Interrupted(Runnable task) {
            super(task);
        }

        /** Waits if the thread itself sets its status again. */
        @Override
        public void interrupt() {
            if (Thread.currentThread() == this) {
                Uninterruptibles.awaitUninterruptibly(mayGoOn);
            }
            super.interrupt();
        }
    }

    /** The failure of the call arrives after the interrupt has ended the wait, and before the write has noticed. */
    @Test
    void anInterruptedWriteWhoseCallFailsAtThatMomentFailsWithAnIoException() throws Exception {
        Future<?> first = writeThatHangs();
        FutureTask<?> write = new FutureTask<>(call(() -> combiner.write(REGION, List.of(put("c")), this::succeed)));
        Interrupted writer = new Interrupted(write);
        Future<?> sender = threads.submit(call(() -> combiner.write(REGION, List.of(put("b")), (mutations, results) -> {
            Waiting.until("the write waits", () -> writer.getState() == Thread.State.TIMED_WAITING);
            writer.interrupt();
            throw new IOException("the index table is not available");
        })));
        awaitWaiting(1);
        writer.start();
        awaitWaiting(2);
        firstMayEnd.countDown();
        first.get();
        assertThatThrownBy(sender::get).hasCauseInstanceOf(IOException.class);
        writer.mayGoOn.countDown();
        assertThatThrownBy(write::get).hasCauseInstanceOf(IOException.class);
        assertThat(combiner.isIdle()).isTrue();
    }

    @Test
    void writesEachOfManyMutationsOnce() throws Exception {
        int writers = 8;
        int each = 2_000;
        List<Future<?>> all = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            List<String> own = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                own.add(writer + "-" + i);
            }
            rows.addAll(own);
            Random random = new Random(writer);
            all.add(threads.submit(call(() -> {
                for (String row : own) {
                    combiner.write(random.nextBoolean() ? REGION : OTHER_REGION, List.of(put(row)), this::succeed);
                }
            })));
        }
        for (Future<?> writer : all) {
            writer.get();
        }
        assertThat(calls.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(rows);
        assertThat(calls).allSatisfy(call -> assertThat(call).hasSizeLessThanOrEqualTo(CallCombiner.MOST));
        assertThat(combiner.isIdle()).isTrue();
    }

    /** Starts a write of the row "a", whose call is in flight until it may end. */
    private Future<?> writeThatHangs() throws InterruptedException {
        Future<?> first = threads.submit(call(() -> combiner.write(REGION, List.of(put("a")), (mutations, results) -> {
            firstIsInFlight.countDown();
            try {
                firstMayEnd.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            succeed(mutations, results);
        })));
        firstIsInFlight.await();
        return first;
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Starts a write that waits for the one that hangs. */
    private Future<?> write(String row) {
        int before = combiner.waiting(REGION);
        Future<?> write = threads.submit(call(() -> combiner.write(REGION, List.of(put(row)), this::succeed)));
        awaitWaiting(before + 1);
        return write;
    }

    private void awaitWaiting(int writes) {
        while (combiner.waiting(REGION) < writes) {
            Thread.onSpinWait();
        }
    }

    /** Succeeds except for the row "bad". */
    private void succeed(List<Mutation> mutations, Object[] results) throws IOException {
        List<String> rows = mutations.stream()
                .map(mutation -> Bytes.toString(mutation.getRow()))
                .toList();
        calls.add(rows);
        Arrays.fill(results, Result.EMPTY_RESULT);
        if (rows.contains("bad")) {
            results[rows.indexOf("bad")] = null;
            throw new IOException("no such region");
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static Callable<Void> call(Step step) {
        return () -> {
            step.run();
            return null;
        };
    }

    private static Put put(String row) {
        return new Put(Bytes.toBytes(row));
    }

    private static Delete delete(String row) {
        return new Delete(Bytes.toBytes(row));
    }
}
