package org.diffindex.client;

import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a drain. Immutable.
 *
 * @param remaining updates that were accepted before the drain, of the indexes that it waited for, and are not
 *     delivered
 * @param behind by index name, updates that only this index lacks, including indexes that the drain did not wait for.
 *     An index that is not behind the others is absent
 */
public record DrainResult(long remaining, Map<String, Long> behind) {
    /** Everything is delivered. */
    static final DrainResult DRAINED = new DrainResult(0, Map.of());

    /** Copies the map. */
    public DrainResult {
        behind = Map.copyOf(behind);
    }

    /** Returns whether every update accepted before the drain is delivered to the indexes that it waited for. */
    public boolean isDrained() {
        return remaining == 0;
    }

    /** Returns the sum of two results. */
    DrainResult plus(DrainResult other) {
        Map<String, Long> sum = new TreeMap<>(behind);
        other.behind.forEach((index, updates) -> sum.merge(index, updates, Long::sum));
        return new DrainResult(remaining + other.remaining, sum);
    }
}
