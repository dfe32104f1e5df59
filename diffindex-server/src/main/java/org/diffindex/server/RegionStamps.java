package org.diffindex.server;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.regionserver.Region;
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

    /** Whether the horizon of the region's files is recorded, so that their newest timestamps may be stamps. */
    private boolean horizonIsRecorded;

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
        OptionalLong horizon = before.map(StampFiles.Recorded::horizon).orElse(OptionalLong.empty());
        horizon.ifPresent(maintainers::raiseHorizon);
        horizonIsRecorded = horizon.isPresent();
    }

    /**
     * The region's files are open, and nothing of the WAL is replayed: what is in them is before the horizon. If none was
     * recorded, nobody knows which of their timestamps a client gave; one that was holds of all of them, since to an indexed
     * family no file is added by a bulk load.
     */
    void filesAreOpen() {
        if (!horizonIsRecorded) {
            storeFiles()
                    .forEach(file ->
                            maintainers.raiseHorizon(file.getMaximumTimestamp().orElse(0)));
        }
    }

    /**
     * The region is open: goes on from the newest time in its files, which may be of a server on which the table had no index.
     */
    void opened() throws IOException {
        record();
        for (StoreFile file : storeFiles()) {
            long newest = file.getMaximumTimestamp().orElse(0);
            clock.raise(mayBeOfAServer(newest) ? newest : 0);
        }
    }

    private List<StoreFile> storeFiles() {
        return region.getStores().stream()
                .<StoreFile>flatMap(store -> store.getStorefiles().stream())
                .toList();
    }

    /** For the region's next server, whose clock may be behind. */
    void record() throws IOException {
        files.record(clock.highest(), Math.max(0, maintainers.horizon()));
    }
}
