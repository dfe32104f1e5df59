package org.diffindex.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.maintain.RecentWrites;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RegionRowReader;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowReader;
import org.diffindex.server.queue.DeliveryParts;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.InFlight;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.Undelivered;
import org.diffindex.server.queue.UpdateProcessor;
import org.diffindex.server.queue.UpdateQueue;
import org.diffindex.server.spill.SpillFiles;
import org.diffindex.server.spill.StampFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The indexes of one region of a base table: the parts that keep them, and what becomes of them when the region is
 * replayed, opened, flushed and closed. Safe for use by many threads.
 */
final class RegionIndexes {

    private static final Logger LOG = LoggerFactory.getLogger(RegionIndexes.class);

    private final Region region;
    private final String regionName;
    private final ServerIndexing server;
    private final RegionMaintainers maintainers;
    private final RecentWrites recent;
    private final RegionRowReader rows;
    private final RegionStamps stamps;
    private final RowLocks locks;
    private final FlushBarrier barrier;
    private final RegionHistory history;
    private final UpdateQueue queue = new UpdateQueue();
    private final Undelivered undelivered = new Undelivered();
    private final RowsUnderWay underWay = new RowsUnderWay();
    private final Spill spill;
    private final DeliveryStats stats = new DeliveryStats();
    private final UpdateProcessor processor;
    private final WritePath writePath;
    private final RegionReplay replay;

    /** Replay is over and the region can be read. */
    private volatile boolean open;

    /**
     * Whether the flush that is going on has put on disk what the indexes lack of its snapshot. HBase runs one flush of a region
     * at a time, and ends it with {@link #flushBeginsOrEnds} before the next.
     */
    private volatile boolean snapshotIsCovered;

    /** No write is let in any more, so that what is inside can be waited for. */
    private volatile boolean closing;

    /** The region is closed: its next holder delivers what is left. */
    private volatile boolean closed;

    RegionIndexes(
            Region region,
            Collection<IndexDefinition> definitions,
            ServerIndexing server,
            SpillFiles files,
            StampFiles stamps) {
        this.region = region;
        this.regionName = region.getRegionInfo().getRegionNameAsString();
        this.server = server;
        this.locks = server.platform().rowLocks();
        this.barrier = new FlushBarrier(server.platform().lock());
        this.history = new RegionHistory(
                region, barrier::pastNeededFrom, () -> server.platform().smallestReadPoint(region));
        this.recent = new RecentWrites(server.settings().nearReadCells());
        this.rows = new RegionRowReader(region, definitions, this::horizon, recent);
        this.maintainers = new RegionMaintainers(
                definitions, new CountedReader(), index -> TimeToLive.limits(index, region.getTableDescriptor()));
        this.stamps = new RegionStamps(region, stamps, server.platform(), maintainers);
        this.spill = new Spill(
                files,
                queue,
                undelivered,
                barrier,
                server.memory(),
                server.diskThread(),
                server.platform().lock());
        this.processor = new UpdateProcessor(new DeliveryParts(
                regionName,
                queue,
                spill,
                maintainers,
                server.sink(),
                server.apsThreads(),
                stats,
                server.platform()::nanoTime));
        this.writePath = new WritePath(this);
        this.replay = new RegionReplay(this, barrier);
    }

    /** What index updates read counts; what repairs and lookups read does not. */
    private final class CountedReader implements RowReader {
        @Override
        public List<Cell> read(byte[] row, long sequence) throws IOException {
            stats.baseReads.increment();
            return rows.read(row, sequence);
        }

        @Override
        public NavigableMap<byte[], List<Cell>> readAll(NavigableSet<byte[]> asked, long sequence) throws IOException {
            stats.baseReads.add(asked.size());
            return rows.readAll(asked, sequence);
        }

        @Override
        public NavigableMap<Long, List<Cell>> readEach(byte[] row, NavigableSet<Long> sequences) throws IOException {
            stats.baseReads.increment();
            return rows.readEach(row, sequences);
        }
    }

    private long horizon() {
        return maintainers.horizon();
    }

    WritePath writePath() {
        return writePath;
    }

    String name() {
        return regionName;
    }

    String serverName() {
        return server.name();
    }

    RecentWrites recent() {
        return recent;
    }

    RegionRowReader rows() {
        return rows;
    }

    UpdateProcessor processor() {
        return processor;
    }

    Region region() {
        return region;
    }

    ServerIndexing server() {
        return server;
    }

    RegionMaintainers maintainers() {
        return maintainers;
    }

    RegionStamps stamps() {
        return stamps;
    }

    RowClock clock() {
        return stamps.clock();
    }

    RowLocks locks() {
        return locks;
    }

    RegionHistory history() {
        return history;
    }

    DeliveryStats stats() {
        return stats;
    }

    UpdateQueue queue() {
        return queue;
    }

    Undelivered undelivered() {
        return undelivered;
    }

    RowsUnderWay underWay() {
        return underWay;
    }

    Spill spill() {
        return spill;
    }

    /**
     * Lets a write in: it is inside until the last holder lets go, and a flush or a close waits for it.
     *
     * @param bytes the memory that its updates take until then
     * @throws NotServingRegionException if the region is closing
     * @throws RegionTooBusyException if the memory for index updates is used up, or too many handlers wait for an index
     *     table
     */
    InFlight enter(long bytes) throws IOException {
        FlushBarrier.Stay stay = barrier.enter();
        boolean admitted = false;
        try {
            if (closing) {
                throw new NotServingRegionException("The region is closing; nothing was written [" + regionName + "]");
            }
            if (maintainers.hasSynchronous() && server.waitingHandlers().areTooMany()) {
                throw new RegionTooBusyException(
                        "Half of this server's handlers wait for index tables that do not answer;"
                                + " nothing was written, try again later [region=" + regionName + "]");
            }
            server.relieveIfShort();
            admitted = server.memory().tryReserve(bytes);
            if (!admitted) {
                throw new RegionTooBusyException("Index updates on their way hold "
                        + server.memory().used() + " bytes, the limit is "
                        + server.memory().limit() + "; nothing was written, try again later [region=" + regionName
                        + "]");
            }
        } finally {
            if (!admitted) {
                stay.leave();
            }
        }
        return new InFlight(stay, server.memory(), bytes);
    }

    /** Before the region's files are opened: what its rows' earlier holders left on disk is waited for from now on. */
    void opening() throws IOException {
        spill.find();
        stamps.opening();
    }

    /** A write found in the WAL, before the region is open. */
    void replayed(WALKey key, WALEdit edit) throws IOException {
        replay.add(key, edit);
    }

    /** Those indexes may lack the change, whatever their scheme. */
    void lacking(RowChange change, Predicate<IndexDefinition> lacking, InFlight inFlight) {
        queue.addReplayed(change, lacking, inFlight, server.platform().nanoTime());
    }

    /** The region can be read and written. */
    void opened() {
        replay.begin(); // if there was nothing to replay
        goOnFromLastServer();
        open = true;
        server.opened(this);
        processor.start();
    }

    /**
     * The hook may not throw; but without its past and its stamps the region must not go on. Which tombstones are in its files is not known,
     * so all that is in them may be.
     */
    private void goOnFromLastServer() {
        try {
            stamps.opened();
            keepHistory();
            region.getStores()
                    .forEach(store -> history.revealed(store.getMaxSequenceId().orElse(0)));
            forgetHistory();
        } catch (IOException e) {
            throw new UncheckedIOException("The past of the rows of " + regionName + " is not known", e);
        }
    }

    /** Whether the entries of an index that a cell concerns expire by their stamps. */
    boolean expires(Cell cell) {
        return writePath.expires(cell);
    }

    /** A flush that HBase or a user asked for begins, or has ended: what it takes a snapshot of is not taken care of. */
    void flushBeginsOrEnds() {
        snapshotIsCovered = false;
    }

    /**
     * The snapshots of the memstores of all stores are taken, and one of them is about to become a file, after which the WAL
     * need not hold it any more: waits a while for the index updates of what was in the memstores, and puts on disk what the
     * indexes lack then, most often nothing. Once for each flush: HBase calls this for each store, after the snapshots of all.
     *
     * <p>Of the flushes of a replay and of a close HBase does not tell the beginning: they cover for each store, and wait for
     * none.
     *
     * @throws IOException if that failed; the flush must not go on, since the WAL is all that holds it
     */
    void coverSnapshot() throws IOException {
        boolean tellsItsBeginning = open && !closing;
        if (tellsItsBeginning && snapshotIsCovered) {
            return;
        }
        if (tellsItsBeginning && !processor.isStuck()) {
            awaitCommon(server.settings().flushWaitMs());
        }
        spill.cover();
        stamps.record();
        snapshotIsCovered = true;
    }

    /**
     * Keeps the past of the rows whose changes are not delivered, and lets go of the past of all others. Before a flush
     * writes its files; by then a change that they may hold has entered. Compactions need no more than that: there is no past
     * in files that was not there when they were written.
     */
    void keepHistory() throws IOException {
        history.keep();
    }

    /** A flush or compaction is over. */
    void forgetHistory() throws IOException {
        history.forget();
    }

    /**
     * Before the region closes: no write is let in any more, and those inside are waited for while they get on. What is left
     * is put on disk by the flush that closes the region, and delivered by who opens its rows next.
     */
    void awaitBeforeClose() throws IOException {
        closing = true;
        if (!processor.isStuck()) {
            awaitCommon(server.settings().closeWaitMs());
        }
        history.keepToTheEnd();
        stamps.record();
    }

    /**
     * Before the region closes without a flush. If that is because its server aborts, nobody may wait for an index any more:
     * a handler that does holds HBase's lock of the region, without which the server does not end. What the indexes lack is in
     * the WAL, for the region's next server.
     */
    void abandonIfServerAborts() {
        if (server.isAborted()) {
            closing = true;
            server.abandon();
        }
    }

    /** Waits for what the indexes are given together. An index that is behind would take too long. */
    private void awaitCommon(long timeoutMs) throws InterruptedIOException {
        await(timeoutMs, index -> false);
    }

    /**
     * Waits for the index updates of the writes that are inside, for some indexes.
     *
     * @param indexes holds of their names
     * @return which are left when the time is up, those of the other indexes included
     * @throws NotServingRegionException if the region was closed meanwhile, so that its next holder has what is left
     */
    FlushBarrier.Inside drain(long timeoutMs, Predicate<String> indexes) throws IOException {
        FlushBarrier.Inside left = await(timeoutMs, indexes);
        if (closed) {
            throw new NotServingRegionException(
                    "The region was closed while its index updates were waited for [" + regionName + "]");
        }
        return left;
    }

    private FlushBarrier.Inside await(long timeoutMs, Predicate<String> indexes) throws InterruptedIOException {
        try {
            return barrier.await(timeoutMs, TimeUnit.MILLISECONDS, indexes);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException)
                    new InterruptedIOException("Interrupted while waiting for index updates").initCause(e);
        }
    }

    /** Forgets what was loaded from disk for indexes that do not take it. */
    void unload() {
        processor.unload();
    }

    /** Puts on disk what waits for indexes that are behind. */
    void relieve() {
        processor.relieve();
    }

    /** The region is closed. */
    void closed() {
        closed = true;
        server.closed(this);
        processor.stop();
        spill.close();
        processor.clear();
        try {
            history.close();
        } catch (IOException e) {
            LOG.warn("The scanner that kept the region's past could not be closed [region={}]", regionName, e);
        }
    }
}
