package org.diffindex.server;

import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.regionserver.Region;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.queue.UpdateQueue;

/**
 * The collaborators of callers that read rows of a region and write their entries bypassing the AUQ: backfill ({@link
 * BackfillPage}), repair ({@link IndexRepair}) and the cleanup of stale entries ({@link StaleCleanup}).
 *
 * @param admission admits the writes
 * @param order orders these writes among those of each row
 * @param memory what rows show
 * @param stamps compares timestamps with the server's clock
 * @param queue must not merge changes from before such a write with later ones
 * @param indexTables writes and reads entries
 * @param nanoTime elapsed time in nanoseconds
 */
record DirectWrites(
        Region region,
        RegionMaintainers maintainers,
        Admission admission,
        RowOrder order,
        RowMemory memory,
        RegionStamps stamps,
        UpdateQueue queue,
        IndexTables indexTables,
        LongSupplier nanoTime) {

    /** Returns the region's name, for messages. */
    String regionName() {
        return region.getRegionInfo().getRegionNameAsString();
    }
}
