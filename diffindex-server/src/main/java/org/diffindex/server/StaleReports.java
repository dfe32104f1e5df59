package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.TableName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries that were reported as stale to the regions of a server, until {@link StaleCleanup} checks them in the
 * background. A report waits for a fixed time first: a scan that has passed the place of a row's new entry in one
 * region of the index still finds the row by the old one in another.
 *
 * <p>Bounded: a report that exceeds the limit is dropped; a later read reports the entry again. Thread-safe.
 */
final class StaleReports implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(StaleReports.class);

    /** The limit of the memory that waiting reports hold, in bytes. */
    static final long MOST_BYTES = 4L << 20;

    /**
     * The limit up to which writes report, so that they leave room for readers, who alone know of the entries that earlier
     * servers of the regions left.
     */
    static final long MOST_BYTES_FOR_WRITES = MOST_BYTES / 2;

    /**
     * The estimated memory, in bytes, of a report in addition to its row and key: its objects and its place in the map.
     */
    private static final int OVERHEAD = 250;

    /** The maximum number of entries that are checked in one step. */
    private static final int PAGE = 500;

    /** How long, in nanoseconds, an index table is not asked again after it did not answer. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** The time, in nanoseconds, from which a failure is one of a silent index table rather than of a row. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Identifies an entry, whenever it was put. */
    private record Name(StaleCleanup cleanup, ByteBuffer key) {}

    private record Report(StaleEntry entry, long dueNanos) {
        long bytes() {
            return (long) OVERHEAD + entry.row().length + entry.key().length;
        }
    }

    private final ScheduledExecutorService thread;
    private final long delayMs;
    private final LongSupplier nanoTime;

    /** When each index table that does not answer was asked last. Confined to the thread. */
    private final Map<TableName, Long> silentSince = new HashMap<>();

    /** The waiting reports, by due time. Guarded by this. */
    private final Map<Name, Report> waiting = new LinkedHashMap<>();

    /** The sum of {@link Report#bytes} of all waiting reports. Guarded by this. */
    private long bytes;

    /** Whether a run is scheduled or active. Guarded by this. */
    private boolean scheduled;

    /**
     * Creates an empty instance.
     *
     * @param thread runs the cleanup
     * @param delayMs how long a report waits, in milliseconds
     * @param nanoTime elapsed time in nanoseconds
     */
    StaleReports(ScheduledExecutorService thread, long delayMs, LongSupplier nanoTime) {
        this.thread = thread;
        this.delayMs = delayMs;
        this.nanoTime = nanoTime;
    }

    /**
     * Adds reports of entries of one index of a region. Returns how many of the entries are waiting now, including
     * those that waited before.
     */
    synchronized int add(StaleCleanup cleanup, List<StaleEntry> entries) {
        long due = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(delayMs);
        int accepted = 0;
        for (StaleEntry entry : entries) {
            Name name = new Name(cleanup, ByteBuffer.wrap(entry.key()));
            Report report = new Report(entry, due);
            Report earlier = waiting.get(name);
            if (earlier != null && earlier.entry().covers(entry)) {
                accepted++;
            } else if (bytes + report.bytes() <= (entry.isReplaced() ? MOST_BYTES_FOR_WRITES : MOST_BYTES)) {
                remove(name); // the entry was put again since, and its report waits from now on
                waiting.put(name, report);
                bytes += report.bytes();
                accepted++;
            }
        }
        schedule();
        return accepted;
    }

    private void remove(Name name) {
        Report removed = waiting.remove(name);
        bytes -= removed == null ? 0 : removed.bytes();
    }

    /** Returns the number of waiting reports. */
    synchronized int size() {
        return waiting.size();
    }

    private synchronized void schedule() {
        if (scheduled || waiting.isEmpty()) {
            return;
        }
        long nanos = waiting.values().iterator().next().dueNanos() - nanoTime.getAsLong();
        try {
            var unused = thread.schedule(this::run, Math.max(0, nanos), TimeUnit.NANOSECONDS);
            scheduled = true;
        } catch (RejectedExecutionException e) {
            LOG.debug("The server stops; stale entries are left to later reads", e);
        }
    }

    private void run() {
        try {
            cleanUp(takeDue());
        } finally {
            synchronized (this) {
                scheduled = false;
            }
            schedule();
        }
    }

    /** Removes up to {@link #PAGE} due reports; returns their entries by region and index. */
    private synchronized Map<StaleCleanup, List<StaleEntry>> takeDue() {
        Map<StaleCleanup, List<StaleEntry>> due = new LinkedHashMap<>();
        Iterator<Map.Entry<Name, Report>> reports = waiting.entrySet().iterator();
        for (int taken = 0; taken < PAGE && reports.hasNext(); taken++) {
            Map.Entry<Name, Report> next = reports.next();
            if (next.getValue().dueNanos() - nanoTime.getAsLong() > 0) {
                break;
            }
            due.computeIfAbsent(next.getKey().cleanup(), key -> new ArrayList<>())
                    .add(next.getValue().entry());
            bytes -= next.getValue().bytes();
            reports.remove();
        }
        return due;
    }

    /**
     * Cleans up. Drops the reports for an index table that did not answer one region in time, which takes up to the
     * delivery timeout, until {@link #SILENCE_NANOS} later.
     */
    private void cleanUp(Map<StaleCleanup, List<StaleEntry>> due) {
        due.forEach((cleanup, entries) -> {
            TableName index = cleanup.indexTable();
            Long since = silentSince.get(index);
            if (since == null || nanoTime.getAsLong() - since > SILENCE_NANOS) {
                if (isAnswered(cleanup, entries)) {
                    silentSince.remove(index);
                } else {
                    silentSince.put(index, nanoTime.getAsLong());
                }
            }
        });
    }

    /** Cleans up in one region; returns false if that failed after a long wait. */
    private boolean isAnswered(StaleCleanup cleanup, List<StaleEntry> entries) {
        long begin = nanoTime.getAsLong();
        try {
            cleanup.run(entries);
        } catch (NotServingRegionException | RegionTooBusyException e) {
            LOG.debug("Stale entries are left to later reads [region={}]", cleanup.regionName(), e);
        } catch (IOException | RuntimeException e) {
            LOG.info(
                    "{} stale entries of index {} could not be deleted; a later read reports them again [region={}]",
                    entries.size(),
                    cleanup.indexName(),
                    cleanup.regionName(),
                    e);
            return nanoTime.getAsLong() - begin < LONG_NANOS;
        }
        return true;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
