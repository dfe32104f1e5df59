package org.diffindex.server.queue;

/**
 * What one index of a region lacks that is behind the others.
 *
 * @param waiting what is in memory
 * @param files how many files on disk hold more
 * @param isStalled whether the last delivery to it failed, or took long
 */
public record IndexBacklog(Backlog waiting, int files, boolean isStalled) {
    boolean isEmpty() {
        return waiting.rows() == 0 && files == 0;
    }
}
