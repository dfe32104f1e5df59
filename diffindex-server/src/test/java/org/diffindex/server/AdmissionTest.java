package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.QueueMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that a write is either admitted, or refused without a trace. */
class AdmissionTest {
    private static final long LIMIT = 1_000;

    private final RegionInfo region =
            RegionInfoBuilder.newBuilder(Flights.TABLE).build();
    private final Configuration conf = new Configuration(false);
    private final AtomicLong clock = new AtomicLong();
    private final WaitingHandlers handlers = new WaitingHandlers(2, clock::get);
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(LIMIT);
    private final AtomicInteger reliefs = new AtomicInteger();
    private final Admission admission = ofIndex(IndexScheme.SYNC_FULL);

    private Admission ofIndex(IndexScheme scheme) {
        return new Admission(
                region,
                new RegionMaintainers(List.of(Flights.byOrigin(scheme)), (row, sequence) -> List.of()),
                new Settings(conf),
                handlers,
                barrier,
                memory,
                bytes -> reliefs.incrementAndGet());
    }

    @AfterEach
    void nothingIsLeftInFlight() {
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();
    }

    @Test
    void anAdmittedWriteReservesMemoryAndIsWaitedForUntilItsRelease() throws IOException {
        PendingBatch write = admission.admit(300);
        assertThat(memory.used()).isEqualTo(300);
        assertThat(admission.await(0, index -> false).total()).isEqualTo(1);
        write.release();
        assertThat(admission.await(0, index -> false).total()).isZero();
    }

    @Test
    void aWriteThatExceedsTheMemoryIsRefusedUntilAnotherIsReleased() throws IOException {
        PendingBatch first = admission.admit(LIMIT);
        assertThatThrownBy(() -> admission.admit(1))
                .isInstanceOf(RegionTooBusyException.class)
                .hasMessageContaining("1000 bytes, the limit is 1000")
                .hasMessageContaining("nothing was written")
                .hasMessageContaining(region.getRegionNameAsString());
        assertThat(barrier.inside()).as("batches at the barrier").isEqualTo(1);
        first.release();
        admission.admit(1).release();
    }

    @Test
    void relievesMemoryBeforeItRefusesAWrite() throws IOException {
        PendingBatch first = admission.admit(LIMIT);
        int before = reliefs.get();
        assertThatThrownBy(() -> admission.admit(1)).isInstanceOf(RegionTooBusyException.class);
        assertThat(reliefs).hasValue(before + 1);
        first.release();
    }

    @Test
    void admitsAWriteThatWasExecutedBeforeBeyondTheLimitAndAfterTheClose() throws IOException {
        PendingBatch first = admission.admit(LIMIT);
        admission.close();
        PendingBatch replayed = admission.admitWritten(300);
        assertThat(memory.used()).isEqualTo(LIMIT + 300);
        assertThat(barrier.inside()).isEqualTo(2);
        first.release();
        replayed.release();
    }

    @Test
    void afterTheCloseRefusesWritesAndWaitsForThoseAdmittedBefore() throws IOException {
        PendingBatch first = admission.admit(1);
        assertThat(admission.isClosed()).isFalse();
        admission.close();
        assertThat(admission.isClosed()).isTrue();
        assertThatThrownBy(() -> admission.admit(1))
                .isInstanceOf(NotServingRegionException.class)
                .hasMessageContaining("nothing was written");
        assertThat(admission.await(0, index -> false).total()).isEqualTo(1);
        first.release();
    }

    @Test
    void whileTooManyHandlersWaitOnlyRegionsWithSynchronousIndexesRefuseWrites() throws IOException {
        WaitingHandlers.Wait wait = handlers.begin();
        admission.admit(1).release();
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThatThrownBy(() -> admission.admit(1))
                .isInstanceOf(RegionTooBusyException.class)
                .hasMessageContaining("nothing was written");
        ofIndex(IndexScheme.ASYNC_SIMPLE).admit(1).release();
        wait.end();
        admission.admit(1).release();
    }

    @Test
    void refusesWithReasonAndRemedyIfTheServerReplaysNoWal() {
        assertThatCode(() -> admission.requireReplayableWal("Refused")).doesNotThrowAnyException();
        conf.setBoolean(Settings.SPLIT_TO_HFILE, true);
        assertThatThrownBy(() -> admission.requireReplayableWal("Refused"))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageStartingWith("Refused: ")
                .hasMessageContaining(Settings.SPLIT_TO_HFILE + "=true")
                .hasMessageContaining("set it to false")
                .hasMessageContaining("table=" + Flights.TABLE);
    }

    @Test
    void anInterruptedWaitKeepsTheInterruptStatus() throws IOException {
        PendingBatch write = admission.admit(1);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> admission.await(60_000, index -> false)).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        write.release();
    }
}
