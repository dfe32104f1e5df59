package org.diffindex.server.spill;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders in which spill files with rows of one region may lie. Each region writes to its own, {@code
 * regions/REGION.KEYS} in the table's folder ({@link KeysInName}).
 *
 * <p>A region that opens for the first time lists the names of all these folders. For each whose region held a part of its rows
 * it leaves a link in its own, an empty file {@code .from-FOLDER}, and after all of them the empty file {@code .looked}. That is
 * enough: the regions that held its rows before are closed for ever by then. From then on an open lists the region's own folder
 * and the linked ones, however many regions the table has. A link goes once nothing is left there for the region, and with it
 * the folder if it holds no file of any region's.
 *
 * <p>Earlier builds wrote to the table's folder itself, which is therefore one of them. Safe for use by many threads.
 */
final class SpillFolders {
    /** What a region's folder holds beside spill files, as a regular expression. */
    static final String PATTERN = "\\.looked|\\.from-.+";

    private static final Logger LOG = LoggerFactory.getLogger(SpillFolders.class);
    private static final String REGIONS = "regions";
    private static final String LOOKED = ".looked";
    private static final String LINK = ".from-";

    private final FileSystem fileSystem;
    private final Path table;
    private final String region;
    private final KeyRange range;

    SpillFolders(FileSystem fileSystem, Path table, RegionInfo region) {
        this.fileSystem = fileSystem;
        this.table = table;
        this.region = region.getEncodedName();
        this.range = KeyRange.of(region);
    }

    /** The region's own folder. */
    Path own() {
        return new Path(regions(), region + "." + KeysInName.of(range));
    }

    private Path regions() {
        return new Path(table, REGIONS);
    }

    /** The table's folder, to which earlier builds wrote. */
    Path table() {
        return table;
    }

    /** Whether a name is that of a link, or of what tells that a region has looked for others' folders. */
    static boolean isNoSpillFile(Path path) {
        return path.getName().equals(LOOKED) || path.getName().startsWith(LINK);
    }

    /** Whether it is the folder of the regions' folders. */
    boolean isOfRegions(Path path) {
        return path.getParent().equals(table) && path.getName().equals(REGIONS);
    }

    /**
     * The folders of other regions in which files with this region's rows may lie. Lists all regions' folders the first time.
     *
     * @param inOwn what is in the region's own folder
     */
    List<Path> others(Collection<Path> inOwn) throws IOException {
        if (inOwn.stream().noneMatch(path -> path.getName().equals(LOOKED))) {
            return look();
        }
        return inOwn.stream()
                .map(Path::getName)
                .filter(name -> name.startsWith(LINK))
                .map(name -> new Path(regions(), name.substring(LINK.length())))
                .toList();
    }

    private List<Path> look() throws IOException {
        Path own = own();
        List<Path> others = new ArrayList<>();
        for (FileStatus status : list(regions())) {
            Path folder = status.getPath();
            boolean mayHoldRows = KeysInName.in(folder.getName())
                    .filter(keys -> keys.mayOverlap(range))
                    .isPresent();
            if (mayHoldRows && !folder.getName().equals(own.getName())) {
                others.add(folder);
            }
        }
        for (Path other : others) {
            fileSystem.create(linkTo(other), true).close();
        }
        fileSystem.create(new Path(own, LOOKED), true).close();
        return others;
    }

    private Path linkTo(Path other) {
        return new Path(own(), LINK + other.getName());
    }

    /**
     * Nothing in another region's folder is for this region any more.
     *
     * @param there what is in that folder
     */
    void settled(Path other, Collection<Path> there) throws IOException {
        if (there.stream().allMatch(SpillFolders::isNoSpillFile) && isGone(other)) {
            remove(other, there);
        }
        fileSystem.delete(linkTo(other), false);
    }

    /** Whether the folder's region surely held rows of this one; then there is no such region any more. */
    private boolean isGone(Path other) {
        return KeysInName.in(other.getName())
                .flatMap(KeysInName::whole)
                .filter(range::overlaps)
                .isPresent();
    }

    private void remove(Path other, Collection<Path> there) {
        try {
            for (Path path : there) {
                fileSystem.delete(path, false);
            }
            fileSystem.delete(other, false);
        } catch (IOException e) {
            LOG.warn("{} could not be removed; nothing in it is needed", other, e);
        }
    }

    private FileStatus[] list(Path folder) throws IOException {
        try {
            return fileSystem.listStatus(folder);
        } catch (FileNotFoundException e) {
            LOG.debug("{} is not there: no region has spilled anything", folder, e);
            return new FileStatus[0];
        }
    }
}
