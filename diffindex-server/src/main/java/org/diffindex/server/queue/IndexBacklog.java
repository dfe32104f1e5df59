package org.diffindex.server.queue;

/**
 * The changes that one index of a region lacks while it is behind the others.
 *
 * @param waiting the changes in memory
 * @param files number of parked files that the index has not loaded
 * @param isStalled whether this server's last delivery to the index failed or was slow
 */
public record IndexBacklog(Backlog waiting, int files, boolean isStalled) {
    public boolean isEmpty() {
        return waiting.rows() == 0 && files == 0;
    }
}
