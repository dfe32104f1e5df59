package org.diffindex.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.regionserver.Region;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.UpdateProcessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of the indexes of one region: open, flush, drain, close. At every moment, what an index lacks is in the WAL or in
 * a spill file.
 *
 * <p>Safe for use by many threads: the thread that opens the region, flushes, endpoint handlers that drain, and the thread that
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
    private final Spill spill;
    private final UpdateProcessor processor;
    private final RegionMetrics metrics;

    /** Whether replay is over and the region can be read. Set once, by the thread that opens the region. */
    private volatile boolean open;

    /**
     * Whether the current flush has put on disk what the indexes lack of its snapshot. Written by the thread that flushes; the next
     * flush begins with {@link #flushBeginsOrEnds}.
     */
    private volatile boolean snapshotIsCovered;

    /** Whether the region is closed, so that its next holder delivers the rest. Set once, by the thread that closes the region. */
    private volatile boolean closed;

    /**
     * The indexes of a region that is being opened.
     *
     * @param server what the region shares with the others of its server
     */
    RegionIndexes(
            Region region,
            ServerIndexing server,
            Admission admission,
            RegionReplay replay,
            RegionStamps stamps,
            RegionHistory history,
            Spill spill,
            UpdateProcessor processor,
            RegionMetrics metrics) {
        this.region = region;
        this.name = region.getRegionInfo().getRegionNameAsString();
        this.server = server;
        this.settings = server.settings();
        this.admission = admission;
        this.replay = replay;
        this.stamps = stamps;
        this.history = history;
        this.spill = spill;
        this.processor = processor;
        this.metrics = metrics;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RegionMetrics metrics() {
        return metrics;
    }

    /** Takes over the spill files and stamps of the rows' previous holders. Before the region's files are opened. */
    void opening() throws IOException {
        spill.find();
        stamps.opening();
    }

    /** Begins to deliver, and joins the online regions of the server. The region can be read and written. */
    void opened() {
        replay.begin(); // if there was nothing to replay
        goOnFromLastServer();
        open = true;
        server.opened(this);
        processor.start();
    }

    /**
     * The hook may not throw; but the region must not go on without its history and its stamps. Which tombstones are in its files
     * is not known; so each file may hold one.
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

    /** Begins or ends a flush that HBase or a user asked for: its snapshot is not covered. */
    void flushBeginsOrEnds() {
        snapshotIsCovered = false;
    }

    /**
     * Covers the snapshots of a flush, once they are taken for all stores and before one of them becomes a file, after which the WAL
     * need not hold its rows: waits a bounded time for the index updates of these rows, and puts on disk what the indexes still lack,
     * mostly nothing. HBase calls this for each store; only the first call of a flush has an effect.
     *
     * <p>HBase does not announce the flushes of a replay and of a close: these are covered for each store, without a wait. The wait is
     * skipped too while delivery is stalled.
     *
     * @throws IOException if that failed; the flush must fail, since only the WAL holds the updates
     */
    void coverSnapshot() throws IOException {
        boolean isAnnounced = open && !admission.isClosed();
        if (isAnnounced && snapshotIsCovered) {
            return;
        }
        if (isAnnounced) {
            awaitUnlessStalled(settings.flushWaitMs());
        }
        spill.cover();
        stamps.record();
        snapshotIsCovered = true;
    }

    /** Waits for the updates of the indexes that keep up. An index that is behind would take too long. */
    private void awaitUnlessStalled(long timeoutMs) throws IOException {
        if (!processor.isStuck()) {
            admission.await(timeoutMs, index -> false);
        }
    }

    /**
     * Before the region closes: admits no more writes, and waits a bounded time for those in flight, unless delivery is stalled. The
     * flush that closes the region puts the rest on disk, and the next holder of the rows delivers it.
     */
    void awaitBeforeClose() throws IOException {
        admission.close();
        awaitUnlessStalled(settings.closeWaitMs());
        history.keepToTheEnd();
        stamps.record();
    }

    /**
     * Before the region closes without a flush. If its server aborts, ends all calls to index tables: a handler that waits for one
     * holds HBase's lock of the region, without which the server does not end. The WAL holds what the indexes lack, for the region's
     * next server.
     */
    void abandonIfServerAborts() {
        if (server.isAborted()) {
            admission.close();
            server.abandon();
        }
    }

    /**
     * Waits for the index updates of the writes in flight.
     *
     * @param indexes matches the names of the indexes that are waited for even if they are behind
     * @return what is still undelivered when the time is up, to any index
     * @throws NotServingRegionException if the region was closed meanwhile, so that its next holder has the rest
     */
    FlushBarrier.Inside drain(long timeoutMs, Predicate<String> indexes) throws IOException {
        FlushBarrier.Inside left = admission.await(timeoutMs, indexes);
        if (closed) {
            throw new NotServingRegionException(
                    "The region was closed while its index updates were waited for [" + name + "]");
        }
        return left;
    }

    @Override
    public void unload() {
        processor.unload();
    }

    @Override
    public void relieve() {
        processor.relieve();
    }

    /** Stops delivering, and forgets what is undelivered: the region is closed. */
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
