package org.diffindex.server;

import java.io.IOException;
import java.time.InstantSource;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowTimes;
import org.diffindex.server.spill.StampFiles;

/**
 * The stamps of one region's rows: the clock that gives them, and how they go on where another server left off. Safe for use by
 * many threads.
 */
final class RegionStamps {
    /** How far the clocks of region servers may differ: HBase's own bound, hbase.master.maxclockskew. */
    private static final long MAX_CLOCK_SKEW_MS = 30_000;

    private final Region region;
    private final StampFiles files;
    private final InstantSource wallClock;
    private final RowClock clock;
    private final RowTimes times;

    RegionStamps(Region region, StampFiles files, Platform platform) {
        this.region = region;
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
        clock.raise(files.highest());
    }

    /**
     * The region's files are open: goes on from the newest time in them, which may be of a server on which the table had no
     * index.
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
        files.record(clock.highest());
    }
}
