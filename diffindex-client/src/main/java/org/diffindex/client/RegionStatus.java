package org.diffindex.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The upkeep of the indexes in one region of a base table, since the region was opened.
 *
 * @param region the region's encoded name
 * @param server the region server
 * @param queued rows of the AUQ, those that are just being delivered included
 * @param queuedBytes the memory that they hold
 * @param spilledFiles files on disk with more rows of the AUQ, which wait for the index table or for memory
 * @param oldestAge how long ago the oldest of them came; zero if there is none
 * @param delivered index updates delivered from the AUQ
 * @param retries deliveries that had to be tried again
 * @param staleness the lag of the index behind the base (T2 - T1 of the paper) of the updates delivered
 * @param baseReads base rows read to keep the indexes
 * @param indexPuts entries put
 * @param indexDeletes entries deleted
 * @param problem why the region cannot load the table's indexes, and so refuses writes; empty if it keeps them
 * @param behind by name, the indexes that are behind the others, and what they lack of what is queued
 */
public record RegionStatus(
        String region,
        String server,
        long queued,
        long queuedBytes,
        long spilledFiles,
        Duration oldestAge,
        long delivered,
        long retries,
        Staleness staleness,
        long baseReads,
        long indexPuts,
        long indexDeletes,
        Optional<String> problem,
        Map<String, IndexLag> behind) {
    /** Copies the map. */
    public RegionStatus {
        behind = Map.copyOf(behind);
    }
}
