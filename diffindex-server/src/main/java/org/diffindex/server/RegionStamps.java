package org.diffindex.server;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowTimes;
import org.diffindex.server.spill.StampFiles;

/**
 * The stamps of one region's rows: the clock that gives them, and how they, and the horizon of its maintainers, go on where
 * another server left off. Safe for use by many threads.
 */
final class RegionStamps {
    /** How far the clocks of region servers may differ: HBase's own bound, hbase.master.maxclockskew. */
    private static final long MAX_CLOCK_SKEW_MS = 30_000;

    private final Region region;
    private final StampFiles files;
    private final InstantSource wallClock;
    private final RowClock clock;
    private final RowTimes times;
    private final RegionMaintainers maintainers;

    /** The horizon that was recorded for what is in the region's files. */
    private OptionalLong recordedHorizon = OptionalLong.empty();

    RegionStamps(Region region, StampFiles files, Platform platform, RegionMaintainers maintainers) {
        this.region = region;
        this.maintainers = maintainers;
        this.files = files;
        this.wallClock = platform.wallClock();
        this.clock = platform.rowClock();
        this.times = new RowTimes(region);
    }

    RowClock clock() {
        return clock;
    }

    /** Which timestamps writes must have to be seen. */
    RowTimes times() {
        return times;
    }

    /** Whether the server's clock has not passed a time. */
    boolean isAheadOfClock(long time) {
        return time >= wallClock.millis();
    }

    /** Returns the latest stamp that the region may have given by now. */
    long latest() {
        return Math.max(wallClock.millis(), clock.highest());
    }

    /** Whether a server's clock may have given a time; one further ahead is a client's. */
    boolean mayBeOfAServer(long time) {
        return time <= wallClock.millis() + MAX_CLOCK_SKEW_MS;
    }

    /**
     * Before the region's files are opened and its WAL is replayed: goes on from the stamps of the region, or, if it is a
     * daughter or merged, of those that held its rows before.
     */
    void opening() throws IOException {
        Optional<StampFiles.Recorded> before = files.find();
        clock.raise(before.map(StampFiles.Recorded::stamp).orElse(0L));
        recordedHorizon = before.map(StampFiles.Recorded::horizon).orElse(OptionalLong.empty());
    }

    /**
     * The region's files are open, and nothing of the WAL is replayed: the horizon is the newest timestamp in the files of
     * indexed families, or the one that was recorded if that is earlier. No file of another origin has come since, because bulk
     * loads are refused.
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

    /** The range of times of a file without a cell has no end; a file that tells no range may have any time. */
    private static long newestIn(StoreFile file) {
        long newest = file.getMaximumTimestamp().orElse(Long.MAX_VALUE - 1);
        return newest == Long.MAX_VALUE ? 0 : newest;
    }

    /**
     * The region is open: goes on from the newest time in its files, which may be of a server on which the table had no index.
     */
    void opened() throws IOException {
        record();
        for (Store store : region.getStores()) {
            for (StoreFile file : store.getStorefiles()) {
                long newest = file.getMaximumTimestamp().orElse(0);
                clock.raise(mayBeOfAServer(newest) ? newest : 0);
            }
        }
    }

    /** For the region's next server, whose clock may be behind. */
    void record() throws IOException {
        files.record(clock.highest(), Math.max(0, maintainers.horizon()));
    }
}
