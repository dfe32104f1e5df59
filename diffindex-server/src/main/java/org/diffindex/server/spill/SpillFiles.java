package org.diffindex.server.spill;

import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.RowChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spill files of one table as seen by one of its regions, in {@code ROOT/diffindex/spill/NAMESPACE/TABLE}: outside
 * HBase's region folders, which are deleted after a split or merge. Each region has its own folder there, so that a
 * region that opens lists and reads only its own files and those of the regions that held its rows before ({@link
 * SpillFolders}).
 *
 * <p>A file {@code REGION-UUID.KEYS} appears atomically: it is written under another name, synced to the disks and
 * renamed ({@link UnfinishedFiles}). A server that has lost the region without noticing, because it was paused, can no
 * longer rename a file: between the two steps the {@link Holding} is confirmed, and a server that opens the region
 * first removes the files that are not renamed ({@link #find}).
 *
 * <p>Its name contains its key range ({@link KeysInName}). Each row is delivered by the region that holds it when the
 * file is found: the writer of the file, a daughter of a split, or the result of a merge. A region that holds all rows
 * of the file deletes it. A region that holds some of them leaves a mark {@code REGION-UUID.KEYS.done-REGION} with its
 * own key range; the region whose mark completes the range of the file deletes the file. Delivering a file twice is
 * harmless. Files of earlier builds have no keys in their names; their range is read from their content.
 *
 * <p>A file with any other name is ignored with a warning, except for {@link ReservedNames}. A spill file that cannot be read is never ignored: reading
 * is retried, and callers that need its changes wait.
 *
 * <p>Thread-safe.
 */
public final class SpillFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SpillFiles.class);
    private static final String MARK = ".done-";
    private static final Pattern OURS = Pattern.compile(Pattern.quote(UnfinishedFiles.PREFIX)
            + ".+|[0-9a-f]+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\\." + KeysInName.PATTERN + ")?("
            + Pattern.quote(MARK)
            + "[0-9a-f]+)?|" + SpillFolders.PATTERN);

    /** Knows whether a server still has its regions. */
    @FunctionalInterface
    public interface Holding {
        /**
         * Returns if no other server has begun to open one of the regions; one may begin immediately afterwards.
         *
         * @throws IOException if another server may have begun
         */
        void confirm() throws IOException;
    }

    private final FileSystem fileSystem;
    private final SpillFolders folders;
    private final RegionInfo region;
    private final KeyRange range;
    private final List<IndexDefinition> indexes;
    private final Holding holding;

    private SpillFiles(
            FileSystem fileSystem,
            Path table,
            RegionInfo region,
            Collection<IndexDefinition> indexes,
            Holding holding) {
        this.fileSystem = fileSystem;
        this.folders = new SpillFolders(fileSystem, table, region);
        this.region = region;
        this.range = KeyRange.of(region);
        this.indexes = List.copyOf(indexes);
        this.holding = holding;
    }

    /** Returns the files of a region that no other server opens, as in a test. */
    public static SpillFiles of(Configuration conf, RegionInfo region, Collection<IndexDefinition> indexes)
            throws IOException {
        return of(conf, region, indexes, () -> {});
    }

    /** Returns the files of a region with the given indexes, on the file system of HBase's root folder. */
    public static SpillFiles of(
            Configuration conf, RegionInfo region, Collection<IndexDefinition> indexes, Holding holding)
            throws IOException {
        return new SpillFiles(
                CommonFSUtils.getRootDirFileSystem(conf), folderOf(conf, region.getTable()), region, indexes, holding);
    }

    /** Returns the folder of a table's spill files. */
    public static Path folderOf(Configuration conf, TableName table) throws IOException {
        return OwnFolder.of(conf, "spill", table);
    }

    /** Returns the name of an index in spill files; it differs for an index that was dropped and created again. */
    public static String nameOf(IndexDefinition index) {
        return index.name() + "/" + index.id();
    }

    /**
     * Writes changes of this region's rows to a new file, which is durable when this returns.
     *
     * @param lackedBy the indexes that may lack them
     * @throws IOException if they cannot be written, or another server may have opened the region, which then does not
     *     find the file
     */
    public Path write(List<RowChange> changes, IndexSet lackedBy) throws IOException {
        Set<String> names = indexes.stream()
                .filter(lackedBy::contains)
                .map(SpillFiles::nameOf)
                .collect(Collectors.toCollection(TreeSet::new));
        Path file =
                new Path(folders.own(), region.getEncodedName() + "-" + UUID.randomUUID() + "." + KeysInName.of(range));
        unfinished().publish(file, out -> new SpillContent(range, names, changes).writeTo(out));
        return file;
    }

    private UnfinishedFiles unfinished() {
        return new UnfinishedFiles(fileSystem, region, holding);
    }

    /**
     * Returns the files with rows of this region that are not delivered, including those that cannot be read now.
     * Removes what a crash left over: this region's unfinished files, marks without a file, and files whose range the
     * marks cover. A server that had the region before can publish no file after that.
     *
     * @throws IOException if that fails, or another server may have opened the region since, and may be writing one of
     *     the unfinished files
     */
    public List<Path> find() throws IOException {
        List<Path> inOwn = listFinished(folders.own());
        List<Path> found = find(inOwn);
        for (Path other : folders.others(inOwn)) {
            List<Path> there = listFinished(other);
            List<Path> ofThese = find(there);
            if (ofThese.isEmpty()) {
                folders.settled(other, there);
            }
            found.addAll(ofThese);
        }
        found.addAll(find(listFinished(folders.table())));
        return found;
    }

    /**
     * Removes this region's unfinished files from a folder; returns the others. If one that was listed is gone, another
     * server has renamed it since, so the folder is listed again.
     */
    private List<Path> listFinished(Path folder) throws IOException {
        UnfinishedFiles unfinished = unfinished();
        Map<Boolean, List<Path>> byState =
                list(folder).stream().collect(Collectors.partitioningBy(unfinished::contain));
        return unfinished.remove(byState.get(true)) ? byState.get(false) : listFinished(folder);
    }

    private List<Path> find(List<Path> all) throws IOException {
        List<Path> found = new ArrayList<>();
        Set<String> names = all.stream().map(Path::getName).collect(Collectors.toSet());
        for (Path file : all) {
            String name = file.getName();
            boolean isUnfinished = name.startsWith(UnfinishedFiles.PREFIX);
            boolean isMark = !isUnfinished && name.contains(MARK);
            if (isMark && !names.contains(fileOf(file).getName())) {
                fileSystem.delete(file, false);
            } else if (!isUnfinished && !isMark && !SpillFolders.isNoSpillFile(file) && concerns(file, all)) {
                found.add(file);
            }
        }
        return found;
    }

    private boolean concerns(Path file, List<Path> all) throws IOException {
        if (isOwn(file)) {
            return true;
        }
        if (KeysInName.in(file.getName())
                .filter(keys -> !keys.mayOverlap(range))
                .isPresent()) {
            return false;
        }
        try {
            Optional<KeyRange> ofFile = rangeOf(file);
            return ofFile.isPresent() && concerns(file, ofFile.get(), all);
        } catch (IOException e) {
            LOG.warn("Cannot tell whose rows {} holds; it will be looked at again [region={}]", file, region, e);
            return true;
        }
    }

    private boolean concerns(Path file, KeyRange ofFile, List<Path> all) throws IOException {
        List<KeyRange> marks = marksOf(file, all);
        if (ofFile.isCoveredBy(marks)) {
            remove(file, all); // the region that completed the marks crashed before it removed the file
            return false;
        }
        return ofFile.overlaps(range) && !range.isCoveredBy(marks);
    }

    private void remove(Path file, List<Path> all) throws IOException {
        fileSystem.delete(file, false);
        for (Path path : all) {
            if (isMarkOf(file, path)) {
                fileSystem.delete(path, false);
            }
        }
    }

    private static Path fileOf(Path mark) {
        String name = mark.getName();
        return new Path(mark.getParent(), name.substring(0, name.indexOf(MARK)));
    }

    private boolean isOwn(Path file) {
        return file.getName().startsWith(region.getEncodedName() + "-");
    }

    /**
     * Returns the content of a file for this region: only its rows, and only if an index of this table may lack them. A
     * file that no longer exists has no content.
     *
     * @throws IOException if the file cannot be read now; the caller must retry
     */
    public SpillContent read(Path file) throws IOException {
        SpillContent content;
        try (DataInputStream in = fileSystem.open(file)) {
            content = SpillContent.readFrom(in);
        } catch (FileNotFoundException e) {
            return new SpillContent(range, Set.of(), List.of()); // delivered by a previous holder of the region
        }
        boolean wanted = indexes.stream().anyMatch(content::isFor);
        List<RowChange> own = content.changes().stream()
                .filter(change -> wanted && range.contains(change.row()))
                .toList();
        return new SpillContent(content.range(), content.indexes(), own);
    }

    /** Reads a file as {@link #read} does; returns empty and logs a warning if that throws an IOException. */
    public Optional<SpillContent> tryRead(Path file) {
        try {
            return Optional.of(read(file));
        } catch (IOException e) {
            LOG.warn("{} cannot be read; it will be looked at again [region={}]", file, region, e);
            return Optional.empty();
        }
    }

    /** Returns the indexes of this table that may lack some of the content. */
    public List<IndexDefinition> lackedBy(SpillContent content) {
        return content.changes().isEmpty()
                ? List.of()
                : indexes.stream().filter(content::isFor).toList();
    }

    /** Returns all indexes of this table. */
    public List<IndexDefinition> indexes() {
        return indexes;
    }

    /** Returns the indexes of this table that are in a set. */
    public List<IndexDefinition> indexes(IndexSet some) {
        return indexes.stream().filter(some::contains).toList();
    }

    /**
     * Records that this region's rows of a file are delivered to the table's indexes, or that the table has none that
     * the file is for: removes the file if that holds for all its rows, else marks it.
     *
     * @throws IOException if that fails, or another server may have opened the region, perhaps with other indexes
     */
    public void delivered(Path file) throws IOException {
        holding.confirm();
        Optional<KeyRange> ofFile = isOwn(file) ? Optional.of(range) : rangeOf(file);
        if (ofFile.isEmpty()) {
            return;
        }
        List<Path> all = List.of();
        if (!range.contains(ofFile.get())) {
            Path mark = new Path(file.getParent(), file.getName() + MARK + region.getEncodedName());
            unfinished().publish(mark, range::writeTo);
            all = list(file.getParent());
            boolean isGone = all.stream().noneMatch(path -> path.getName().equals(file.getName()));
            if (!isGone && !ofFile.get().isCoveredBy(marksOf(file, all))) {
                return;
            }
        }
        remove(file, all);
    }

    private List<KeyRange> marksOf(Path file, List<Path> all) throws IOException {
        List<KeyRange> ranges = new ArrayList<>();
        for (Path path : all) {
            if (isMarkOf(file, path)) {
                try (DataInputStream in = fileSystem.open(path)) {
                    ranges.add(KeyRange.readFrom(in));
                } catch (FileNotFoundException e) {
                    return List.of(range); // the file and its marks were removed after delivery
                }
            }
        }
        return ranges;
    }

    private static boolean isMarkOf(Path file, Path path) {
        return path.getName().startsWith(file.getName() + MARK);
    }

    /** Returns the key range of the region that wrote a file; empty if the file no longer exists. */
    private Optional<KeyRange> rangeOf(Path file) throws IOException {
        Optional<KeyRange> inName = KeysInName.in(file.getName()).flatMap(KeysInName::whole);
        if (inName.isPresent()) {
            return inName;
        }
        try (DataInputStream in = fileSystem.open(file)) {
            return Optional.of(SpillContent.readRange(in));
        } catch (FileNotFoundException e) {
            return Optional.empty();
        }
    }

    private List<Path> list(Path folder) throws IOException {
        List<Path> paths = new ArrayList<>();
        try {
            for (FileStatus status : fileSystem.listStatus(folder)) {
                ReservedNames.refuse(status.getPath());
                if (OURS.matcher(status.getPath().getName()).matches()) {
                    paths.add(status.getPath());
                } else if (!folders.isOfRegions(status.getPath())) {
                    LOG.warn(
                            "{} is no spill file of Diff-Index and was passed over; remove it, nothing else belongs there",
                            status.getPath());
                }
            }
        } catch (FileNotFoundException e) {
            return List.of();
        }
        return paths;
    }
}
