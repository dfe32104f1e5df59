package org.diffindex.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.QueueMemory;

/**
 * Decides which writes of a region may proceed. A new write is refused, before anything of it is logged, if
 *
 * <ul>
 *   <li>the region is closing;
 *   <li>the region has synchronous indexes, and half of the server's write handlers have each waited for index tables
 *       for a second or longer;
 *   <li>the memory for index updates, shared by all regions of the server, is used up (back pressure).
 * </ul>
 *
 * <p>An admitted write holds a registration at the flush barrier and its share of the memory until the last reference
 * to its {@link PendingBatch} is released. {@link #await} waits for admitted writes.
 *
 * <p>Thread-safe: write handlers and endpoint handlers admit writes, the thread that opens the region admits replayed
 * ones, flushes and drains wait, and the thread that closes the region calls {@link #close}. A write enters the barrier
 * before it reads {@code closed}; therefore a thread that closes the admission and then waits, waits for every new
 * write that was admitted.
 */
final class Admission {
    private final RegionInfo region;
    private final RegionMaintainers maintainers;
    private final Settings settings;
    private final WaitingHandlers handlers;
    private final FlushBarrier barrier;
    private final QueueMemory memory;
    private final LongConsumer relief;

    /** Set once, by the thread that closes the region. */
    private volatile boolean closed;

    /**
     * Creates an open admission.
     *
     * @param handlers the handlers of the server that wait for index tables
     * @param memory the server's memory for index updates
     * @param relief receives the bytes of a write, and moves queued updates to disk if that memory is short of them;
     *     returns without waiting for it
     */
    Admission(
            RegionInfo region,
            RegionMaintainers maintainers,
            Settings settings,
            WaitingHandlers handlers,
            FlushBarrier barrier,
            QueueMemory memory,
            LongConsumer relief) {
        this.region = region;
        this.maintainers = maintainers;
        this.settings = settings;
        this.handlers = handlers;
        this.barrier = barrier;
        this.memory = memory;
        this.relief = relief;
    }

    /**
     * Throws if the server does not replay its WAL through the coprocessors, so that a crash would lose index updates.
     *
     * @param refusal what happened to the write, the beginning of the message
     */
    void requireReplayableWal(String refusal) throws DoNotRetryIOException {
        if (settings.splitsWalToHFiles()) {
            throw new DoNotRetryIOException(refusal + ": with " + Settings.SPLIT_TO_HFILE
                    + "=true a crash would lose index updates; set it to false in hbase-site.xml and restart the region"
                    + " servers [table=" + region.getTable() + "]");
        }
    }

    /**
     * Admits a write.
     *
     * @param bytes the memory, in bytes, that its index updates take while they are in flight
     * @return the admitted write, with one reference, which the caller must release
     * @throws NotServingRegionException if the region is closing
     * @throws RegionTooBusyException if the memory for index updates is used up, or too many handlers wait for index
     *     tables
     */
    PendingBatch admit(long bytes) throws IOException {
        FlushBarrier.Registration registration = barrier.register();
        boolean admitted = false;
        try {
            require(bytes);
            admitted = true;
        } finally {
            if (!admitted) {
                registration.leave();
            }
        }
        return new PendingBatch(registration, memory, bytes);
    }

    /** Memory that is reserved until it is released. */
    interface Reservation {
        void release();
    }

    /**
     * Reserves memory for a write of entries that changes no row. Neither flushes nor drains wait for such a write, nor
     * does the close; {@link #requireOpen} tells whether that has begun.
     *
     * @param bytes the memory, in bytes, that the write takes while it is in flight
     * @throws IOException as {@link #admit} does
     */
    Reservation reserve(long bytes) throws IOException {
        require(bytes);
        return () -> memory.release(bytes);
    }

    private void require(long bytes) throws IOException {
        requireOpen();
        refuseIfHandlersWait();
        relief.accept(bytes);
        refuseIfMemoryIsFull(bytes);
    }

    /**
     * Requires that the region is not closing.
     *
     * @throws NotServingRegionException if it is
     */
    void requireOpen() throws NotServingRegionException {
        if (closed) {
            throw new NotServingRegionException(
                    "The region is closing; nothing was written [" + region.getRegionNameAsString() + "]");
        }
    }

    private void refuseIfHandlersWait() throws RegionTooBusyException {
        if (maintainers.haveAny(IndexSet.synchronous()) && handlers.areTooMany()) {
            throw new RegionTooBusyException("Half of this server's handlers wait for index tables that do not answer;"
                    + " nothing was written, try again later [region=" + region.getRegionNameAsString() + "]");
        }
    }

    private void refuseIfMemoryIsFull(long bytes) throws RegionTooBusyException {
        if (!memory.tryReserve(bytes)) {
            throw new RegionTooBusyException(
                    "Index updates on their way hold " + memory.used() + " bytes, the limit is "
                            + memory.limit() + "; nothing was written, try again later [region="
                            + region.getRegionNameAsString() + "]");
        }
    }

    /**
     * Admits a write that HBase has executed before and that therefore cannot be refused: one that is replayed, or one
     * that a client sends again, which the region's next server would not recognize and would execute once more.
     * Exceeds the memory limit if necessary.
     *
     * @param bytes the memory, in bytes, that its index updates take while they are in flight
     * @return the admitted write, with one reference, which the caller must release
     */
    PendingBatch admitWritten(long bytes) {
        memory.reserve(bytes);
        return new PendingBatch(barrier.register(), memory, bytes);
    }

    /** Admits no more writes; those already admitted remain in flight. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns a number for all writes that are admitted by now; the earlier one, if this admission has returned that. */
    long cut(OptionalLong earlier) {
        return earlier.isPresent() ? barrier.cut(earlier.getAsLong()) : barrier.cut();
    }

    /** Does the same as {@link #await(long, long, Predicate)}, for the writes admitted before this call. */
    FlushBarrier.Inside await(long timeoutMs, Predicate<String> indexes) throws InterruptedIOException {
        return await(barrier.cut(), timeoutMs, indexes);
    }

    /**
     * Waits until the writes admitted before a cut are delivered to the indexes that keep up, and to some of those that
     * are behind.
     *
     * @param indexes selects by name the indexes to wait for even if they are behind
     * @return what is undelivered to any index when the wait ends
     */
    FlushBarrier.Inside await(long cut, long timeoutMs, Predicate<String> indexes) throws InterruptedIOException {
        try {
            return barrier.await(cut, timeoutMs, TimeUnit.MILLISECONDS, indexes);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException)
                    new InterruptedIOException("Interrupted while waiting for index updates").initCause(e);
        }
    }
}
