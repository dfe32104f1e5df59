package org.diffindex.cli;

import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.RegionStatus;

/**
 * What index maintenance has done between two looks at the status of a table. Immutable. A region counts from when it was
 * opened; one that was opened between the looks, because it moved, was split or merged, counts from there.
 *
 * @param seconds the time between the looks
 */
record StatusRates(IndexStatus before, IndexStatus now, double seconds) {
    /** Returns a line for people. */
    String line() {
        return "  a second   delivered %,.0f, retries %,.1f, base reads %,.0f, not needed %,.0f, index puts %,.0f, index deletes %,.0f"
                .formatted(
                        of(RegionStatus::delivered),
                        of(RegionStatus::retries),
                        of(RegionStatus::baseReads),
                        of(RegionStatus::rowMemoryHits),
                        of(RegionStatus::indexPuts),
                        of(RegionStatus::indexDeletes));
    }

    /** Returns the rate of a counter of the table's regions, a second. */
    private double of(ToLongFunction<RegionStatus> counter) {
        Map<String, RegionStatus> earlier = before.regions().stream()
                .collect(Collectors.toMap(RegionStatus::region, Function.identity(), (one, other) -> other));
        long sum = 0;
        for (RegionStatus region : now.regions()) {
            long count = counter.applyAsLong(region);
            RegionStatus last = earlier.get(region.region());
            long counted = last == null ? 0 : counter.applyAsLong(last);
            sum += count < counted ? count : count - counted;
        }
        return sum / seconds;
    }
}
