package org.diffindex.server;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowTimes;
import org.diffindex.server.spill.SpillContent;
import org.diffindex.server.spill.StampFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stamps of one region's rows: the clock that assigns them, and how the clock and the maintainers' horizon continue
 * from where another server stopped. Thread-safe.
 */
final class RegionStamps {
    private static final Logger LOG = LoggerFactory.getLogger(RegionStamps.class);

    /**
     * The maximum difference between the clocks of region servers, in milliseconds: HBase's own bound,
     * hbase.master.maxclockskew.
     */
    private static final long MAX_CLOCK_SKEW_MS = 30_000;

    private final Region region;
    private final StampFiles files;
    private final InstantSource wallClock;
    private final RowClock clock;
    private final RowTimes times;
    private final RegionMaintainers maintainers;
    private final IndexSet expiring;

    /**
     * The last stamp of the changes in spill files that are for an index whose entries do not expire; {@link
     * Long#MAX_VALUE} if it is unknown because a file could not be read.
     */
    private final AtomicLong lastInFiles = new AtomicLong();

    /** The horizon that was recorded for the content of the region's files. */
    private OptionalLong recordedHorizon = OptionalLong.empty();

    /**
     * Creates the stamps of a region that is being opened.
     *
     * @param expiring the indexes whose entries expire by their stamps
     */
    RegionStamps(Region region, StampFiles files, Platform platform, RegionMaintainers maintainers, IndexSet expiring) {
        this.region = region;
        this.maintainers = maintainers;
        this.expiring = expiring;
        this.files = files;
        this.wallClock = platform.wallClock();
        this.clock = platform.rowClock();
        this.times = new RowTimes(region);
    }

    RowClock clock() {
        return clock;
    }

    /** Returns the source of the timestamps that make writes visible. */
    RowTimes times() {
        return times;
    }

    /** Returns whether the server's clock has not passed a time, in milliseconds since the epoch. */
    boolean isAheadOfClock(long time) {
        return time >= wallClock.millis();
    }

    /** Returns the latest stamp that the region may have given by now. */
    long latest() {
        return Math.max(wallClock.millis(), clock.highest());
    }

    /** Returns whether a server's clock may have produced a time; a time further ahead is a client's. */
    boolean mayBeOfAServer(long time) {
        return time <= wallClock.millis() + MAX_CLOCK_SKEW_MS;
    }

    /**
     * Continues from the stamps of the region, or, if it resulted from a split or merge, of the regions that held its
     * rows before. Must be called before the region's files are opened and its WAL is replayed.
     */
    void opening() throws IOException {
        Optional<StampFiles.Recorded> before = files.find();
        clock.raise(before.map(StampFiles.Recorded::stamp).orElse(0L));
        recordedHorizon = before.map(StampFiles.Recorded::horizon).orElse(OptionalLong.empty());
    }

    /**
     * Continues from the stamps in a spill file of the region. A replay may have given them, to writes from before the
     * index, and have failed before the next recording. Where entries expire, a stamp that no server can have given is
     * the timestamp of such a write; everywhere else a server has given it, though perhaps far ahead of the clock.
     *
     * @param content the region's part of the file; empty if it cannot be read now
     */
    void found(Optional<SpillContent> content) {
        if (content.isEmpty()) {
            lastInFiles.set(Long.MAX_VALUE);
            return;
        }
        long last = content.get().lastStamp();
        boolean isGiven = maintainers.all().stream()
                .map(IndexMaintainer::definition)
                .anyMatch(index -> content.get().isFor(index) && !expiring.contains(index));
        if (isGiven) {
            lastInFiles.accumulateAndGet(last, Math::max);
        }
        clock.raise(isGiven || mayBeOfAServer(last) ? last : 0);
    }

    /** Returns whether a stamp is later than all in spill files that an index without expiring entries may lack. */
    boolean isAfterFiles(long stamp) {
        return stamp > lastInFiles.get();
    }

    /**
     * Sets the horizon to the newest timestamp in the files of indexed families, or the recorded horizon if that is
     * earlier. Must be called when the files are open and nothing of the WAL is replayed. No file of another origin can
     * have been added since the recording, because bulk loads are refused.
     */
    void filesAreOpen() {
        long newest = 0;
        for (Store store : region.getStores()) {
            if (maintainers.haveColumnOf(store.getColumnFamilyDescriptor().getName())) {
                for (StoreFile file : store.getStorefiles()) {
                    newest = Math.max(newest, newestIn(file));
                }
            }
        }
        maintainers.raiseHorizon(Math.min(newest, recordedHorizon.orElse(Long.MAX_VALUE)));
    }

    /**
     * Returns the newest timestamp in a file: 0 for a file without cells, whose time range is unbounded; the highest
     * possible one for a file without a time range.
     */
    private static long newestIn(StoreFile file) {
        long newest = file.getMaximumTimestamp().orElse(Long.MAX_VALUE - 1);
        return newest == Long.MAX_VALUE ? 0 : newest;
    }

    /**
     * Continues from the newest timestamp in the region's files, which a server may have assigned while the table had
     * no index. Must be called when the region is open.
     */
    void opened() {
        tryToRecord();
        for (Store store : region.getStores()) {
            for (StoreFile file : store.getStorefiles()) {
                long newest = file.getMaximumTimestamp().orElse(0);
                clock.raise(mayBeOfAServer(newest) ? newest : 0);
            }
        }
    }

    /**
     * Records the stamps for the region's next server, whose clock may be behind.
     *
     * @throws IOException if they cannot be recorded; rows must not be flushed then, since the WAL may lose the stamps
     *     of their writes
     */
    void record() throws IOException {
        files.record(clock.highest(), Math.max(0, maintainers.horizon()));
    }

    /**
     * Records the stamps unless those that are recorded include the given one. A row of the region has been given it,
     * or a later one, for an update that is about to be sent and that is in no WAL.
     *
     * @throws IOException if they cannot be recorded; the update must not be sent then
     */
    void recordUpTo(long stamp) throws IOException {
        if (!files.haveRecorded(stamp)) {
            record();
        }
    }

    /**
     * Records the stamps when no row is being flushed. HBase ends the server if a hook fails there; a failure is only
     * logged, since the next flush records the same: until then the WAL tells the stamps of all writes that are not
     * flushed, and the files of the region, or of those that held its rows before, all others. The stamps of backfills,
     * repairs and clean-ups are recorded before their updates are sent ({@link #recordUpTo}).
     */
    void tryToRecord() {
        try {
            record();
        } catch (IOException e) {
            LOG.warn(
                    "The stamps of {} could not be recorded; the next flush records them, and until then the WAL and"
                            + " the files tell them",
                    region.getRegionInfo().getRegionNameAsString(),
                    e);
        }
    }
}
