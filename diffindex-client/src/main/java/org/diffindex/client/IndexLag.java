package org.diffindex.client;

import java.time.Duration;

/**
 * What one index lacks in one region of its table, or in all of them, when it is behind the other indexes.
 *
 * @param queued rows in memory
 * @param spilledFiles files on disk with more rows
 * @param oldestAge how long ago the oldest of the rows in memory came
 * @param isStalled whether the last delivery to it failed, or took long
 */
public record IndexLag(long queued, long spilledFiles, Duration oldestAge, boolean isStalled) {
    /** Both together. */
    IndexLag plus(IndexLag other) {
        return new IndexLag(
                queued + other.queued,
                spilledFiles + other.spilledFiles,
                oldestAge.compareTo(other.oldestAge) > 0 ? oldestAge : other.oldestAge,
                isStalled || other.isStalled);
    }
}
