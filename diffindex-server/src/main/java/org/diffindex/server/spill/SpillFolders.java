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
 * The folders that may contain spill files with rows of one region. Each region writes to its own folder, {@code
 * regions/REGION.KEYS} in the table's folder ({@link KeysInName}).
 *
 * <p>A region that opens for the first time lists the names of all these folders. For each folder whose region may have
 * held some of its rows it creates a link in its own folder, an empty file {@code .from-FOLDER}, and after the last
 * link the empty file {@code .looked}. That is sufficient because the regions that held its rows before are closed for
 * good by then. Later opens list only the region's own folder and the linked ones, however many regions the table has.
 * A link is removed when nothing in its folder is left for the region; the folder is removed too if it contains no
 * spill file and its region certainly held rows of this one.
 *
 * <p>Earlier builds wrote to the table's folder itself, so that is searched too. Thread-safe.
 */
final class SpillFolders {
    /** Matches the names of files other than spill files in a region's folder, as a regular expression. */
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

    /** Returns the region's own folder. */
    Path own() {
        return new Path(regions(), region + "." + KeysInName.of(range));
    }

    private Path regions() {
        return new Path(table, REGIONS);
    }

    /** Returns the table's folder, to which earlier builds wrote. */
    Path table() {
        return table;
    }

    /** Returns whether a file is a link, or the file that says that a region has looked for other folders. */
    static boolean isNoSpillFile(Path path) {
        return path.getName().equals(LOOKED) || path.getName().startsWith(LINK);
    }

    /** Returns whether a path is the folder that contains the regions' folders. */
    boolean isOfRegions(Path path) {
        return path.getParent().equals(table) && path.getName().equals(REGIONS);
    }

    /**
     * Returns the folders of other regions that may contain files with this region's rows. Lists all regions' folders
     * the first time, and records the result in the region's own folder.
     *
     * @param inOwn the files in the region's own folder
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
            ReservedNames.refuse(folder);
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
     * Records that nothing in another region's folder is for this region: removes the link, and the folder if no region
     * needs it.
     *
     * @param there the files in that folder
     */
    void settled(Path other, Collection<Path> there) throws IOException {
        if (there.stream().allMatch(SpillFolders::isNoSpillFile) && isGone(other)) {
            remove(other, there);
        }
        fileSystem.delete(linkTo(other), false);
    }

    /** Returns whether the folder's region certainly held rows of this one; it no longer exists then. */
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
