package org.diffindex.server.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.PastRows;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers to one index of one region, apart from the other indexes: updates that were not delivered in time, changes
 * that arrive while the index is behind, and changes that are on disk. Retries with exponential backoff; no update is
 * lost. Each delivery runs on a thread of {@link ApsThreads#calls}, so it takes none from the other indexes.
 * Thread-safe.
 */
final class IndexLane {
    private static final Logger LOG = LoggerFactory.getLogger(IndexLane.class);

    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 5_000;

    private final IndexDefinition index;

    /** The set of this index alone; all items share it. */
    private final IndexSet alone;

    private final TableName table;
    private final DeliveryParts parts;
    private final StalledIndexes stalled;
    private final UpdateQueue queue;

    /** Whether a run is scheduled or active; at most one is. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile boolean started;
    private volatile boolean stopped;
    private volatile long pauseMs = FIRST_PAUSE_MS;

    /** The batch taken from the queue that is neither delivered nor put back. */
    private volatile List<QueuedChange> inFlight = List.of();

    /** The items of calls that a {@link BatchDelivery} started and no longer waits for. */
    private final Set<List<QueuedChange>> late = ConcurrentHashMap.newKeySet(1);

    IndexLane(IndexDefinition index, DeliveryParts parts) {
        this.index = index;
        this.alone = IndexSet.of(index);
        this.table = index.indexTable();
        this.parts = parts;
        this.stalled = parts.threads().stalled();
        this.queue = parts.queue().another();
    }

    IndexDefinition index() {
        return index;
    }

    /** Returns whether an item is for the index and changes its entry. */
    boolean isConcernedBy(QueuedChange item) {
        return item.indexes().contains(index) && parts.maintainers().concernedBy(item.change(), alone);
    }

    void start() {
        started = true;
        wake();
    }

    /** Starts no further delivery; one in flight goes on. */
    void stop() {
        stopped = true;
    }

    /** Discards all queued items, and those that are added or put back later. */
    void clear() {
        queue.clear();
    }

    /** Returns whether updates for the index must take this lane. */
    boolean isBehind() {
        return stalled.contains(table) || queue.size() > 0 || !inFlight.isEmpty() || !late.isEmpty();
    }

    /** Returns what the index lacks in memory: queued, in flight and late. */
    Backlog backlog() {
        List<QueuedChange> away = Stream.concat(inFlight.stream(), late.stream().flatMap(Collection::stream))
                .toList();
        return Backlog.of(queue, away, parts.nanoClock().getAsLong());
    }

    /** Returns whether this server's last delivery to the index failed or was slow. */
    boolean isStalled() {
        return stalled.contains(table);
    }

    int parkedFiles() {
        return parts.spill().parkedFiles(index);
    }

    /** Returns the memory, in bytes, that {@link #park} would release at most. */
    long parkableBytes() {
        return queue.reservedBytes();
    }

    /** Parks again what was loaded from disk, if the index is stalled; see {@link Spill#unload}. */
    void unload() {
        if (isStalled()) {
            parts.spill().unload(index, queue);
        }
    }

    /**
     * Moves the queued items to disk, except those loaded from there.
     *
     * @throws IOException if they cannot be written; they stay queued then
     */
    void park() throws IOException {
        parts.spill().park(queue);
    }

    /**
     * Queues an item for this index; none of its updates for this index was sent before. The caller may release the
     * item then.
     */
    void add(QueuedChange item) {
        queue.add(item.forIndex(index, alone, null));
    }

    /** Takes over a delivery that is slow or failed. If its call fails, the same updates are queued for a retry. */
    void takeOver(Delivery delivery) {
        List<QueuedChange> own = new ArrayList<>();
        delivery.parts().forEach(part -> own.add(part.item().forIndex(index, alone, part.updates())));
        late.add(own);
        stalled.addWithThread(table);
        delivery.leaveTo(failure -> {
            stalled.release(table);
            settle(own, failure, () -> late.remove(own));
            wake();
        });
    }

    /**
     * Schedules a run unless there is nothing to deliver, one is scheduled, or the lane is not started or is stopped.
     */
    void wake() {
        if (started && !stopped && hasWork() && scheduled.compareAndSet(false, true)) {
            schedule(this::run, isStalled() ? pauseMs : parts.threads().lingerMs());
        }
    }

    private boolean hasWork() {
        return queue.size() > 0 || parkedFiles() > 0;
    }

    private void schedule(Runnable step, long delayMs) {
        try {
            var unused = parts.threads().shared().schedule(step, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            logStopping();
        }
    }

    private void logStopping() {
        LOG.info("Not delivering any more, the server is stopping; the WAL or a spill file keeps the rest [{}]", this);
    }

    /** Starts a delivery on a thread of its own, when the other regions leave the index one. */
    private void run() {
        if (!stopped && stalled.acquire(table, () -> schedule(this::deliverOnThread, 0))) {
            deliverOnThread();
        }
    }

    private void deliverOnThread() {
        try {
            parts.threads().calls().execute(this::deliverAndScheduleNext);
        } catch (RejectedExecutionException e) {
            stalled.release(table);
            logStopping();
        } catch (OutOfMemoryError e) {
            stalled.release(table);
            long pause = longerPause();
            LOG.warn("No thread can be created for a delivery; trying again in {} ms [{}]", pause, this, e);
            schedule(this::run, pause);
        }
    }

    private void deliverAndScheduleNext() {
        long pause = LONGEST_PAUSE_MS;
        try {
            pause = deliverWholeBatches() ? parts.threads().lingerMs() : longerPause();
        } finally {
            stalled.release(table);
            if (hasWork() && !stopped) {
                schedule(this::run, pause);
            } else {
                scheduled.set(false);
                wake();
            }
        }
    }

    /** Doubles the backoff, up to {@link #LONGEST_PAUSE_MS}; returns it in milliseconds. */
    private long longerPause() {
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
        return pauseMs;
    }

    /**
     * Delivers until less than a batch is left, or the thread goes to another region that waits for it; returns whether
     * all went well.
     */
    private boolean deliverWholeBatches() {
        boolean whole = true;
        while (whole && !stopped) {
            boolean loaded = loadParked();
            List<QueuedChange> batch = queue.take(UpdateProcessor.BATCH);
            if (!batch.isEmpty() && !deliver(batch)) {
                parts.spill().unloadIfShort(index, queue);
                return false;
            }
            if (!loaded) {
                return false;
            }
            pauseMs = FIRST_PAUSE_MS;
            whole = (batch.size() == UpdateProcessor.BATCH || parkedFiles() > 0) && !givesWay();
        }
        return true;
    }

    /**
     * Returns whether another region is to have the thread. While memory is short, what is loaded is delivered first:
     * otherwise each region would load a file and wait with it in memory for its next turn.
     */
    private boolean givesWay() {
        return stalled.isAwaited(table) && !(parts.spill().isMemoryShort() && queue.isAnyFromDisk());
    }

    /**
     * Loads one parked file if fewer items than a batch are queued; if the index is stalled, only if none is; if
     * another region waits for the thread, only if none of an earlier file is. Returns false if the file cannot be read.
     */
    private boolean loadParked() {
        int most = isStalled() ? 1 : UpdateProcessor.BATCH;
        try {
            if (queue.size() < most && !(stalled.isAwaited(table) && queue.isAnyFromDisk())) {
                parts.spill().load(index, queue, parts.nanoClock().getAsLong());
            }
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.warn("Changes on disk could not be read yet; the index will follow [{}]", this, e);
            return false;
        }
    }

    /** Delivers a whole batch, or puts all of it back; returns whether it was delivered. */
    private boolean deliver(List<QueuedChange> batch) {
        List<QueuedChange> ready = new ArrayList<>(batch.size());
        Optional<Exception> failure = Optional.of(new IllegalStateException("The thread of the call has died"));
        inFlight = batch;
        try {
            PastRows past = UpdateProcessor.pastOf(batch, parts.maintainers());
            for (QueuedChange item : batch) {
                ready.add(item.updates() == null ? item.ready(updatesOf(item, past)) : item);
            }
            failure = send(ready);
        } catch (IOException | RuntimeException e) {
            failure = Optional.of(e);
        } finally {
            ready.addAll(batch.subList(ready.size(), batch.size()));
            settle(ready, failure, () -> inFlight = List.of());
        }
        return failure.isEmpty();
    }

    private List<IndexUpdate> updatesOf(QueuedChange item, PastRows past) throws IOException {
        return UpdateProcessor.updatesOf(item, past, item.indexes(), parts.maintainers());
    }

    /** Sends the updates of items; an index that is not called, as they have none, is as stalled as it was. */
    private Optional<Exception> send(List<QueuedChange> items) {
        List<IndexUpdate> updates = updatesOf(items);
        if (updates.isEmpty()) {
            return Optional.empty();
        }
        long start = parts.nanoClock().getAsLong();
        try {
            UpdateProcessor.send(parts.sink(), table, items.stream(), updates);
            if (parts.nanoClock().getAsLong() - start > UpdateProcessor.SLOW_CALL_NANOS) {
                stalled.add(table);
            } else {
                stalled.remove(table);
            }
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            stalled.add(table);
            return Optional.of(e);
        }
    }

    private static List<IndexUpdate> updatesOf(List<QueuedChange> items) {
        return items.stream().flatMap(item -> item.updates().stream()).toList();
    }

    /**
     * Releases the items if they are delivered; puts them back if not.
     *
     * @param removeFromInFlight removes the items from those in flight. On success it runs after they are counted and
     *     before they are released, so a drain that waits for them ends later than both. On failure it runs after they
     *     are queued again, so that a reader never misses them
     */
    private void settle(List<QueuedChange> items, Optional<Exception> failure, Runnable removeFromInFlight) {
        if (failure.isEmpty()) {
            parts.stats().countWritten(updatesOf(items));
            UpdateProcessor.account(items, parts);
            UpdateProcessor.accountFor(index, items, parts.nanoClock().getAsLong(), parts.stats());
            removeFromInFlight.run();
            items.forEach(QueuedChange::done);
        } else {
            parts.stats().retries.increment();
            parts.stats().of(table).retries.increment();
            LOG.warn(
                    "Index updates not delivered yet; the base rows are durable and the index will follow [{}, rows={}]",
                    this,
                    items.size(),
                    failure.get());
            queue.putBack(items);
            removeFromInFlight.run();
        }
    }

    @Override
    public String toString() {
        return "index=" + index.name() + ", region=" + parts.region();
    }
}
