package org.diffindex.server;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.diffindex.model.Expiry;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.maintain.PresentRows;
import org.diffindex.server.maintain.RecentWrites;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RegionRowReader;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.queue.AppliedBatches;
import org.diffindex.server.queue.DeliveryParts;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.UpdateProcessor;
import org.diffindex.server.queue.UpdateQueue;
import org.diffindex.server.spill.SpillFiles;
import org.diffindex.server.spill.StampFiles;

/**
 * Wires the components that maintain the indexes of one region; nothing else does. Each receives its dependencies in
 * its constructor, and knows neither this class nor the components that use it. Immutable; the components are
 * thread-safe, except {@link #replay}, which is confined to the thread that opens the region.
 */
final class RegionParts {
    /** For how long a check of entries reads rows: a fifth of the second for which a reader waits for it. */
    private static final long MOST_NANOS_TO_READ = TimeUnit.MILLISECONDS.toNanos(200);

    private final RegionMaintainers maintainers;
    private final FlushBarrier barrier;
    private final RegionHistory history;
    private final MemstoreWrites memstore;
    private final HeldRows heldRows = new HeldRows();
    private final RowMemory memory;
    private final boolean remembersRows;
    private final FileReplacements replacements = new FileReplacements(this::forgetRows);
    private final WritePath writePath;
    private final RegionReplay replay;
    private final RegionIndexes indexes;
    private final RegionOperations operations;
    private final SessionLease lease;

    /**
     * Wires the components of a region that is being opened.
     *
     * @param server the resources shared by the regions of a server
     * @param files the region's spill files
     * @param stampFiles the region's stamp files
     */
    RegionParts(
            Region region,
            Collection<IndexDefinition> definitions,
            ServerIndexing server,
            SpillFiles files,
            StampFiles stampFiles) {
        RegionInfo info = region.getRegionInfo();
        Platform platform = server.platform();
        Settings settings = server.settings();
        DeliveryStats stats = server.statsOf(definitions);

        // Rows: read as of a sequence number, locked and stamped in one order.
        barrier = new FlushBarrier(platform.lock());
        BooleanSupplier hasHBasesRules = platform.hasHBasesRules(region, server.harmlessCoprocessors());
        history = new RegionHistory(
                region, this::pastNeededFrom, () -> platform.smallestReadPoint(region), hasHBasesRules);
        RecentWrites recent = new RecentWrites(settings.nearReadCells());
        Expiry expiry = new Expiry(region.getTableDescriptor(), definitions);
        RegionRowReader rows = new RegionRowReader(region, definitions, this::horizon, recent, hasHBasesRules);
        maintainers = new RegionMaintainers(definitions, new CountedReader(rows, stats), expiry.expiring());
        RegionStamps stamps = new RegionStamps(region, stampFiles, platform, maintainers, expiry.expiring());
        BooleanSupplier showsWhatIsWritten = platform.showsWhatIsWritten(region, server.harmlessCoprocessors());
        remembersRows = RowMemory.isUsable(region.getTableDescriptor(), definitions);
        memory = remembersRows
                ? platform.rowMemory(server.rowMemory(), stats.rowMemoryHits, () -> {
                    replacements.notice();
                    return showsWhatIsWritten.getAsBoolean();
                })
                : RowMemory.none();
        RowLocks locks = platform.rowLocks();
        RowOrder order = new RowOrder(
                locks, stamps.clock(), platform.uncertainWrites(), stamps.times()::earliest, settings.longestRowWait());

        // The AUQ, in memory and on disk, and the APS that delivers it.
        UpdateQueue queue = new UpdateQueue();
        AppliedBatches appliedBatches = new AppliedBatches();
        Spill spill = new Spill(
                files, queue, appliedBatches, barrier, server.memory(), server.diskThread(), stats, platform.lock());
        UpdateProcessor processor = new UpdateProcessor(new DeliveryParts(
                info.getRegionNameAsString(),
                queue,
                spill,
                maintainers,
                server.sink(),
                server.apsThreads(),
                stats,
                platform::nanoTime));
        AsynchronousUpdates asynchronous = new AsynchronousUpdates(maintainers, queue, processor, platform::nanoTime);

        // The write path.
        IndexSink sink = new CountedSink(server.sink(), stats);
        WriteCheck check = new WriteCheck(maintainers.all(), region.getTableDescriptor());
        Admission admission = new Admission(
                info,
                maintainers,
                settings,
                server.waitingHandlers(),
                barrier,
                server.memory(),
                server.relief()::relieveIfShort);
        memstore = new MemstoreWrites(
                recent,
                appliedBatches,
                history,
                rows::hasCellsOf,
                () -> platform.awaitVisible(region),
                sequence -> platform.isVisible(region, sequence));
        DirectWrites direct = new DirectWrites(
                region,
                maintainers,
                admission,
                order,
                memory,
                stamps,
                queue,
                new IndexTables(sink, server::entries, stamps::recordUpTo, () -> server.lease()
                        .require(info, "no entry was written")),
                platform::nanoTime);
        StaleEntries stale = new StaleEntries(direct, server.staleReports(), stats);
        Acknowledgement acknowledgement = new Acknowledgement(
                info.getTable(),
                maintainers,
                index -> server.permissionsOn(index.indexTable()).mayRead(),
                asynchronous,
                new SynchronousUpdates(
                        maintainers,
                        memory,
                        queue,
                        spill,
                        settings,
                        server.waitingHandlers(),
                        sink,
                        stale::replaced,
                        server.slowOperations()),
                heldRows,
                platform);
        writePath = new WritePath(
                info.getRegionNameAsString(),
                maintainers,
                check,
                admission,
                order,
                server.earlyInserts(stats),
                memstore,
                acknowledgement,
                platform);

        // The life cycle of the region, and its endpoint's operations.
        replay = new RegionReplay(
                region, maintainers, expiry.expiring(), stamps, admission, memstore, asynchronous, spill);
        RegionDelivery delivery = new RegionDelivery(processor, spill, stats);
        indexes = new RegionIndexes(region, server, admission, replay, stamps, history, memstore, delivery);
        operations = new RegionOperations(
                direct,
                indexes,
                server.name(),
                stale,
                new PresentEntries(
                        info,
                        maintainers,
                        new PresentRows(locks, memory, rows::readPresent, MOST_NANOS_TO_READ, platform::nanoTime),
                        index -> server.permissionsOn(info.getTable())
                                .mayRead(index.definition().readColumns()),
                        server.lease()::holds,
                        stats),
                server.connections());
        lease = server.lease();
    }

    /** Returns the horizon of the maintainers, for the reader of past rows that they use. */
    long horizon() {
        return maintainers.horizon();
    }

    /** Returns the oldest read point at which rows must be readable, also for writes that HBase has silently failed. */
    private long pastNeededFrom() {
        memstore.recordUnconfirmed();
        return barrier.pastNeededFrom();
    }

    /** Forgets what rows show: HBase may show other versions of them now, though they were not written. */
    void forgetRows() {
        memory.forgetAll();
    }

    /** Records that a compaction is about to read files, whose replacement may change what rows show. */
    void compactionBegins(Store store, Collection<? extends StoreFile> files) {
        if (remembersRows) {
            replacements.compactionBegins(store, files);
        }
    }

    /** Returns the number of compactions whose effect on what rows show is not settled. */
    int unsettledCompactions() {
        return replacements.size();
    }

    /** Returns the write path. */
    WritePath writePath() {
        return writePath;
    }

    /** Returns the writes for which HBase holds row locks beyond their batch. */
    HeldRows heldRows() {
        return heldRows;
    }

    /** Returns the receiver of writes that are replayed from the WAL. */
    RegionReplay replay() {
        return replay;
    }

    /** Returns the life cycle: open, flush, drain, close. */
    RegionIndexes indexes() {
        return indexes;
    }

    /** Returns the history that flushes and compactions must keep. */
    RegionHistory history() {
        return history;
    }

    /** Returns the operations of the endpoint. */
    RegionOperations operations() {
        return operations;
    }

    /** Returns the lease within which the server's regions are certainly its own. */
    SessionLease lease() {
        return lease;
    }
}
