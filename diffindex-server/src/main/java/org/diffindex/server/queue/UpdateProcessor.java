package org.diffindex.server.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The APS (asynchronous processing service) of one region: empties its AUQ in batches on threads that the regions of a
 * server share; one batch of a region at a time. Tries again, ever more slowly up to a limit, what could not be
 * delivered; never gives an update up.
 */
public final class UpdateProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateProcessor.class);

    /** The most rows that are sent at a time. */
    public static final int BATCH = 512;

    /** How long the first change of a batch waits for company, unless set: a bit of staleness for many fewer calls. */
    public static final long DEFAULT_LINGER_MS = 10;

    /** A call that takes longer is not worth waiting for. */
    private static final long SLOW_CALL_MS = 1_000;

    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 5_000;

    private final String region;
    private final UpdateQueue queue;
    private final Spill spill;
    private final RegionMaintainers maintainers;
    private final IndexSink sink;
    private final ScheduledExecutorService threads;
    private final long lingerMs;
    private final DeliveryStats stats;
    private final LongSupplier nanoClock;

    /** Whether a run is going on or about to: at most one, so that a region takes one thread at most. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile boolean started;
    private volatile boolean stopped;
    private volatile long pauseMs = FIRST_PAUSE_MS;

    /** The batch that was taken out of the AUQ and is neither delivered nor put back. */
    private volatile List<UpdateQueue.Item> underWay = List.of();

    /** When the call that is going on began; 0 while there is none. */
    private volatile long callSinceNanos;

    /**
     * A processor that does nothing until it is started.
     *
     * @param lingerMs how long the first change of a batch waits for company
     */
    public UpdateProcessor(
            String region,
            UpdateQueue queue,
            Spill spill,
            RegionMaintainers maintainers,
            IndexSink sink,
            ScheduledExecutorService threads,
            long lingerMs,
            DeliveryStats stats,
            LongSupplier nanoClock) {
        this.region = region;
        this.queue = queue;
        this.spill = spill;
        this.maintainers = maintainers;
        this.sink = sink;
        this.threads = threads;
        this.lingerMs = lingerMs;
        this.stats = stats;
        this.nanoClock = nanoClock;
    }

    /** Begins to deliver: the region is open and can be read. */
    public void start() {
        started = true;
        wake();
    }

    /** Delivers no more: the region is closed. What is still queued is in the WAL. */
    public void stop() {
        stopped = true;
    }

    /** There may be something to deliver. */
    public void wake() {
        if (started && !stopped && hasWork() && scheduled.compareAndSet(false, true)) {
            schedule(lingerMs);
        }
    }

    private boolean hasWork() {
        return queue.size() > 0 || spill.parkedFiles() > 0;
    }

    /** Whether the last call failed, or the one that is going on takes long: then it is of no use to wait for it. */
    public boolean isStuck() {
        long since = callSinceNanos;
        return pauseMs > FIRST_PAUSE_MS
                || (since != 0 && nanoClock.getAsLong() - since > TimeUnit.MILLISECONDS.toNanos(SLOW_CALL_MS));
    }

    /** What the indexes have not been given yet. */
    public Backlog backlog() {
        return Backlog.of(queue, underWay, nanoClock.getAsLong());
    }

    private void schedule(long delayMs) {
        try {
            var unused = threads.schedule(this::run, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.info("Not delivering any more, the server is stopping; the WAL keeps the rest [region={}]", region);
        }
    }

    /** One run: delivers while whole batches wait. Whatever comes of it, what is left gets another run. */
    private void run() {
        long pause = LONGEST_PAUSE_MS;
        try {
            pause = deliverWholeBatches() ? lingerMs : failed();
        } finally {
            if (hasWork() && !stopped) {
                schedule(pause);
            } else {
                scheduled.set(false);
                wake();
            }
        }
    }

    private boolean deliverWholeBatches() {
        boolean whole = true;
        while (whole && !stopped) {
            if (!loadParked()) {
                return false;
            }
            List<UpdateQueue.Item> batch = queue.take(BATCH);
            if (!batch.isEmpty() && !deliver(batch)) {
                return false;
            }
            pauseMs = FIRST_PAUSE_MS;
            whole = batch.size() == BATCH || spill.parkedFiles() > 0;
        }
        return true;
    }

    /** Loads what is on disk once there is little in memory; while nothing can be delivered, only to have a try. */
    private boolean loadParked() {
        int most = pauseMs > FIRST_PAUSE_MS ? 1 : BATCH;
        try {
            if (queue.size() < most) {
                spill.load(nanoClock.getAsLong());
            }
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "Changes on disk could not be read yet; the index will follow [region={}, next try in {} ms]",
                    region,
                    pauseMs,
                    e);
            return false;
        }
    }

    /** How long to wait after a failure: twice as long each time, up to a limit. */
    private long failed() {
        stats.retries.increment();
        long pause = pauseMs;
        pauseMs = Math.min(LONGEST_PAUSE_MS, pause * 2);
        return pause;
    }

    /** Delivers a batch whole, or puts it back whole. */
    private boolean deliver(List<UpdateQueue.Item> batch) {
        List<UpdateQueue.Item> ready = new ArrayList<>(batch.size());
        List<IndexUpdate> updates = new ArrayList<>();
        boolean sent = false;
        underWay = batch;
        try {
            for (UpdateQueue.Item item : batch) {
                UpdateQueue.Item worked = item.updates() == null ? item.ready(updatesOf(item)) : item;
                ready.add(worked);
                updates.addAll(worked.updates());
            }
            callSinceNanos = Math.max(1, nanoClock.getAsLong());
            sink.write(updates);
            sent = true;
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "Index updates not delivered yet; the base rows are durable and the index will follow"
                            + " [region={}, rows={}, next try in {} ms]",
                    region,
                    batch.size(),
                    pauseMs,
                    e);
        } finally {
            callSinceNanos = 0;
            underWay = List.of();
            if (!sent) {
                ready.addAll(batch.subList(ready.size(), batch.size()));
                queue.putBack(ready);
            }
        }
        if (sent) {
            account(ready, updates);
        }
        return sent;
    }

    private List<IndexUpdate> updatesOf(UpdateQueue.Item item) throws IOException {
        RowChange change = item.change();
        return item.isLacking()
                ? maintainers.updatesOfThePast(change, item.indexes())
                : maintainers.updates(change, maintainers.imagesOf(change), item.indexes());
    }

    /** Counts first: whoever waited for a drain finds all of it counted. */
    private void account(List<UpdateQueue.Item> delivered, List<IndexUpdate> updates) {
        long now = nanoClock.getAsLong();
        stats.countWritten(updates);
        for (UpdateQueue.Item item : delivered) {
            stats.recordStaleness(now - item.sinceNanos());
            stats.delivered.increment();
        }
        delivered.forEach(UpdateQueue.Item::done);
    }
}
