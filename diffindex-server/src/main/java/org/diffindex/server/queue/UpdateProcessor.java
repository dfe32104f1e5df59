package org.diffindex.server.queue;

import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.PastRows;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The APS (asynchronous processing service) of one region: empties its AUQ in batches on threads that the regions of a
 * server share; one batch of a region at a time, to all its indexes. An index that does not take its part in time is delivered
 * to apart from the others until it has caught up ({@link IndexLane}), so that it delays only itself. No update is given up.
 */
public final class UpdateProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateProcessor.class);

    /** The most rows that are sent at a time. */
    public static final int BATCH = 512;

    /** How long the first change of a batch waits for company, unless set: a bit of staleness for many fewer calls. */
    public static final long DEFAULT_LINGER_MS = 10;

    /** A call that takes longer is not waited for. */
    static final long SLOW_CALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 5_000;

    private final DeliveryParts parts;
    private final UpdateQueue queue;
    private final List<IndexLane> lanes;

    /** Whether a run is going on or about to: at most one, so that a region takes one thread at most. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile boolean started;
    private volatile boolean stopped;
    private volatile long pauseMs = FIRST_PAUSE_MS;

    /** The batch that was taken out of the AUQ and is neither delivered nor put back. */
    private volatile List<QueuedChange> inFlight = List.of();

    /** A processor that does nothing until it is started. */
    public UpdateProcessor(DeliveryParts parts) {
        this.parts = parts;
        this.queue = parts.queue();
        this.lanes = parts.maintainers().all().stream()
                .map(IndexMaintainer::definition)
                .map(index -> new IndexLane(index, parts))
                .toList();
    }

    /** Begins to deliver: the region is open and can be read. */
    public void start() {
        started = true;
        wake();
        lanes.forEach(IndexLane::start);
    }

    /** Delivers no more: the region is closed. */
    public void stop() {
        stopped = true;
        lanes.forEach(IndexLane::stop);
    }

    /** Forgets all that waits, and what comes back later: the region's next holder finds it in the WAL or on disk. */
    public void clear() {
        queue.clear();
        lanes.forEach(IndexLane::clear);
    }

    /** There may be something to deliver. */
    public void wake() {
        if (started && !stopped && queue.size() > 0 && scheduled.compareAndSet(false, true)) {
            schedule(parts.threads().lingerMs());
        }
        if (parts.spill().hasParkedFiles()) {
            lanes.forEach(IndexLane::wake);
        }
    }

    /** Whether the rows cannot be read: then it is of no use to wait for the indexes. */
    public boolean isStuck() {
        return pauseMs > FIRST_PAUSE_MS;
    }

    /** What the indexes have not been given yet. */
    public Backlog backlog() {
        Backlog sum = Backlog.of(queue, inFlight, parts.nanoClock().getAsLong());
        for (IndexLane lane : lanes) {
            sum = sum.plus(lane.backlog());
        }
        return sum;
    }

    /** By name, what each index lacks that is behind the others. */
    public Map<String, IndexBacklog> backlogs() {
        Map<String, IndexBacklog> behind = new LinkedHashMap<>();
        for (IndexLane lane : lanes) {
            IndexBacklog backlog = new IndexBacklog(lane.backlog(), lane.parkedFiles(), lane.isStalled());
            if (!backlog.isEmpty()) {
                behind.put(lane.index().name(), backlog);
            }
        }
        return behind;
    }

    /** Forgets, for want of memory, what was loaded from disk for indexes that do not take it. */
    public void unload() {
        lanes.forEach(IndexLane::unload);
        lanes.forEach(IndexLane::wake);
    }

    /** Puts on disk, for want of memory, what waits for indexes that are behind, and all if the rows cannot be read. */
    public void relieve() {
        try {
            if (isStuck()) {
                parts.spill().park();
            }
            for (IndexLane lane : lanes) {
                lane.park();
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("The AUQ could not be put on disk; it stays in memory [region={}]", parts.region(), e);
        } finally {
            // While it was written it was in neither place, so a lane may have found nothing to do.
            wake();
            lanes.forEach(IndexLane::wake);
        }
    }

    private void schedule(long delayMs) {
        try {
            var unused = parts.threads().shared().schedule(this::run, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.info(
                    "Not delivering any more, the server is stopping; the WAL keeps the rest [region={}]",
                    parts.region());
        }
    }

    /** One run: delivers while whole batches wait. Whatever comes of it, what is left gets another run. */
    private void run() {
        long pause = LONGEST_PAUSE_MS;
        try {
            pause = deliverWholeBatches() ? parts.threads().lingerMs() : failed();
        } finally {
            if (queue.size() > 0 && !stopped) {
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
            List<QueuedChange> batch = queue.take(BATCH);
            if (!batch.isEmpty() && !deliver(batch)) {
                return false;
            }
            pauseMs = FIRST_PAUSE_MS;
            whole = batch.size() == BATCH;
        }
        return true;
    }

    /** How long to wait after a failure: twice as long each time, up to a limit. */
    private long failed() {
        parts.stats().retries.increment();
        long pause = pauseMs;
        pauseMs = Math.min(LONGEST_PAUSE_MS, pause * 2);
        return pause;
    }

    /** Delivers a batch, or leaves it to the lanes; puts it back if its rows cannot be read. */
    private boolean deliver(List<QueuedChange> batch) {
        BatchDelivery delivery = new BatchDelivery(batch, lanes, parts);
        boolean done = false;
        inFlight = batch;
        try {
            delivery.prepare();
            delivery.run();
            done = true;
            inFlight = List.of();
            delivery.finish();
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "Rows could not be indexed yet; they are durable and the indexes will follow"
                            + " [region={}, rows={}, next try in {} ms]",
                    parts.region(),
                    batch.size(),
                    pauseMs,
                    e);
        } finally {
            inFlight = List.of();
            if (!done) {
                queue.putBack(batch);
            }
        }
        return done;
    }

    /** The rows of those items that may lie far back. */
    static PastRows pastOf(List<QueuedChange> items, RegionMaintainers maintainers) {
        return maintainers.pastOf(items.stream()
                .filter(QueuedChange::isReplayed)
                .map(QueuedChange::change)
                .toList());
    }

    /**
     * The updates that an item asks for in some indexes.
     *
     * @param past of this item, and others
     */
    static List<IndexUpdate> updatesOf(
            QueuedChange item, PastRows past, IndexSet indexes, RegionMaintainers maintainers) throws IOException {
        RowChange change = item.change();
        return item.isReplayed()
                ? maintainers.updatesOfThePast(change, past, indexes)
                : maintainers.updates(change, maintainers.imagesOf(change), indexes);
    }

    /** Counts items that are delivered. */
    static void account(Collection<QueuedChange> delivered, DeliveryParts parts) {
        long now = parts.nanoClock().getAsLong();
        for (QueuedChange item : delivered) {
            parts.stats().recordStaleness(now - item.sinceNanos());
            parts.stats().delivered.increment();
        }
    }
}
