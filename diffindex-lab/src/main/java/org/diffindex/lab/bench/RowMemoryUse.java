package org.diffindex.lab.bench;

import java.util.HashMap;
import java.util.Map;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.RegionStatus;
import org.diffindex.lab.bench.statistics.Measurement;

/**
 * How many base rows the regions of a table have needed for index maintenance so far: remembered, and read. The counts of
 * a region restart when it is opened. Immutable.
 *
 * @param regions the counts of each region, by the region and its server
 */
record RowMemoryUse(Map<Place, Counts> regions) {
    /** That of no table. */
    static final RowMemoryUse NONE = new RowMemoryUse(Map.of());

    /** A region on a server. */
    record Place(String region, String server) {}

    /**
     * The counts of one region.
     *
     * @param hits rows that the region remembered, so that it did not read them
     * @param reads rows that it read
     */
    record Counts(long hits, long reads) {
        private boolean isBelow(Counts other) {
            return hits < other.hits || reads < other.reads;
        }
    }

    /** Copies the map. */
    RowMemoryUse {
        regions = Map.copyOf(regions);
    }

    /** Returns the current counts of a table; {@link #NONE} if it has no index. */
    static RowMemoryUse of(IndexStatus status) {
        Map<Place, Counts> regions = new HashMap<>();
        for (RegionStatus region : status.regions()) {
            regions.put(
                    new Place(region.region(), region.server()),
                    new Counts(region.rowMemoryHits(), region.baseReads()));
        }
        return new RowMemoryUse(regions);
    }

    /**
     * Returns the measurement with the share of hits in the rows needed since {@code before}; returns it unchanged if no
     * row was needed, or if a region was opened in between, so that its counts restarted.
     */
    Measurement shareSince(RowMemoryUse before, Measurement measurement) {
        Counts now = sum();
        Counts then = before.sum();
        double needed = (double) now.hits - then.hits + now.reads - then.reads;
        return continues(before) && needed > 0
                ? measurement.with(Measurement.ROW_MEMORY_HIT_SHARE, (now.hits - then.hits) / needed)
                : measurement;
    }

    /** Returns whether the regions are the same as before, and no count has gone down. */
    private boolean continues(RowMemoryUse before) {
        return regions.keySet().equals(before.regions.keySet())
                && regions.entrySet().stream()
                        .noneMatch(region -> region.getValue().isBelow(before.regions.get(region.getKey())));
    }

    private Counts sum() {
        return regions.values().stream()
                .reduce(new Counts(0, 0), (one, other) -> new Counts(one.hits + other.hits, one.reads + other.reads));
    }
}
