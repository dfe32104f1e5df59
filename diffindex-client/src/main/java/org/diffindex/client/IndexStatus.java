package org.diffindex.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.UnloadedIndex;

/**
 * The state of index maintenance of a table: one {@link RegionStatus} for each region, and their sums. Immutable.
 *
 * @param table the base table
 * @param indexes its indexes, sorted by name, except for the unloaded ones
 * @param unloaded its indexes whose definitions this client cannot load, sorted by name
 * @param states the states of its indexes, by name, as far as the caller may see them
 * @param regions its regions, in key order; empty if the table has no index
 * @param schemes what is said of the schemes of its indexes that were changed, by name, as far as the caller may see it
 * @param unreadSchemes why this client does not understand what is said of the schemes of other indexes, by name
 * @param columnsChanges the changes of the columns of its indexes that are under way, by {@link IndexDefinition#logicalName}
 */
public record IndexStatus(
        TableName table,
        List<IndexDefinition> indexes,
        List<UnloadedIndex> unloaded,
        Map<String, IndexState> states,
        List<RegionStatus> regions,
        Map<String, SchemeState> schemes,
        Map<String, String> unreadSchemes,
        Map<String, ColumnsChangeStatus> columnsChanges) {
    /** Copies the collections. */
    public IndexStatus {
        indexes = List.copyOf(indexes);
        unloaded = List.copyOf(unloaded);
        states = Map.copyOf(states);
        regions = List.copyOf(regions);
        schemes = Map.copyOf(schemes);
        unreadSchemes = Map.copyOf(unreadSchemes);
        columnsChanges = Map.copyOf(columnsChanges);
    }

    /** Creates the status of a table of whose indexes no columns are being changed. */
    public IndexStatus(
            TableName table,
            List<IndexDefinition> indexes,
            List<UnloadedIndex> unloaded,
            Map<String, IndexState> states,
            List<RegionStatus> regions,
            Map<String, SchemeState> schemes,
            Map<String, String> unreadSchemes) {
        this(table, indexes, unloaded, states, regions, schemes, unreadSchemes, Map.of());
    }

    /** Creates the status of a table whose indexes have the schemes with which they were created. */
    public IndexStatus(
            TableName table,
            List<IndexDefinition> indexes,
            List<UnloadedIndex> unloaded,
            Map<String, IndexState> states,
            List<RegionStatus> regions) {
        this(table, indexes, unloaded, states, regions, Map.of(), Map.of(), Map.of());
    }

    /** Returns the number of rows in the AUQs' memory, including those being delivered. */
    public long queued() {
        return sum(RegionStatus::queued);
    }

    /** Returns the memory, in bytes, that these rows occupy. */
    public long queuedBytes() {
        return sum(RegionStatus::queuedBytes);
    }

    /**
     * Returns the number of files on disk with further rows of the AUQs, which wait for an index table or for memory.
     */
    public long spilledFiles() {
        return sum(RegionStatus::spilledFiles);
    }

    /** Returns the age of the oldest of the rows in memory; zero if there is none. */
    public Duration oldestAge() {
        return regions.stream()
                .map(RegionStatus::oldestAge)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** Returns, by index name, the indexes that are behind the others of the table, and how far. */
    public Map<String, IndexLag> behind() {
        Map<String, IndexLag> sum = new TreeMap<>();
        for (RegionStatus region : regions) {
            region.behind().forEach((index, lag) -> sum.merge(index, lag, IndexLag::plus));
        }
        return sum;
    }

    /** Returns the number of index updates delivered from the AUQs. */
    public long delivered() {
        return sum(RegionStatus::delivered);
    }

    /** Returns the number of deliveries that were retried. */
    public long retries() {
        return sum(RegionStatus::retries);
    }

    /** Returns the staleness (T2 - T1 of the paper) of the updates delivered in all regions. */
    public Staleness staleness() {
        return regions.stream().map(RegionStatus::staleness).reduce(Staleness.NONE, Staleness::plus);
    }

    /** Returns the number of base rows read for index maintenance. */
    public long baseReads() {
        return sum(RegionStatus::baseReads);
    }

    /** Returns the number of base rows that were not read, since their regions remembered what they showed. */
    public long rowMemoryHits() {
        return sum(RegionStatus::rowMemoryHits);
    }

    /** Returns the number of entries put. */
    public long indexPuts() {
        return sum(RegionStatus::indexPuts);
    }

    /** Returns the number of entries deleted. */
    public long indexDeletes() {
        return sum(RegionStatus::indexDeletes);
    }

    private long sum(ToLongFunction<RegionStatus> part) {
        return regions.stream().mapToLong(part).sum();
    }
}
