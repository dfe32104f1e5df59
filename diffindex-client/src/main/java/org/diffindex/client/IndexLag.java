package org.diffindex.client;

import java.time.Duration;

/**
 * The updates that one index lacks, in one region of its table or in all of them, while it is behind the other indexes.
 * Immutable.
 *
 * @param queued rows in memory
 * @param spilledFiles files on disk with further rows
 * @param oldestAge the age of the oldest of the rows in memory
 * @param isStalled whether the last delivery to it failed or took longer than a second
 */
public record IndexLag(long queued, long spilledFiles, Duration oldestAge, boolean isStalled) {
    /** Returns the sum of two lags. */
    IndexLag plus(IndexLag other) {
        return new IndexLag(
                queued + other.queued,
                spilledFiles + other.spilledFiles,
                oldestAge.compareTo(other.oldestAge) > 0 ? oldestAge : other.oldestAge,
                isStalled || other.isStalled);
    }
}
