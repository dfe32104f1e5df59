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
 * The timestamps of a region at its last flush or close, as far as the server that opens it next must know them: the highest
 * stamp that its rows had, since that server's clock may be behind; and its horizon, a time after which no client has given a
 * timestamp to a cell of an indexed column. The store files tell neither: not the stamp of a write with a timestamp of the
 * client's, nor that of a delete whose tombstone is gone, nor which of their timestamps a client gave.
 *
 * <p>They are the name of an empty file, {@code STAMP-HORIZON-INDEXES}, in
 * {@code ROOT/diffindex/stamps/NAMESPACE/TABLE/REGION.KEYS}, where KEYS are those of {@link KeysInName}, STAMP is decimal,
 * HORIZON has 16 hexadecimal digits, and INDEXES are 16 of a digest of the ids of the region's indexes: between one index and
 * another, though on the same column, nobody looks at the timestamps. A file named {@code STAMP} tells no horizon.
 *
 * <p>To record a higher one renames the file, which is one call of the NameNode; to find it lists the region's folder, which
 * holds nothing else. A region without a file, such as a daughter or one that was merged, finds by their keys those that held its
 * rows before; its store files need not tell them, and one that has none has no parent to name. A file of another name is none
 * of ours: it is passed over with a warning.
 *
 * <p>Safe for use by many threads: a record that comes late lowers nothing.
 */
public final class StampFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StampFiles.class);
    private static final Pattern OURS = Pattern.compile("([0-9]{1,18})(?:-([0-7][0-9a-f]{15})-([0-9a-f]{16}))?");

    private static final Recorded NOTHING = new Recorded(-1, OptionalLong.of(-1));

    private final FileSystem fileSystem;
    private final Path table;
    private final Path folder;
    private final KeyRange keys;
    private final String indexes;

    /** The region's files, most often one; none while somebody is about to rename them. */
    private final AtomicReference<List<Path>> own = new AtomicReference<>(List.of());

    /** The highest that is durable. */
    private final AtomicReference<Recorded> recorded = new AtomicReference<>(NOTHING);

    /**
     * The timestamps of some rows, as far as they are known.
     *
     * @param stamp the highest that they had, or 0
     * @param horizon no client has given a later timestamp to a cell of an indexed column in them; empty if that is not known
     */
    public record Recorded(long stamp, OptionalLong horizon) {
        private boolean tellsHorizon() {
            return horizon.isPresent();
        }

        /** Returns what holds of these rows and others together. */
        private Recorded and(Recorded others) {
            return tellsHorizon() && !others.tellsHorizon()
                    ? new Recorded(Math.max(stamp, others.stamp), OptionalLong.empty())
                    : orHigher(others);
        }

        /** The higher of what is told; of a horizon that is not, this one's. */
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
        this.keys = KeyRange.of(region);
        this.indexes = indexes;
        this.folder = new Path(table, region.getEncodedName() + "." + KeysInName.of(keys));
    }

    /** The stamps of a region that keeps some indexes, on the file system of HBase's root folder. */
    public static StampFiles of(Configuration conf, RegionInfo region, Collection<IndexDefinition> indexes)
            throws IOException {
        return new StampFiles(
                CommonFSUtils.getRootDirFileSystem(conf), folderOf(conf, region.getTable()), region, digestOf(indexes));
    }

    private static String digestOf(Collection<IndexDefinition> indexes) {
        String ids = indexes.stream().map(IndexDefinition::id).sorted().collect(Collectors.joining("\n"));
        return MD5Hash.getMD5AsHex(Bytes.toBytes(ids)).substring(0, 16);
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
     * Returns what is recorded of the region; of a region that has no file, what covers all that held a part of its rows before; empty
     * without any. The second looks through the names of the table's folder, once in a region's life.
     */
    public Optional<Recorded> find() throws IOException {
        List<Path> files = stampsIn(folder);
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

    /** Their horizon is that of the region only if all of its rows were theirs. */
    private Optional<Recorded> ofOthers() throws IOException {
        List<Recorded> all = new ArrayList<>();
        List<KeyRange> covered = new ArrayList<>();
        for (FileStatus other : list(table)) {
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
     * Records what is now known of the region, in place of what was; nothing if neither is higher. Durable when it returns.
     *
     * @param stamp the highest stamp of its rows, or 0
     * @param horizon no client has given a later timestamp to a cell of an indexed column in it; at least 0
     */
    public void record(long stamp, long horizon) throws IOException {
        Recorded now = new Recorded(stamp, OptionalLong.of(horizon)).and(recorded.get());
        if (now.equals(recorded.get())) {
            return;
        }
        List<Path> before = own.getAndSet(List.of()); // who comes meanwhile makes a file, which is one too many
        now = before.stream().map(this::in).reduce(now, Recorded::orHigher);
        Path file = new Path(
                folder, String.format(Locale.ROOT, "%d-%016x-%s", now.stamp, now.horizon.orElseThrow(), indexes));
        replace(before, file);
        own.set(List.of(file));
        recorded.accumulateAndGet(now, Recorded::and);
    }

    private void replace(List<Path> before, Path file) throws IOException {
        List<Path> left = before;
        if (!before.isEmpty() && rename(before.get(0), file)) {
            left = before.subList(1, before.size());
        } else {
            fileSystem.create(file, true).close();
        }
        for (Path other : left) {
            if (!other.equals(file)) {
                fileSystem.delete(other, false);
            }
        }
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
