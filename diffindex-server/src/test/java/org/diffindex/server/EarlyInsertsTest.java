package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.Uninterruptibles;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.LeasedRead;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.queue.DeliveryStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;

/** Tests that the entry of a sync-insert index may be written before its row. */
class EarlyInsertsTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    private final IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_INSERT);
    private final ExecutorService others = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    private LocalRegion local;

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(folder, 1, List.of(index));
    }

    @AfterEach
    void everyRowHasItsEntryAndNothingHoldsTheFlush() throws IOException {
        local.base().gate.open();
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(index).entries()).containsAll(local.expected(index));
        others.shutdownNow();
        local.close();
    }

    /** An Error out of a hook would end the server. */
    @ParameterizedTest
    @ValueSource(classes = {RejectedExecutionException.class, OutOfMemoryError.class})
    void nothingIsSentEarlyIfThereIsNoThread(Class<? extends Throwable> failure) {
        ExecutorService none = mock(ExecutorService.class);
        when(none.submit(ArgumentMatchers.<Callable<Object>>any())).thenThrow(failure);
        Semaphore places = new Semaphore(1);
        EarlyInserts.Sender sender = new EarlyInserts.Sender(updates -> {}, none, places, new DeliveryStats());
        assertThat(sender.send(List.of())).isEmpty();
        assertThat(places.availablePermits()).isOne();
    }

    @Test
    void aPlaceIsTakenUntilTheInsertsAreWrittenOrHaveFailed() throws Exception {
        CountDownLatch silent = new CountDownLatch(1);
        IndexSink failing = updates -> {
            Uninterruptibles.awaitUninterruptibly(silent);
            throw new IOException("failed");
        };
        EarlyInserts.Sender sender = new EarlyInserts.Sender(failing, others, new Semaphore(1), new DeliveryStats());
        EarlyInserts first = sender.send(List.of()).orElseThrow();
        assertThat(sender.send(List.of())).isEmpty();
        silent.countDown();
        assertThatThrownBy(first::await).hasRootCauseMessage("failed");
        assertThat(sender.send(List.of())).isPresent();
    }

    @Test
    void insertsTheEntryWhileTheRowIsBeingWritten() throws Exception {
        local.base().gate.close();
        Future<?> writer = concurrently(() -> put("ORD"));
        Waiting.until("the index has the entry", () -> entries("ORD"));
        assertThat(local.expected(index)).isEmpty();
        local.base().gate.open();
        writer.get();
    }

    @Test
    void aLookupWaitsUntilTheRowIsWritten() throws Exception {
        local.region().put(put("r", "ORD"));
        local.base().gate.close();
        Future<?> writer = concurrently(() -> put("LAX"));
        Waiting.until("the index has the entry", () -> entries("LAX"));

        Future<String> lookup = concurrently(() -> Bytes.toString(
                local.region().get(LeasedRead.mark(new Get(row("r")))).getValue(F, ORIGIN)));
        Waiting.until("the lookup waits at the row", () -> isWaitingInARowLock(lookup));
        local.base().gate.open();

        assertThat(lookup.get()).isEqualTo("LAX");
        writer.get();
    }

    @Test
    void aPlainReadDoesNotWait() throws Exception {
        local.region().put(put("r", "ORD"));
        local.base().gate.close();
        Future<?> writer = concurrently(() -> put("LAX"));
        Waiting.until("the index has the entry", () -> entries("LAX"));
        assertThat(local.region().get(new Get(row("r"))).getValue(F, ORIGIN)).isEqualTo(Bytes.toBytes("ORD"));
        local.base().gate.open();
        writer.get();
    }

    @Test
    void indexesTheNextWriteAfterAFailedOne() throws IOException {
        local.base().failingWrites.failNext(1);
        assertThatThrownBy(() -> local.region().put(put("r", "ORD"))).isInstanceOf(IOException.class);
        local.region().put(put("r", "LAX"));
        assertThat(entries("LAX")).isTrue();
    }

    @Test
    void reportsAFailedInsertAndDeliversItLater() {
        local.network().failures.failNext(1);
        assertThatThrownBy(() -> local.region().put(put("r", "ORD")))
                .isInstanceOf(IndexUpdateDelayedException.class)
                .hasMessageContaining("the base row is durable and the index will follow");
    }

    @Test
    void indexesARowWithMoreThanOnePutAfterItsWrites() throws IOException {
        local.region().put(put("s", "ORD"));
        local.region().batchMutate(new Mutation[] {
            put("r", "ORD"), new Delete(row("s")).addColumns(F, ORIGIN), put("t", "JFK"), put("t", "SFO")
        });
        assertThat(entries("ORD")).isTrue();
        assertThat(entries("SFO")).isTrue();
    }

    @Test
    void sendsEachEntryOnce() throws IOException, DoNotRetryIOException {
        local.region().batchMutate(new Mutation[] {put("r", "ORD"), put("s", "LAX")});
        assertThat(local.network().indexPuts.own()).isEqualTo(2);
        assertThat(local.status().getIndexPuts()).isEqualTo(2);
    }

    private <T> Future<T> concurrently(Callable<T> task) {
        return others.submit(task);
    }

    private Void put(String origin) throws IOException {
        local.region().put(put("r", origin));
        return null;
    }

    private boolean entries(String origin) {
        return local.indexTable(index).entries().stream().anyMatch(entry -> entry.startsWith(origin));
    }

    private static boolean isWaitingInARowLock(Future<?> lookup) {
        return !lookup.isDone()
                && Thread.getAllStackTraces().values().stream().anyMatch(EarlyInsertsTest::awaitsWritesOfARow);
    }

    private static boolean awaitsWritesOfARow(StackTraceElement[] stack) {
        return stack.length > 0
                && stack[0].getMethodName().equals("park")
                && List.of(stack).stream()
                        .anyMatch(frame -> frame.getMethodName().equals("awaitWriteOf"));
    }

    private static Put put(String row, String origin) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }
}
