package org.diffindex.client;

import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a drain.
 *
 * @param remaining updates of the indexes that were waited for that were accepted before the drain and are not delivered
 * @param behind by the name of the index, updates that only this index lacks; also of indexes that were not waited for. An
 *     index that is not behind the others is not named
 */
public record DrainResult(long remaining, Map<String, Long> behind) {
    /** Nothing is left. */
    static final DrainResult DRAINED = new DrainResult(0, Map.of());

    /** Copies the map. */
    public DrainResult {
        behind = Map.copyOf(behind);
    }

    /** Whether every update is delivered to the indexes that were waited for. */
    public boolean isDrained() {
        return remaining == 0;
    }

    /** Both together. */
    DrainResult plus(DrainResult other) {
        Map<String, Long> sum = new TreeMap<>(behind);
        other.behind.forEach((index, updates) -> sum.merge(index, updates, Long::sum));
        return new DrainResult(remaining + other.remaining, sum);
    }
}
