package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.diffindex.server.build.Lookout;
import org.diffindex.server.spill.OwnFolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the folder of the spill files to other users ({@link OwnFolder#protect}) when a master starts, and tries again until
 * that succeeds: a master that did not start for it would leave the cluster without one. Thread-safe.
 */
final class FolderProtection implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(FolderProtection.class);
    private static final long AGAIN_MS = 30_000;

    private final Configuration conf;
    private final long againMs;
    private final Lookout looking = new Lookout("diffindex-folder");

    /** Creates the protection of the folder of a cluster, which is not closed yet. */
    FolderProtection(Configuration conf) {
        this(conf, AGAIN_MS);
    }

    FolderProtection(Configuration conf, long againMs) {
        this.conf = conf;
        this.againMs = againMs;
    }

    /** Closes the folder; if that fails, logs why and tries again on a thread of its own. */
    void start() {
        if (!isProtected()) {
            looking.lookEvery(againMs, () -> {
                if (isProtected()) {
                    LOG.info("The folder of the spill files is closed to other users");
                    looking.close();
                }
            });
        }
    }

    private boolean isProtected() {
        try {
            OwnFolder.protect(conf);
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.error(
                    "The folder diffindex in HBase's root folder could not be closed to other users, who may be able to read"
                            + " the keys of rows in it; the master tries again every {} ms. Let the servers' user own the"
                            + " folder, and correct hbase.rootdir.perms",
                    againMs,
                    e);
            return false;
        }
    }

    /** Ends the attempts. */
    @Override
    public void close() {
        looking.close();
    }
}
