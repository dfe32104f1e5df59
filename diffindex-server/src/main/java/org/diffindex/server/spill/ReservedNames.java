package org.diffindex.server.spill;

import java.io.IOException;
import org.apache.hadoop.fs.Path;

/**
 * The names, among those of spill and stamp files, that are reserved for later builds: a file {@value #PREFIX}... says
 * that a folder contains something which a server must know before it opens a region. It counts for each region that
 * lists the folder when it opens. Other unknown files are passed over, since a stray file must not keep a region closed.
 */
final class ReservedNames {
    private static final String PREFIX = ".later-";

    private ReservedNames() {}

    /**
     * Requires that a file is not one of a later build.
     *
     * @throws IOException if it is, so that the region is opened on another server
     */
    static void refuse(Path file) throws IOException {
        if (file.getName().startsWith(PREFIX)) {
            throw new IOException(
                    file + " was written by a later build of Diff-Index for what this build does not know;"
                            + " upgrade this server, or let a server of that build deliver what is on disk (drain)");
        }
    }
}
