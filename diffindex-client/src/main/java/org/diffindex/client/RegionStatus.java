package org.diffindex.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The state of index maintenance in one region of a base table. Counts begin when the region is opened. Immutable.
 *
 * @param region the encoded name of the region
 * @param server the region server
 * @param queued rows in the AUQ's memory, including those being delivered
 * @param queuedBytes the memory, in bytes, that they occupy
 * @param spilledFiles files on disk with further rows of the AUQ, which wait for the index table or for memory
 * @param oldestAge the age of the oldest of the rows in memory; zero if there is none
 * @param delivered index updates delivered from the AUQ
 * @param retries deliveries that were retried
 * @param staleness the staleness (T2 - T1 of the paper) of the updates delivered
 * @param baseReads base rows read for index maintenance
 * @param rowMemoryHits base rows that were not read, since the region remembered what they showed
 * @param indexPuts entries put
 * @param indexDeletes entries deleted
 * @param problem why the region cannot load the table's indexes, and therefore refuses writes; empty if it maintains
 *     them
 * @param behind by index name, the indexes that are behind the others, and the updates that they lack
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
        long rowMemoryHits,
        long indexPuts,
        long indexDeletes,
        Optional<String> problem,
        Map<String, IndexLag> behind) {
    /** Copies the map. */
    public RegionStatus {
        behind = Map.copyOf(behind);
    }
}
