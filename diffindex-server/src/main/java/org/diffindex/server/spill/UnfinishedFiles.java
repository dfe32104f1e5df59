package org.diffindex.server.spill;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one region that are being written: each has an unfinished name until it is complete, so that it appears
 * atomically. A server that opens the region removes those that it finds, so that no server that had the region before
 * can rename one afterwards.
 *
 * <p>A server that has lost the region may open it late, because the order to open it waited while the server was
 * paused, and so remove what the region's present server is writing. The present server then writes the file again.
 *
 * <p>Thread-safe.
 *
 * @param region the region, whose name is part of the unfinished names
 * @param holding tells whether the server still has the region
 */
record UnfinishedFiles(FileSystem fileSystem, RegionInfo region, SpillFiles.Holding holding) {
    private static final Logger LOG = LoggerFactory.getLogger(UnfinishedFiles.class);

    /** The beginning of all unfinished names, whatever their region. */
    static final String PREFIX = ".unfinished-";

    /** The maximum number of times that a file is written because unfinished ones were removed. */
    private static final int MOST_TRIES = 5;

    /** Writes the content of a file. */
    @FunctionalInterface
    interface Content {
        void writeTo(FSDataOutputStream out) throws IOException;
    }

    /**
     * Writes a file, which is durable when this returns.
     *
     * @throws IOException if it cannot be written, or another server may have opened the region, which then does not
     *     find the file
     */
    void publish(Path file, Content content) throws IOException {
        Optional<IOException> removed = tryToPublish(file, content);
        for (int tries = 1; removed.isPresent(); tries++) {
            holding.confirm();
            if (tries == MOST_TRIES) {
                throw removed.get();
            }
            LOG.warn(
                    "{} is written again: it was removed by a server that opened the region late, when it had lost it",
                    file,
                    removed.get());
            removed = tryToPublish(file, content);
        }
    }

    /**
     * Writes a file and gives it its name. Returns the failure if another server has removed the unfinished file, else
     * empty.
     *
     * @throws IOException if it cannot be written for another reason, or another server may have opened the region
     */
    private Optional<IOException> tryToPublish(Path file, Content content) throws IOException {
        Path unfinished = new Path(file.getParent(), prefixOfRegion() + UUID.randomUUID());
        FSDataOutputStream created = fileSystem.create(unfinished, false);
        try {
            try (created) {
                content.writeTo(created);
                created.hsync();
            }
            holding.confirm(); // only now, so that whoever opens the region later finds one of the two names
            rename(unfinished, file);
            return Optional.empty();
        } catch (IOException e) {
            if (discard(unfinished)) {
                throw e;
            }
            return Optional.of(e);
        }
    }

    private void rename(Path unfinished, Path file) throws IOException {
        if (!fileSystem.rename(unfinished, file) && !fileSystem.exists(file)) {
            throw new IOException("Could not rename " + unfinished + " to " + file
                    + "; if it is gone, another server opens the region and has removed it");
        }
    }

    private String prefixOfRegion() {
        return PREFIX + region.getEncodedName() + "-";
    }

    /** Removes an unfinished file. Returns false if it was gone. */
    private boolean discard(Path unfinished) {
        try {
            return fileSystem.delete(unfinished, false);
        } catch (IOException e) {
            LOG.warn("{} could not be removed; the region removes it when it opens again", unfinished, e);
            return true;
        }
    }

    /** Returns whether a file is an unfinished one of this region. */
    boolean contain(Path file) {
        return file.getName().startsWith(prefixOfRegion());
    }

    /**
     * Removes unfinished files of this region, which is being opened. Returns false if one of them was gone.
     *
     * @throws IOException if one cannot be removed, or another server may have opened the region
     */
    boolean remove(Collection<Path> files) throws IOException {
        boolean areAllThere = true;
        for (Path file : files) {
            holding.confirm(); // else the present server of the region may be writing it
            areAllThere &= fileSystem.delete(file, false);
        }
        return areAllThere;
    }
}
