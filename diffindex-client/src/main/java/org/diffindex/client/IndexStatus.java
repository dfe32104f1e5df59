package org.diffindex.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;

/**
 * The upkeep of a table's indexes: one {@link RegionStatus} for each region, and their sums.
 *
 * @param table the base table
 * @param indexes its indexes, by name
 * @param regions its regions, in the order of their keys; empty if the table has no index
 */
public record IndexStatus(TableName table, List<IndexDefinition> indexes, List<RegionStatus> regions) {
    /** Copies the lists. */
    public IndexStatus {
        indexes = List.copyOf(indexes);
        regions = List.copyOf(regions);
    }

    /** Rows of the AUQs, those that are just being delivered included. */
    public long queued() {
        return sum(RegionStatus::queued);
    }

    /** The memory, in bytes, that these rows hold. */
    public long queuedBytes() {
        return sum(RegionStatus::queuedBytes);
    }

    /** Files on disk with more rows of the AUQs, which wait for an index table or for memory. */
    public long spilledFiles() {
        return sum(RegionStatus::spilledFiles);
    }

    /** How long ago the oldest of these rows came; zero if there is none. */
    public Duration oldestAge() {
        return regions.stream()
                .map(RegionStatus::oldestAge)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** By name, the indexes that are behind the others of the table, and what they lack of what is queued. */
    public Map<String, IndexLag> behind() {
        Map<String, IndexLag> sum = new TreeMap<>();
        for (RegionStatus region : regions) {
            region.behind().forEach((index, lag) -> sum.merge(index, lag, IndexLag::plus));
        }
        return sum;
    }

    /** Index updates delivered from the AUQs. */
    public long delivered() {
        return sum(RegionStatus::delivered);
    }

    /** Deliveries that had to be tried again. */
    public long retries() {
        return sum(RegionStatus::retries);
    }

    /** The lag of the index behind the base over all regions. */
    public Staleness staleness() {
        return regions.stream().map(RegionStatus::staleness).reduce(Staleness.NONE, Staleness::plus);
    }

    /** Base rows read to keep the indexes. */
    public long baseReads() {
        return sum(RegionStatus::baseReads);
    }

    /** Entries put. */
    public long indexPuts() {
        return sum(RegionStatus::indexPuts);
    }

    /** Entries deleted. */
    public long indexDeletes() {
        return sum(RegionStatus::indexDeletes);
    }

    private long sum(ToLongFunction<RegionStatus> part) {
        return regions.stream().mapToLong(part).sum();
    }
}
