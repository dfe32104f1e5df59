package org.diffindex.server.queue;

import io.opentelemetry.api.trace.SpanContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.PastRows;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.metrics.Durations;
import org.diffindex.server.trace.Spans;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The APS (asynchronous processing service) of one region: delivers its AUQ in batches, one at a time, on threads that
 * the regions of a server share. Updates for an index that does not take them in time move to the {@link IndexLane} of
 * that index until it has caught up, so it delays only itself. No update is lost: {@link #clear} drops only what the
 * WAL or the disk holds. Thread-safe.
 */
public final class UpdateProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateProcessor.class);

    /** The maximum number of queued changes in a batch. */
    public static final int BATCH = 512;

    /** The default of {@link ApsThreads#lingerMs}, in milliseconds: adds a little staleness and saves many calls. */
    public static final long DEFAULT_LINGER_MS = 10;

    /** The limit of the wait for calls to index tables, in nanoseconds; a call that takes longer is slow. */
    static final long SLOW_CALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 5_000;

    private final DeliveryParts parts;
    private final UpdateQueue queue;
    private final List<IndexLane> lanes;

    /** Whether a run is scheduled or active; at most one is, so that a region takes one shared thread at most. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile boolean started;
    private volatile boolean stopped;
    private volatile long pauseMs = FIRST_PAUSE_MS;

    /** The batch taken from the AUQ that is neither delivered nor put back. */
    private volatile List<QueuedChange> inFlight = List.of();

    /** Creates a processor that delivers nothing before {@link #start}. */
    public UpdateProcessor(DeliveryParts parts) {
        this.parts = parts;
        this.queue = parts.queue();
        this.lanes = parts.maintainers().all().stream()
                .map(IndexMaintainer::definition)
                .map(index -> new IndexLane(index, parts))
                .toList();
    }

    /** Starts delivery. The region must be open for reads. */
    public void start() {
        started = true;
        wake();
        lanes.forEach(IndexLane::start);
    }

    /** Stops delivery because the region is closed; a batch in flight goes on. */
    public void stop() {
        stopped = true;
        lanes.forEach(IndexLane::stop);
    }

    /**
     * Discards all queued changes, and those put back later; the region's next holder finds them in the WAL or on disk.
     */
    public void clear() {
        queue.clear();
        lanes.forEach(IndexLane::clear);
    }

    /** Schedules a run if changes are queued, and wakes the lanes if files are parked. */
    public void wake() {
        if (started && !stopped && queue.size() > 0 && scheduled.compareAndSet(false, true)) {
            schedule(parts.threads().lingerMs());
        }
        if (parts.spill().hasParkedFiles()) {
            lanes.forEach(IndexLane::wake);
        }
    }

    /** Returns whether rows of the last batch could not be read; waiting for the indexes is futile then. */
    public boolean isStuck() {
        return pauseMs > FIRST_PAUSE_MS;
    }

    /** Returns the changes in memory that some index has not received yet. */
    public Backlog backlog() {
        Backlog sum = Backlog.of(queue, inFlight, parts.nanoClock().getAsLong());
        for (IndexLane lane : lanes) {
            sum = sum.plus(lane.backlog());
        }
        return sum;
    }

    /** Returns the backlog of each index that is behind, by index name. */
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

    /** Returns the indexes of the region. */
    public List<IndexDefinition> indexes() {
        return lanes.stream().map(IndexLane::index).toList();
    }

    /** Returns what one index of the region lacks, whether it is behind the others or not. */
    public IndexBacklog lackedBy(TableName indexTable) {
        IndexLane lane = lanes.stream()
                .filter(each -> each.index().indexTable().equals(indexTable))
                .findFirst()
                .orElseThrow();
        Backlog waiting =
                Backlog.of(lane.index(), queue, inFlight, parts.nanoClock().getAsLong());
        return new IndexBacklog(waiting.plus(lane.backlog()), lane.parkedFiles(), lane.isStalled());
    }

    /** Parks again, to free memory, what was loaded from disk for stalled indexes. */
    public void unload() {
        lanes.forEach(IndexLane::unload);
        lanes.forEach(IndexLane::wake);
    }

    /**
     * Returns the memory, in bytes, of each queue that {@link #relieve} can move to disk: those of the lanes, and the
     * AUQ if rows cannot be read. Empty queues are left out.
     */
    public LongStream parkableBytes() {
        LongStream ofAuq = isStuck() ? LongStream.of(queue.reservedBytes()) : LongStream.empty();
        LongStream ofLanes = lanes.stream().mapToLong(IndexLane::parkableBytes);
        return LongStream.concat(ofAuq, ofLanes).filter(bytes -> bytes > 0);
    }

    /**
     * Moves to disk, to free memory, the queues among {@link #parkableBytes} that hold enough. A failure is logged, and
     * what is not written stays in memory.
     *
     * @param least the memory, in bytes, below which a queue is not moved
     */
    public void relieve(long least) {
        try {
            if (isStuck() && queue.reservedBytes() >= least) {
                parts.spill().park();
            }
            for (IndexLane lane : lanes) {
                if (lane.parkableBytes() >= least) {
                    lane.park();
                }
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("The AUQ could not be put on disk; it stays in memory [region={}]", parts.region(), e);
        } finally {
            // During the write the changes were in neither place, so a lane may have found nothing to do.
            wake();
            lanes.forEach(IndexLane::wake);
        }
    }

    private void schedule(long delayMs) {
        try {
            var unused = parts.threads().shared().schedule(this::run, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.info(
                    "Not delivering any more, the server is stopping; the WAL or a spill file keeps the rest [region={}]",
                    parts.region());
        }
    }

    /**
     * Delivers a batch. If anything is left, another run is scheduled, whatever the outcome: behind those of the other
     * regions, so that one whose AUQ is never emptied does not keep the thread.
     */
    private void run() {
        long pause = LONGEST_PAUSE_MS;
        try {
            pause = deliverBatch();
        } finally {
            if (queue.size() > 0 && !stopped) {
                schedule(pause);
            } else {
                scheduled.set(false);
                wake();
            }
        }
    }

    /** Delivers a batch, unless stopped. Returns the delay of the next run in ms: none after a whole batch. */
    private long deliverBatch() {
        List<QueuedChange> batch = stopped ? List.of() : queue.take(BATCH);
        if (!batch.isEmpty() && !deliver(batch)) {
            return failed();
        }
        pauseMs = FIRST_PAUSE_MS;
        return batch.size() == BATCH ? 0 : parts.threads().lingerMs();
    }

    /**
     * Counts a retry and doubles the backoff, up to {@link #LONGEST_PAUSE_MS}; returns the backoff before that, in
     * milliseconds.
     */
    private long failed() {
        parts.stats().retries.increment();
        long pause = pauseMs;
        pauseMs = Math.min(LONGEST_PAUSE_MS, pause * 2);
        return pause;
    }

    /**
     * Delivers a batch or moves it to the lanes; puts it back if its rows cannot be read. Returns whether it was
     * delivered or moved.
     */
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

    /** Returns a reader of past rows for the replayed items, whose rows may lie far back. */
    static PastRows pastOf(List<QueuedChange> items, RegionMaintainers maintainers) {
        return maintainers.pastOf(items.stream()
                .filter(QueuedChange::isReplayed)
                .map(QueuedChange::change)
                .toList());
    }

    /**
     * Returns the updates of an item for some indexes.
     *
     * @param past the past rows of a set of items that contains this one
     * @throws IOException if the row cannot be read
     */
    static List<IndexUpdate> updatesOf(
            QueuedChange item, PastRows past, IndexSet indexes, RegionMaintainers maintainers) throws IOException {
        RowChange change = item.change();
        return item.isReplayed()
                ? maintainers.updatesOfThePast(change, past, indexes)
                : maintainers.updates(change, maintainers.imagesOf(change), indexes);
    }

    /** Sends updates within a span that is linked to the writes which they come from. */
    static void send(IndexSink sink, TableName indexTable, Stream<QueuedChange> items, List<IndexUpdate> updates)
            throws IOException {
        List<SpanContext> writes = new ArrayList<>();
        items.forEach(item -> item.batches().forEach(batch -> {
            if (batch.trace() != null) {
                writes.add(batch.trace());
            }
        }));
        Spans.ofDelivery(indexTable.getNameAsString(), writes, () -> sink.write(updates));
    }

    /** Counts delivered items and records their staleness. */
    static void account(Collection<QueuedChange> delivered, DeliveryParts parts) {
        long now = parts.nanoClock().getAsLong();
        for (QueuedChange item : delivered) {
            parts.stats().recordStaleness(now - item.sinceNanos());
            parts.stats().delivered.increment();
        }
    }

    /**
     * Records the staleness of items that were delivered to one index.
     *
     * @param endNanos when they were durable in this index, which other indexes of the batch may not be
     */
    static void accountFor(
            IndexDefinition index, Collection<QueuedChange> delivered, long endNanos, DeliveryStats stats) {
        Durations staleness = stats.of(index.indexTable()).staleness;
        delivered.forEach(item -> staleness.record(endNanos - item.sinceNanos()));
    }
}
