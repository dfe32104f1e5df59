package org.diffindex.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.UpdateProcessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life cycle of one region's indexes: open, flush, drain, close. At every moment, each update that an index lacks
 * is in the WAL or in a spill file.
 *
 * <p>Thread-safe: used by the thread that opens the region, flushes, endpoint handlers that drain, and the thread that
 * closes the region. HBase runs one flush of a region at a time.
 */
final class RegionIndexes implements OnlineRegion {
    private static final Logger LOG = LoggerFactory.getLogger(RegionIndexes.class);

    private final Region region;
    private final String name;
    private final ServerIndexing server;
    private final Settings settings;
    private final Admission admission;
    private final RegionReplay replay;
    private final RegionStamps stamps;
    private final RegionHistory history;
    private final MemstoreWrites memstore;
    private final Spill spill;
    private final UpdateProcessor processor;
    private final RegionMetrics metrics;

    /** Whether replay is over and the region can be read. Set once, by the thread that opens the region. */
    private volatile boolean open;

    /**
     * Whether the updates that indexes lack of the current flush's snapshot are on disk. Written by the thread that
     * flushes; {@link #flushBeginsOrEnds} resets it before the next flush.
     */
    private volatile boolean snapshotIsCovered;

    /**
     * Whether the region is closed, so that its next holder delivers undelivered updates. Set once, by the thread that
     * closes the region.
     */
    private volatile boolean closed;

    /**
     * Creates the indexes of a region that is being opened.
     *
     * @param server the resources shared by the regions of a server
     */
    RegionIndexes(
            Region region,
            ServerIndexing server,
            Admission admission,
            RegionReplay replay,
            RegionStamps stamps,
            RegionHistory history,
            MemstoreWrites memstore,
            RegionDelivery delivery) {
        this.region = region;
        this.name = region.getRegionInfo().getRegionNameAsString();
        this.server = server;
        this.settings = server.settings();
        this.admission = admission;
        this.replay = replay;
        this.stamps = stamps;
        this.history = history;
        this.memstore = memstore;
        this.spill = delivery.spill();
        this.processor = delivery.processor();
        this.metrics = new RegionMetrics(delivery);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RegionMetrics metrics() {
        return metrics;
    }

    /**
     * Takes over the spill files and stamps of previous holders of the rows. Must be called before the region's files
     * are opened.
     */
    void opening() throws IOException {
        spill.find(stamps::found);
        stamps.opening();
    }

    /** Starts delivery and registers the region with the server. The region must be open for reads and writes. */
    void opened() {
        replay.begin(); // if there was nothing to replay
        goOnFromLastServer();
        open = true;
        server.opened(this);
        processor.start();
    }

    /**
     * Restores the region's history and stamps. The hook must not throw a checked exception, but the region must not
     * open without its history. Since it is unknown which files contain tombstones, each is assumed to contain one.
     *
     * @throws UncheckedIOException if that fails
     */
    private void goOnFromLastServer() {
        try {
            stamps.opened();
            history.keep();
            region.getStores()
                    .forEach(store -> history.revealed(store.getMaxSequenceId().orElse(0)));
            history.forget();
        } catch (IOException e) {
            throw new UncheckedIOException("The past of the rows of " + name + " is not known", e);
        }
    }

    /** Records that an announced flush begins or ends, so that no snapshot is covered. */
    void flushBeginsOrEnds() {
        snapshotIsCovered = false;
    }

    /**
     * Makes a file of a flush's snapshot keep the past that undelivered changes need. HBase calls this for each store,
     * in every flush, before {@link #coverSnapshot}.
     */
    void keepPast(ScanOptions options) throws IOException {
        memstore.recordUnconfirmed();
        history.keep();
        history.keepVersions(options);
    }

    /**
     * Covers the snapshots of a flush, after they are taken for all stores and before one of them becomes a file, since
     * the WAL need not hold its rows from then on. Waits a bounded time for the index updates of these rows, and writes
     * to disk what the indexes still lack, mostly nothing. HBase calls this for each store; only the first call of an
     * announced flush has an effect, or the next one if that failed.
     *
     * <p>HBase does not announce the flushes during replay and close; these are covered for each store, without a wait.
     * The wait is also skipped while the region's rows cannot be read.
     *
     * @throws IOException if the updates cannot be written; the flush must fail then, since only the WAL holds them
     */
    void coverSnapshot() throws IOException {
        boolean isAnnounced = open && !admission.isClosed();
        if (isAnnounced && snapshotIsCovered) {
            return;
        }
        server.slowOperations().during("flush", line -> line.with("region", name), () -> {
            if (isAnnounced) {
                awaitUnlessRowsAreUnreadable(settings.flushWaitMs());
            }
            spill.cover();
            stamps.record();
        });
        snapshotIsCovered = true;
    }

    /** Waits for the indexes that keep up; an index that is behind would take too long. */
    private void awaitUnlessRowsAreUnreadable(long timeoutMs) throws IOException {
        if (!processor.isStuck()) {
            admission.await(timeoutMs, index -> false);
        }
    }

    /**
     * Prepares a close with a flush: admits no more writes, and waits a bounded time for those in flight unless the
     * region's rows cannot be read. The flush that closes the region writes the rest to disk, and
     * the next holder of the rows delivers it.
     *
     * <p>HBase calls the hook twice when the master closes a region; only the first call waits. The close itself then
     * waits for the handlers that are still within a write of the region.
     */
    void awaitBeforeClose() throws IOException {
        boolean isFirst = !admission.isClosed();
        admission.close();
        if (isFirst) {
            server.slowOperations()
                    .during(
                            "close",
                            line -> line.with("region", name),
                            () -> awaitUnlessRowsAreUnreadable(settings.closeWaitMs()));
        }
        history.keepToTheEnd();
        stamps.tryToRecord();
    }

    /**
     * Prepares a close without a flush. If the server aborts, ends all calls to index tables, since a handler that
     * waits for one holds HBase's lock of the region and would keep the server from terminating. The WAL holds what the
     * indexes lack, for the region's next server.
     */
    void abandonIfServerAborts() {
        if (server.isAborted()) {
            admission.close();
            server.abandon();
        }
    }

    /** Returns a number for the writes in flight; the earlier one, if the region was open then and has returned that. */
    long cut(OptionalLong earlier) {
        return admission.cut(earlier);
    }

    /**
     * Waits for the index updates of the writes that were in flight at a cut.
     *
     * @param timeoutMs the limit of the wait, in milliseconds
     * @param indexes selects by name the indexes to wait for even if they are behind
     * @return what is undelivered to any index when the wait ends
     * @throws NotServingRegionException if the region was closed meanwhile, or may be another server's by now, so that
     *     its next holder has the rest
     */
    FlushBarrier.Inside drain(long cut, long timeoutMs, Predicate<String> indexes) throws IOException {
        FlushBarrier.Inside left = admission.await(cut, timeoutMs, indexes);
        if (closed) {
            throw new NotServingRegionException(
                    "The region was closed while its index updates were waited for [" + name + "]");
        }
        server.lease().require(region.getRegionInfo(), "what the indexes lack is not known");
        return left;
    }

    @Override
    public void unload() {
        processor.unload();
    }

    @Override
    public LongStream parkableBytes() {
        return processor.parkableBytes();
    }

    @Override
    public void relieve(long least) {
        processor.relieve(least);
    }

    /** Stops delivery and discards from memory what is undelivered, since the region is closed. */
    void closed() {
        closed = true;
        server.closed(this);
        processor.stop();
        spill.close();
        processor.clear();
        try {
            history.close();
        } catch (IOException e) {
            LOG.warn("The scanner that kept the region's past could not be closed [region={}]", name, e);
        }
    }
}
