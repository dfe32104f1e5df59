package org.diffindex.server.spill;

import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
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
 * The spill files of one table as one of its regions sees them, in {@code ROOT/diffindex/spill/NAMESPACE/TABLE}: outside
 * HBase's folders of the regions, which go when a region is split or merged. Each region has a folder of its own there, so that
 * one that opens lists and reads its own files, however many others there are ({@link SpillFolders}).
 *
 * <p>A file {@code REGION-UUID.KEYS} is there as a whole or not at all: it is written under another name, synced to the disks
 * and renamed. Its name tells its key range ({@link KeysInName}). Whichever region holds a row of it delivers that row: the one
 * that wrote it, its daughters, its merge. The one that holds them all deletes the file. One that holds a part leaves a mark
 * {@code REGION-UUID.KEYS.done-REGION} with its key range; the one whose mark completes the range of the file deletes it. A file
 * that is delivered twice does no harm. Files of earlier builds have no keys in their names: they are opened for their range.
 *
 * <p>A file of another name is none of ours: it is passed over with a warning. A file of ours that cannot be read is never
 * passed over: it is tried again, and what waits for its changes waits.
 *
 * <p>Safe for use by many threads.
 */
public final class SpillFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SpillFiles.class);
    private static final String MARK = ".done-";
    private static final String UNFINISHED = ".unfinished-";
    private static final Pattern OURS = Pattern.compile(Pattern.quote(UNFINISHED)
            + ".+|[0-9a-f]+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\\." + KeysInName.PATTERN + ")?("
            + Pattern.quote(MARK)
            + "[0-9a-f]+)?|" + SpillFolders.PATTERN);

    private final FileSystem fileSystem;
    private final SpillFolders folders;
    private final RegionInfo region;
    private final KeyRange range;
    private final List<IndexDefinition> indexes;

    private SpillFiles(FileSystem fileSystem, Path table, RegionInfo region, Collection<IndexDefinition> indexes) {
        this.fileSystem = fileSystem;
        this.folders = new SpillFolders(fileSystem, table, region);
        this.region = region;
        this.range = KeyRange.of(region);
        this.indexes = List.copyOf(indexes);
    }

    /** The files for a region with the given indexes, on the file system of HBase's root folder. */
    public static SpillFiles of(Configuration conf, RegionInfo region, Collection<IndexDefinition> indexes)
            throws IOException {
        return new SpillFiles(
                CommonFSUtils.getRootDirFileSystem(conf), folderOf(conf, region.getTable()), region, indexes);
    }

    /** The folder of a table's files. */
    public static Path folderOf(Configuration conf, TableName table) throws IOException {
        Path spill = new Path(CommonFSUtils.getRootDir(conf), "diffindex/spill");
        return new Path(new Path(spill, table.getNamespaceAsString()), table.getQualifierAsString());
    }

    /** Removes all files of a table; for one that has no index any more. */
    public static void removeAll(Configuration conf, TableName table) throws IOException {
        CommonFSUtils.getRootDirFileSystem(conf).delete(folderOf(conf, table), true);
    }

    /** An index as the files name it: an index that was dropped and made again is another one. */
    public static String nameOf(IndexDefinition index) {
        return index.name() + "/" + index.id();
    }

    /**
     * Writes changes of rows of this region; durable when it returns.
     *
     * @param lackedBy the indexes that may lack them
     */
    public Path write(List<RowChange> changes, IndexSet lackedBy) throws IOException {
        Set<String> names = indexes.stream()
                .filter(lackedBy::contains)
                .map(SpillFiles::nameOf)
                .collect(Collectors.toCollection(TreeSet::new));
        Path file =
                new Path(folders.own(), region.getEncodedName() + "-" + UUID.randomUUID() + "." + KeysInName.of(range));
        publish(file, out -> new SpillContent(range, names, changes).writeTo(out));
        return file;
    }

    /** Writes bytes. */
    @FunctionalInterface
    private interface Writing {
        void to(FSDataOutputStream out) throws IOException;
    }

    private void publish(Path file, Writing content) throws IOException {
        Path unfinished = new Path(file.getParent(), UNFINISHED + region.getEncodedName() + "-" + UUID.randomUUID());
        try (FSDataOutputStream out = fileSystem.create(unfinished, false)) {
            content.to(out);
            out.hsync();
        }
        if (!fileSystem.rename(unfinished, file) && !fileSystem.exists(file)) {
            throw new IOException("Could not rename " + unfinished + " to " + file);
        }
    }

    /** The files with rows of this region that are to be delivered. What a crash left over is removed. */
    public List<Path> find() throws IOException {
        List<Path> inOwn = list(folders.own());
        List<Path> found = find(inOwn);
        for (Path other : folders.others(inOwn)) {
            List<Path> there = list(other);
            List<Path> ofThese = find(there);
            if (ofThese.isEmpty()) {
                folders.settled(other, there);
            }
            found.addAll(ofThese);
        }
        found.addAll(find(list(folders.table())));
        return found;
    }

    private List<Path> find(List<Path> all) throws IOException {
        List<Path> found = new ArrayList<>();
        Set<String> names = all.stream().map(Path::getName).collect(Collectors.toSet());
        for (Path file : all) {
            String name = file.getName();
            boolean isUnfinished = name.startsWith(UNFINISHED);
            boolean isMark = !isUnfinished && name.contains(MARK);
            if (name.startsWith(UNFINISHED + region.getEncodedName())
                    || (isMark && !names.contains(fileOf(file).getName()))) {
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
            remove(file, all); // who completed the marks died before it could
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
     * What a file holds for this region: only its rows, and only if an index of this table may lack them.
     *
     * @throws IOException if it cannot be read now; it must be tried again
     */
    public SpillContent read(Path file) throws IOException {
        SpillContent content;
        try (DataInputStream in = fileSystem.open(file)) {
            content = SpillContent.readFrom(in);
        } catch (FileNotFoundException e) {
            return new SpillContent(range, Set.of(), List.of()); // delivered by whoever held the region before
        }
        boolean wanted = indexes.stream().anyMatch(content::isFor);
        List<RowChange> own = content.changes().stream()
                .filter(change -> wanted && range.contains(change.row()))
                .toList();
        return new SpillContent(content.range(), content.indexes(), own);
    }

    /** As {@link #read}; empty, with a warning, if it cannot be read now. */
    public Optional<SpillContent> tryRead(Path file) {
        try {
            return Optional.of(read(file));
        } catch (IOException e) {
            LOG.warn("{} cannot be read; it will be looked at again [region={}]", file, region, e);
            return Optional.empty();
        }
    }

    /** The indexes of this table that may lack something of the content. */
    public List<IndexDefinition> lackedBy(SpillContent content) {
        return content.changes().isEmpty()
                ? List.of()
                : indexes.stream().filter(content::isFor).toList();
    }

    /** All indexes of this table. */
    public List<IndexDefinition> indexes() {
        return indexes;
    }

    /** Those of some indexes that are of this table. */
    public List<IndexDefinition> indexes(IndexSet some) {
        return indexes.stream().filter(some::contains).toList();
    }

    /** This region's rows of the file are delivered. */
    public void delivered(Path file) throws IOException {
        Optional<KeyRange> ofFile = isOwn(file) ? Optional.of(range) : rangeOf(file);
        if (ofFile.isEmpty()) {
            return;
        }
        List<Path> all = List.of();
        if (!range.contains(ofFile.get())) {
            publish(new Path(file.getParent(), file.getName() + MARK + region.getEncodedName()), range::writeTo);
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
                    return List.of(range); // the file is delivered and removed, its marks with it
                }
            }
        }
        return ranges;
    }

    private static boolean isMarkOf(Path file, Path path) {
        return path.getName().startsWith(file.getName() + MARK);
    }

    /** The range of the region that wrote a file; nothing if the file is gone. */
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
