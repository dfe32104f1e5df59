package org.diffindex.server;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.diffindex.server.queue.DeliveryStats;

/** The cost and backlog of open regions together, and what closed ones have cost. Thread-safe. */
final class RegionSums {
    /** The counters, which only grow: name and value for one region. */
    static final Map<String, ToLongFunction<DeliveryStats>> COUNTS = Map.of(
            "delivered", stats -> stats.delivered.sum(),
            "retries", stats -> stats.retries.sum(),
            "baseReads", stats -> stats.baseReads.sum(),
            "rowMemoryHits", stats -> stats.rowMemoryHits.sum(),
            "indexPuts", stats -> stats.indexPuts.sum(),
            "indexDeletes", stats -> stats.indexDeletes.sum());

    /**
     * The open regions. Guarded by this, together with {@link #ended}, so that no counter appears to fall while a
     * region closes.
     */
    private final Set<OnlineRegion> open = new HashSet<>();

    /** The final counters of closed regions, by name. Guarded by this. */
    private final Map<String, Long> ended = new HashMap<>();

    synchronized void opened(OnlineRegion region) {
        open.add(region);
    }

    synchronized void closed(OnlineRegion region) {
        if (open.remove(region)) {
            COUNTS.forEach((name, count) ->
                    ended.merge(name, count.applyAsLong(region.metrics().stats()), Long::sum));
        }
    }

    /** Returns the number of open regions. */
    long regions() {
        return sum(region -> 1);
    }

    /** Returns the updates in memory that not every index has received. */
    long auqEntries() {
        return sum(region -> region.metrics().backlog().rows());
    }

    /** Returns the memory of these updates, in bytes. */
    long auqBytes() {
        return sum(region -> region.metrics().backlog().bytes());
    }

    /** Returns the number of parked spill files. */
    long auqFiles() {
        return sum(region -> region.metrics().parkedFiles());
    }

    /** Returns the age of the oldest update in memory, in milliseconds; 0 if there is none. */
    synchronized long oldestUpdateMs() {
        return open.stream()
                .mapToLong(region -> region.metrics().backlog().oldestAgeMs())
                .max()
                .orElse(0);
    }

    private synchronized long sum(ToLongFunction<OnlineRegion> ofRegion) {
        return open.stream().mapToLong(ofRegion).sum();
    }

    /** Returns one of {@link #COUNTS}, of open and closed regions. */
    synchronized long counted(String name) {
        ToLongFunction<DeliveryStats> count = COUNTS.get(name);
        return ended.getOrDefault(name, 0L)
                + sum(region -> count.applyAsLong(region.metrics().stats()));
    }
}
