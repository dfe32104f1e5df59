package org.diffindex.server;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;

/**
 * Notices that compactions have replaced files of a region. HBase has no hook for that: {@code postCompact} comes
 * before the replacement, and not at all if nothing is left of the files. Thread-safe.
 */
final class FileReplacements {
    private final Runnable replaced;

    /** One file of each compaction that may not have replaced its files yet, and the file's store. */
    private final Map<StoreFile, Store> compacted = new ConcurrentHashMap<>();

    /**
     * Creates the view of a region without compactions.
     *
     * @param replaced is run by {@link #notice} after files were replaced, perhaps more than once
     */
    FileReplacements(Runnable replaced) {
        this.replaced = replaced;
    }

    /**
     * Records a compaction that is about to read files, and reports those that have ended, so that a region that is
     * only compacted keeps no file of each. If the compaction fails, a later one of the same files succeeds.
     */
    void compactionBegins(Store store, Collection<? extends StoreFile> files) {
        notice();
        files.stream().findFirst().ifPresent(file -> compacted.put(file, store));
    }

    /** Reports the replacements since the last call; when this returns, they have been reported by some thread. */
    void notice() {
        if (!compacted.isEmpty()) {
            compacted.forEach((file, store) -> {
                if (!store.getStorefiles().contains(file)) {
                    replaced.run(); // before the removal, so that no other thread finds the report pending
                    compacted.remove(file, store);
                }
            });
        }
    }

    /** Returns the number of compactions that have not been reported: those that run, or ended since the last call. */
    int size() {
        return compacted.size();
    }
}
