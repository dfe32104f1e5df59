package org.diffindex.client;

import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a drain. Both counts are of batches of index updates; a batch covers the writes that HBase applied to a
 * region together. Immutable.
 *
 * @param remaining batches that were accepted before the drain and are not delivered to the indexes that it waited for
 * @param behind by index name, batches that only this index lacks, including indexes that the drain did not wait for.
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
