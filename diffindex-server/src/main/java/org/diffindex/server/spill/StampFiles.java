package org.diffindex.server.spill;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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
 * The highest stamp that the rows of a table had when a region was last flushed or closed, kept for the server that opens
 * the rows next, whose clock may be behind. What the store files hold does not tell it: not the stamp of a write with a
 * timestamp of the client's, nor that of a delete whose tombstone is gone.
 *
 * <p>A stamp is an empty file {@code REGION-STAMP} in {@code ROOT/diffindex/stamps/NAMESPACE/TABLE}. A region opens above
 * all stamps of its table, since it may be the daughter or the merge of others. A stamp of long ago is of no use: every
 * clock is past it. A file of another name is none of ours: it is passed over with a warning.
 *
 * <p>Safe for use by many threads: a record that comes late removes no higher one.
 */
public final class StampFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StampFiles.class);
    private static final Pattern OURS = Pattern.compile("[0-9a-f]+-[0-9]{1,18}");

    /** Much longer than HBase lets the clocks of servers differ. */
    private static final long LONG_AGO_MS = Duration.ofHours(1).toMillis();

    private final FileSystem fileSystem;
    private final Path folder;
    private final String region;
    private final AtomicLong recorded = new AtomicLong();

    private StampFiles(FileSystem fileSystem, Path folder, String region) {
        this.fileSystem = fileSystem;
        this.folder = folder;
        this.region = region;
    }

    /** The stamps of a region's table, on the file system of HBase's root folder. */
    public static StampFiles of(Configuration conf, RegionInfo region) throws IOException {
        return new StampFiles(
                CommonFSUtils.getRootDirFileSystem(conf), folderOf(conf, region.getTable()), region.getEncodedName());
    }

    private static Path folderOf(Configuration conf, TableName table) throws IOException {
        Path stamps = new Path(CommonFSUtils.getRootDir(conf), "diffindex/stamps");
        return new Path(new Path(stamps, table.getNamespaceAsString()), table.getQualifierAsString());
    }

    /** Removes all stamps of a table; for one that has no index any more. */
    public static void removeAll(Configuration conf, TableName table) throws IOException {
        CommonFSUtils.getRootDirFileSystem(conf).delete(folderOf(conf, table), true);
    }

    /** The highest stamp of the table that is recorded; 0 if none is. Removes those of long ago. */
    public long highest(long nowMs) throws IOException {
        long highest = 0;
        for (Path file : list()) {
            long stamp = stampOf(file);
            highest = Math.max(highest, stamp);
            if (stamp < nowMs - LONG_AGO_MS) {
                fileSystem.delete(file, false);
            }
        }
        return highest;
    }

    /** Records a stamp of the region in place of its earlier one, unless that is as high; durable when it returns. */
    public void record(long stamp) throws IOException {
        if (stamp <= recorded.get()) {
            return;
        }
        fileSystem.create(new Path(folder, region + "-" + stamp), true).close();
        recorded.accumulateAndGet(stamp, Math::max);
        for (Path file : list()) {
            if (file.getName().startsWith(region + "-") && stampOf(file) < stamp) {
                fileSystem.delete(file, false);
            }
        }
    }

    private static long stampOf(Path file) {
        String name = file.getName();
        return Long.parseLong(name.substring(name.lastIndexOf('-') + 1));
    }

    private List<Path> list() throws IOException {
        List<Path> files = new ArrayList<>();
        try {
            for (FileStatus status : fileSystem.listStatus(folder)) {
                if (OURS.matcher(status.getPath().getName()).matches()) {
                    files.add(status.getPath());
                } else {
                    LOG.warn(
                            "{} is no stamp of Diff-Index and was passed over; remove it, nothing else belongs there",
                            status.getPath());
                }
            }
        } catch (FileNotFoundException e) {
            return List.of();
        }
        return files;
    }
}
