package org.diffindex.server.spill;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The highest stamp that the rows of a region had when it was last flushed or closed, kept for the server that opens the region
 * next, whose clock may be behind. What the store files hold does not tell it: not the stamp of a write with a timestamp of the
 * client's, nor that of a delete whose tombstone is gone.
 *
 * <p>A stamp is an empty file, named by the stamp, in {@code ROOT/diffindex/stamps/NAMESPACE/TABLE/REGION.KEYS}, where KEYS are
 * those of {@link KeysInName}. To record a higher one renames it, which is one call of the NameNode; to find it lists the
 * region's folder, which holds nothing else. A region without a stamp, such as a daughter or one that was merged, finds by their
 * keys those that held its rows before; its store files need not tell them, and one that has none has no parent to name. A file
 * of another name is none of ours: it is passed over with a warning.
 *
 * <p>Safe for use by many threads: a record that comes late removes no higher one.
 */
public final class StampFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StampFiles.class);
    private static final Pattern OURS = Pattern.compile("[0-9]{1,18}");

    private final FileSystem fileSystem;
    private final Path table;
    private final Path folder;
    private final KeyRange keys;

    /** The region's file; null while it is not known to have one, or somebody is about to rename it. */
    private final AtomicReference<Path> own = new AtomicReference<>();

    /** The highest that is recorded; less than 0 if none is. */
    private final AtomicLong recorded = new AtomicLong(-1);

    private StampFiles(FileSystem fileSystem, Path table, RegionInfo region) {
        this.fileSystem = fileSystem;
        this.table = table;
        this.keys = KeyRange.of(region);
        this.folder = new Path(table, region.getEncodedName() + "." + KeysInName.of(keys));
    }

    /** The stamps of a region, on the file system of HBase's root folder. */
    public static StampFiles of(Configuration conf, RegionInfo region) throws IOException {
        return new StampFiles(CommonFSUtils.getRootDirFileSystem(conf), folderOf(conf, region.getTable()), region);
    }

    private static Path folderOf(Configuration conf, TableName table) throws IOException {
        Path stamps = new Path(CommonFSUtils.getRootDir(conf), "diffindex/stamps");
        return new Path(new Path(stamps, table.getNamespaceAsString()), table.getQualifierAsString());
    }

    /** Removes all stamps of a table; for one that has no index any more. */
    public static void removeAll(Configuration conf, TableName table) throws IOException {
        CommonFSUtils.getRootDirFileSystem(conf).delete(folderOf(conf, table), true);
    }

    /**
     * The highest stamp that is recorded of the region; of a region that has none, the highest of those that held a part of its
     * rows before; 0 without any. The latter looks through the names of the table's folder, once in a region's life.
     */
    public long highest() throws IOException {
        for (Path file : stampsIn(folder)) {
            if (recorded.getAndAccumulate(stampOf(file), Math::max) < stampOf(file)) {
                own.set(file);
            }
        }
        return recorded.get() >= 0 ? recorded.get() : highestOfOthers();
    }

    private long highestOfOthers() throws IOException {
        long highest = 0;
        for (FileStatus other : list(table)) {
            Optional<KeysInName> theirs = KeysInName.in(other.getPath().getName());
            if (theirs.isPresent() && theirs.get().mayOverlap(keys)) {
                for (Path file : stampsIn(other.getPath())) {
                    highest = Math.max(highest, stampOf(file));
                }
            }
        }
        return highest;
    }

    /**
     * Records a stamp of the region, or 0 for one without any, in place of its earlier one, unless that is as high; durable
     * when it returns.
     */
    public void record(long stamp) throws IOException {
        if (stamp <= recorded.get()) {
            return;
        }
        Path file = new Path(folder, Long.toString(stamp));
        Path before = own.getAndSet(null); // who comes meanwhile makes a file, which is one too many and does no harm
        if (before == null || !rename(before, file)) {
            fileSystem.create(file, true).close();
        }
        own.set(file);
        recorded.accumulateAndGet(stamp, Math::max);
    }

    /** False if the file is gone: somebody has removed the table's stamps. */
    private boolean rename(Path from, Path to) throws IOException {
        try {
            return fileSystem.rename(from, to);
        } catch (FileNotFoundException e) {
            LOG.debug("{} is gone, the stamp is recorded anew", from, e);
            return false;
        }
    }

    private static long stampOf(Path file) {
        return Long.parseLong(file.getName());
    }

    private List<Path> stampsIn(Path regionFolder) throws IOException {
        List<Path> files = new ArrayList<>();
        for (FileStatus status : list(regionFolder)) {
            if (OURS.matcher(status.getPath().getName()).matches()) {
                files.add(status.getPath());
            } else {
                LOG.warn(
                        "{} is no stamp of Diff-Index and was passed over; remove it, nothing else belongs there",
                        status.getPath());
            }
        }
        return files;
    }

    private FileStatus[] list(Path path) throws IOException {
        try {
            return fileSystem.listStatus(path);
        } catch (FileNotFoundException e) {
            LOG.debug("{} is not there: nothing is recorded", path, e);
            return new FileStatus[0];
        }
    }
}
