package org.diffindex.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexCell;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes stale entries from an index table, a page in one batched call. Each is deleted up to the stamp at which it was
 * seen, so that an entry put meanwhile by a newer write stays. A deletion that fails is logged and leaves the entry to
 * the next read; it never fails the read that found it.
 */
final class StaleEntryDeletion implements StaleEntryFilter.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(StaleEntryDeletion.class);

    private final Table indexTable;

    /** Deletes from an index table, which it does not close. */
    StaleEntryDeletion(Table indexTable) {
        this.indexTable = indexTable;
    }

    @Override
    public void stale(List<FoundEntry> entries) {
        List<Delete> deletes = new ArrayList<>(entries.size());
        for (FoundEntry found : entries) {
            if (!found.own()) {
                deletes.add(IndexCell.delete(found.key(), found.stamp()));
            }
        }
        try {
            indexTable.delete(deletes);
        } catch (InterruptedIOException e) {
            Thread.currentThread().interrupt();
            LOG.warn(
                    "Interrupted while deleting stale entries of {}; a later read will find them",
                    indexTable.getName(),
                    e);
        } catch (IOException e) {
            LOG.warn("Stale entries of {} could not be deleted; a later read will try again", indexTable.getName(), e);
        }
    }
}
