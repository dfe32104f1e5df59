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
 * The delivery of what one index of one region lacks, apart from the other indexes: what could not be delivered to it in time,
 * what comes while it is behind, and what is on disk for it. Tries again, ever more slowly up to a limit; never gives an update
 * up. While it delivers it has a thread of its own, none of those that the other indexes need. Safe for use by many threads.
 */
final class IndexLane {
    private static final Logger LOG = LoggerFactory.getLogger(IndexLane.class);

    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 5_000;

    private final IndexDefinition index;

    /** The index, and no other; one for all items. */
    private final IndexSet alone;

    private final TableName table;
    private final DeliveryParts parts;
    private final StalledIndexes stalled;
    private final UpdateQueue queue;

    /** Whether a run is going on or about to: at most one. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile boolean started;
    private volatile boolean stopped;
    private volatile long pauseMs = FIRST_PAUSE_MS;

    /** The batch that was taken out of the queue and is neither delivered nor put back. */
    private volatile List<QueuedChange> inFlight = List.of();

    /** The items of calls that others began and nobody waits for. */
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

    /** Whether an item is for the index and changes its entry. */
    boolean isConcernedBy(QueuedChange item) {
        return item.indexes().contains(index) && parts.maintainers().concernedBy(item.change(), alone);
    }

    void start() {
        started = true;
        wake();
    }

    /** Delivers no more. */
    void stop() {
        stopped = true;
    }

    /** Forgets what waits, and what comes back later. */
    void clear() {
        queue.clear();
    }

    /** Whether what comes for the index must go this way, not with the others. */
    boolean isBehind() {
        return stalled.contains(table) || queue.size() > 0 || !inFlight.isEmpty() || !late.isEmpty();
    }

    /** Returns how much the index lacks. */
    Backlog backlog() {
        List<QueuedChange> away = Stream.concat(inFlight.stream(), late.stream().flatMap(Collection::stream))
                .toList();
        return Backlog.of(queue, away, parts.nanoClock().getAsLong());
    }

    /** Whether the last delivery of the server to the index failed, or took long. */
    boolean isStalled() {
        return stalled.contains(table);
    }

    int parkedFiles() {
        return parts.spill().parkedFiles(index);
    }

    /** Forgets what was loaded from disk and cannot be delivered now. */
    void unload() {
        if (isStalled()) {
            parts.spill().unload(index, queue);
        }
    }

    /** Puts on disk what waits here. */
    void park() throws IOException {
        parts.spill().park(queue);
    }

    /** What an item asks for is delivered by this from now on, and was not sent yet; the item may be done with. */
    void add(QueuedChange item) {
        queue.add(item.forIndex(index, alone, null));
    }

    /** What could not be delivered with the others in time is this one's from now on. */
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

    /** There may be something to deliver. */
    void wake() {
        if (started && !stopped && hasWork() && scheduled.compareAndSet(false, true)) {
            schedule(isStalled() ? pauseMs : parts.threads().lingerMs());
        }
    }

    private boolean hasWork() {
        return queue.size() > 0 || parkedFiles() > 0;
    }

    private void schedule(long delayMs) {
        try {
            var unused = parts.threads().shared().schedule(this::run, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.info("Not delivering any more, the server is stopping; the WAL keeps the rest [{}]", this);
        }
    }

    /** Delivers on a thread of its own, unless other regions have those that the index may take. */
    private void run() {
        if (stopped) {
            return;
        }
        if (!stalled.tryAcquire(table)) {
            schedule(longerPause());
            return;
        }
        try {
            parts.threads().calls().execute(this::deliverAndScheduleNext);
        } catch (RejectedExecutionException e) {
            stalled.release(table);
            LOG.info("Not delivering any more, the server is stopping; the WAL keeps the rest [{}]", this);
        }
    }

    private void deliverAndScheduleNext() {
        long pause = LONGEST_PAUSE_MS;
        try {
            pause = deliverWholeBatches() ? parts.threads().lingerMs() : longerPause();
        } finally {
            stalled.release(table);
            if (hasWork() && !stopped) {
                schedule(pause);
            } else {
                scheduled.set(false);
                wake();
            }
        }
    }

    /** How long to wait after a failure: twice as long each time, up to a limit. */
    private long longerPause() {
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
        return pauseMs;
    }

    private boolean deliverWholeBatches() {
        boolean whole = true;
        while (whole && !stopped) {
            boolean loaded = loadParked();
            List<QueuedChange> batch = queue.take(UpdateProcessor.BATCH);
            if (!batch.isEmpty() && !deliver(batch)) {
                return false;
            }
            if (!loaded) {
                return false;
            }
            pauseMs = FIRST_PAUSE_MS;
            whole = batch.size() == UpdateProcessor.BATCH || parkedFiles() > 0;
        }
        return true;
    }

    /** Loads what is on disk once there is little in memory; while nothing can be delivered, only to have a try. */
    private boolean loadParked() {
        int most = isStalled() ? 1 : UpdateProcessor.BATCH;
        try {
            if (queue.size() < most) {
                parts.spill().load(index, queue, parts.nanoClock().getAsLong());
            }
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.warn("Changes on disk could not be read yet; the index will follow [{}]", this, e);
            return false;
        }
    }

    /** Delivers a batch whole, or puts it back whole. */
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

    private Optional<Exception> send(List<QueuedChange> items) {
        long start = parts.nanoClock().getAsLong();
        try {
            parts.sink().write(updatesOf(items));
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
     * The items are delivered, or wait again.
     *
     * @param notUnderWay after this they do not count as under way. If they are delivered this and all counting comes before
     *     the end of a drain that waits for them; if not, they are never seen to be neither here nor there
     */
    private void settle(List<QueuedChange> items, Optional<Exception> failure, Runnable notUnderWay) {
        if (failure.isEmpty()) {
            parts.stats().countWritten(updatesOf(items));
            UpdateProcessor.account(items, parts);
            notUnderWay.run();
            items.forEach(QueuedChange::done);
        } else {
            parts.stats().retries.increment();
            LOG.warn(
                    "Index updates not delivered yet; the base rows are durable and the index will follow [{}, rows={}]",
                    this,
                    items.size(),
                    failure.get());
            queue.putBack(items);
            notUnderWay.run();
        }
    }

    @Override
    public String toString() {
        return "index=" + index.name() + ", region=" + parts.region();
    }
}
