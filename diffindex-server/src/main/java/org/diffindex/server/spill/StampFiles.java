package org.diffindex.server.spill;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.MD5Hash;
import org.diffindex.model.IndexDefinition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timestamps of a region at its last flush or close that the next server to open it must know: the highest stamp of
 * its rows, since that server's clock may be behind; and its horizon, a time after which no client has assigned a
 * timestamp to a cell of an indexed column. The store files contain neither: not the stamp of a write whose timestamp a
 * client assigned, nor that of a delete whose tombstone was compacted away, nor which timestamps a client assigned.
 *
 * <p>They are encoded in the name of an empty file, {@code STAMP-HORIZON-INDEXES}, in {@code
 * ROOT/diffindex/stamps/NAMESPACE/TABLE/REGION.KEYS}. KEYS are as in {@link KeysInName}; STAMP is decimal; HORIZON has
 * 16 hexadecimal digits; INDEXES has 16 hexadecimal digits of a digest of the ids of the region's indexes. A horizon
 * recorded for other indexes is ignored, even if they have the same columns, since timestamps are not tracked between
 * the drop of one index and the creation of the next. A file named {@code STAMP} contains no horizon.
 *
 * <p>Recording a higher value renames the file, one call to the NameNode; finding it lists the region's folder, which
 * contains nothing else. A region without a file, such as a daughter of a split or the result of a merge, finds by key
 * range the regions that held its rows before; its store files need not refer to them, and without store files nothing
 * names a parent. A file with any other name is ignored with a warning, except for {@link ReservedNames}.
 *
 * <p>Thread-safe: a late call of {@link #record} lowers nothing.
 */
public final class StampFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StampFiles.class);
    private static final Pattern OURS = Pattern.compile("([0-9]{1,18})(?:-([0-7][0-9a-f]{15})-([0-9a-f]{16}))?");

    private static final Recorded NOTHING = new Recorded(-1, OptionalLong.of(-1));

    private final FileSystem fileSystem;
    private final Path table;
    private final String region;
    private final KeyRange keys;
    private final String indexes;

    /** The region's files, usually one; empty while a thread renames them. */
    private final AtomicReference<List<Path>> own = new AtomicReference<>(List.of());

    /** The highest values that are durable. */
    private final AtomicReference<Recorded> recorded = new AtomicReference<>(NOTHING);

    /**
     * The known timestamps of a set of rows.
     *
     * @param stamp their highest stamp, or 0
     * @param horizon no client has assigned a later timestamp to a cell of an indexed column in these rows; empty if
     *     unknown
     */
    public record Recorded(long stamp, OptionalLong horizon) {
        private boolean tellsHorizon() {
            return horizon.isPresent();
        }

        /** Combines these values with those of further rows; the horizon is unknown if either is. */
        private Recorded and(Recorded others) {
            return tellsHorizon() && !others.tellsHorizon()
                    ? new Recorded(Math.max(stamp, others.stamp), OptionalLong.empty())
                    : orHigher(others);
        }

        /** Returns the higher of each value; if one of the horizons is unknown, this one's horizon. */
        private Recorded orHigher(Recorded other) {
            OptionalLong higher = tellsHorizon() && other.tellsHorizon()
                    ? OptionalLong.of(Math.max(horizon.getAsLong(), other.horizon.getAsLong()))
                    : horizon;
            return new Recorded(Math.max(stamp, other.stamp), higher);
        }
    }

    private StampFiles(FileSystem fileSystem, Path table, RegionInfo region, String indexes) {
        this.fileSystem = fileSystem;
        this.table = table;
        this.region = region.getEncodedName();
        this.keys = KeyRange.of(region);
        this.indexes = indexes;
    }

    /** Returns the stamps of a region with the given indexes, on the file system of HBase's root folder. */
    public static StampFiles of(Configuration conf, RegionInfo region, Collection<IndexDefinition> indexes)
            throws IOException {
        return new StampFiles(
                CommonFSUtils.getRootDirFileSystem(conf), folderOf(conf, region.getTable()), region, digestOf(indexes));
    }

    /** Returns the region's folder; not kept, since a path takes over 300 bytes of every region's heap. */
    private Path folder() {
        return new Path(table, region + "." + KeysInName.of(keys));
    }

    private static String digestOf(Collection<IndexDefinition> indexes) {
        String ids = indexes.stream().map(IndexDefinition::id).sorted().collect(Collectors.joining("\n"));
        return MD5Hash.getMD5AsHex(Bytes.toBytes(ids)).substring(0, 16);
    }

    /** Returns the folder of a table's stamps. */
    static Path folderOf(Configuration conf, TableName table) throws IOException {
        return OwnFolder.of(conf, "stamps", table);
    }

    /**
     * Returns the values recorded for the region. If it has no file, combines those of all regions that may have held
     * some of its rows before, which lists the names in the table's folder. Returns empty if nothing is recorded.
     */
    public Optional<Recorded> find() throws IOException {
        List<Path> files = stampsIn(folder());
        if (files.isEmpty()) {
            return ofOthers();
        }
        own.set(files);
        Recorded told = files.stream().map(this::in).reduce(Recorded::and).orElseThrow();
        if (told.tellsHorizon()) {
            recorded.set(told);
        }
        return Optional.of(told);
    }

    /**
     * Returns the values of the other regions that may have held some of this region's rows. Their horizon applies only
     * if they held all of these rows.
     */
    private Optional<Recorded> ofOthers() throws IOException {
        List<Recorded> all = new ArrayList<>();
        List<KeyRange> covered = new ArrayList<>();
        for (FileStatus other : list(table)) {
            ReservedNames.refuse(other.getPath());
            Optional<KeysInName> theirs = KeysInName.in(other.getPath().getName());
            if (theirs.isPresent() && theirs.get().mayOverlap(keys)) {
                List<Path> files = stampsIn(other.getPath());
                files.forEach(file -> all.add(in(file)));
                if (!files.isEmpty()) {
                    theirs.get().whole().ifPresent(covered::add);
                }
            }
        }
        if (!keys.isCoveredBy(covered)) {
            all.replaceAll(each -> new Recorded(each.stamp, OptionalLong.empty()));
        }
        return all.stream().reduce(Recorded::and);
    }

    /**
     * Replaces the recorded values by the given ones where these are higher; does nothing if neither is. Durable when
     * it returns.
     *
     * @param stamp the highest stamp of the region's rows, or 0
     * @param horizon no client has assigned a later timestamp to a cell of an indexed column in the region; at least 0
     */
    public void record(long stamp, long horizon) throws IOException {
        Recorded now = new Recorded(stamp, OptionalLong.of(horizon)).and(recorded.get());
        if (now.equals(recorded.get())) {
            return;
        }
        List<Path> before = own.getAndSet(List.of()); // a concurrent call creates a second file
        now = before.stream().map(this::in).reduce(now, Recorded::orHigher);
        Path file = new Path(
                folder(), String.format(Locale.ROOT, "%d-%016x-%s", now.stamp, now.horizon.orElseThrow(), indexes));
        replace(before, file);
        own.set(List.of(file));
        recorded.accumulateAndGet(now, Recorded::and);
    }

    /** Returns whether the highest recorded stamp is at least the given one. */
    public boolean haveRecorded(long stamp) {
        return recorded.get().stamp >= stamp;
    }

    private void replace(List<Path> before, Path file) throws IOException {
        List<Path> left = before;
        if (!before.isEmpty() && rename(before.get(0), file)) {
            left = before.subList(1, before.size());
        } else {
            create(file);
        }
        for (Path other : left) {
            if (!other.equals(file)) {
                fileSystem.delete(other, false);
            }
        }
    }

    /**
     * Creates a file. If a concurrent call records the same values, HDFS fails the first of the two creators when it closes the
     * file, whose lease the second one has taken; the name, which is all that counts, is there then.
     */
    private void create(Path file) throws IOException {
        try {
            fileSystem.create(file, true).close();
        } catch (IOException e) {
            if (!fileSystem.exists(file)) {
                throw e;
            }
            LOG.debug("{} was recorded by a concurrent call", file, e);
        }
    }

    /** Returns false if the file no longer exists, because the table's stamps were removed. */
    private boolean rename(Path from, Path to) throws IOException {
        try {
            return fileSystem.rename(from, to);
        } catch (FileNotFoundException e) {
            LOG.debug("{} is gone, the stamp is recorded anew", from, e);
            return false;
        }
    }

    private Recorded in(Path file) {
        Matcher name = OURS.matcher(file.getName());
        if (!name.matches()) {
            throw new IllegalArgumentException(file + " is no stamp of Diff-Index");
        }
        boolean tellsHorizon = indexes.equals(name.group(3));
        return new Recorded(
                Long.parseLong(name.group(1)),
                tellsHorizon ? OptionalLong.of(Long.parseLong(name.group(2), 16)) : OptionalLong.empty());
    }

    private List<Path> stampsIn(Path regionFolder) throws IOException {
        List<Path> files = new ArrayList<>();
        for (FileStatus status : list(regionFolder)) {
            ReservedNames.refuse(status.getPath());
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
