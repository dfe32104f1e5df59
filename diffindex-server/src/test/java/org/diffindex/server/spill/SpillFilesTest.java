package org.diffindex.server.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.row;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RowChange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which regions find which rows in the spill files of a table, and when a file is removed. */
class SpillFilesTest {
    private static final IndexDefinition INDEX =
            Flights.byOrigin(IndexScheme.SYNC_FULL).withId("first");
    private static final IndexDefinition MADE_AGAIN = INDEX.withId("second");

    @TempDir
    Path root;

    private final Configuration conf = HBaseConfiguration.create();
    private SpillFiles parent;

    @BeforeEach
    void openParent() throws IOException {
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
        parent = files("", "");
    }

    @Test
    void theNextServerOfTheRegionReadsWhatWasWritten() throws IOException {
        RowChange change = RowChange.between(row("r"), 5, 9, 105, 109);
        parent.write(List.of(change, change("s", 7)), IndexSet.all());
        SpillFiles next = files("", "");
        assertThat(next.find()).hasSize(1);
        SpillContent content = next.read(next.find().get(0));
        assertThat(content.changes()).hasSize(2);
        assertThat(content.changes().get(0)).usingRecursiveComparison().isEqualTo(change);
        assertThat(content.isFor(INDEX)).isTrue();
        assertThat(content.isFor(MADE_AGAIN)).isFalse();
    }

    @Test
    void removesADeliveredFile() throws IOException {
        parent.write(List.of(change("r", 1)), IndexSet.all());
        var file = parent.write(List.of(change("s", 2)), IndexSet.all());
        parent.delivered(file);
        assertThat(parent.find()).hasSize(1).doesNotContain(file);
        parent.delivered(file);
    }

    @Test
    void theLastDaughterRemovesTheFileOfTheParent() throws IOException {
        var file = parent.write(List.of(change("a", 1), change("q", 2)), IndexSet.all());
        SpillFiles left = files("", "m");
        SpillFiles right = files("m", "");
        assertThat(rows(left.read(file))).containsExactly("a");
        assertThat(rows(right.read(file))).containsExactly("q");
        left.delivered(file);
        assertThat(left.find()).isEmpty();
        assertThat(right.find()).containsExactly(file);
        right.delivered(file);
        assertThat(right.find()).isEmpty();
        assertThat(names()).isEmpty();
    }

    @Test
    void theNextRegionToLookRemovesWhatTheLastDaughterDidNotRemove() throws IOException {
        var file = parent.write(List.of(change("a", 1), change("q", 2)), IndexSet.all());
        SpillFiles left = files("", "m");
        left.delivered(file);
        Path leftMark = folderOf(file)
                .resolve(names().stream()
                        .filter(name -> name.contains(".done-"))
                        .findFirst()
                        .orElseThrow());
        byte[] mark = Files.readAllBytes(leftMark);
        Files.delete(leftMark);
        files("m", "").delivered(file);
        Files.deleteIfExists(leftMark.resolveSibling("." + leftMark.getFileName() + ".crc"));
        Files.write(leftMark, mark);
        assertThat(names()).hasSize(3);
        assertThat(left.find()).isEmpty();
        assertThat(names()).isEmpty();
    }

    @Test
    void removesTheMarkOfAMissingFile() throws IOException {
        var file = parent.write(List.of(change("a", 1), change("q", 2)), IndexSet.all());
        files("", "m").delivered(file);
        Files.delete(local(file));
        assertThat(files("m", "").find()).isEmpty();
        assertThat(names()).isEmpty();
    }

    @Test
    void aDaughterOfADaughterContinuesWhereItsParentStopped() throws IOException {
        var file = parent.write(List.of(change("a", 1), change("q", 2), change("x", 3)), IndexSet.all());
        files("", "m").delivered(file);
        SpillFiles middle = files("m", "s");
        SpillFiles right = files("s", "");
        assertThat(middle.find()).containsExactly(file);
        middle.delivered(file);
        assertThat(rows(right.read(file))).containsExactly("x");
        right.delivered(file);
        assertThat(names()).isEmpty();
    }

    @Test
    void aDaughterThatMovesFindsItsParentsFilesAgainAndTheLastRemovesTheFolder() throws IOException {
        var file = parent.write(List.of(change("a", 1), change("q", 2)), IndexSet.all());
        assertThat(files("", "m").find()).containsExactly(file);
        assertThat(files("m", "").find()).containsExactly(file);
        assertThat(files("", "m").find()).as("on its next server").containsExactly(file);
        files("", "m").delivered(file);
        assertThat(files("", "m").find()).isEmpty();
        assertThat(folders()).hasSize(3);
        assertThat(files("m", "").find()).containsExactly(file);
        files("m", "").delivered(file);
        assertThat(files("m", "").find()).isEmpty();
        assertThat(folders())
                .hasSize(2)
                .noneMatch(name -> name.startsWith(region("", "").getEncodedName()));
    }

    /** A server may die between the links to two parents' folders. */
    @Test
    void aRegionInterruptedWhileItLookedForFoldersLooksAgain() throws IOException {
        files("", "m").write(List.of(change("a", 1)), IndexSet.all());
        files("m", "").write(List.of(change("q", 2)), IndexSet.all());
        SpillFiles merged = files("", "");
        assertThat(merged.find()).hasSize(2);
        try (Stream<Path> paths = Files.walk(folder())) {
            Path own = paths.filter(path -> path.getFileName()
                            .toString()
                            .startsWith(region("", "").getEncodedName()))
                    .findFirst()
                    .orElseThrow();
            Files.delete(own.resolve(".looked"));
            try (Stream<Path> links = Files.list(own)) {
                Files.delete(links.filter(path -> path.getFileName().toString().startsWith(".from-"))
                        .findFirst()
                        .orElseThrow());
            }
        }
        assertThat(merged.find()).hasSize(2);
    }

    @Test
    void aRegionThatLooksRemovesOnlyEmptyFoldersOfItsPredecessors() throws IOException {
        assertThat(files("", "c").find()).isEmpty();
        assertThat(files("c", "m").find()).isEmpty();
        assertThat(files("m", "").find()).isEmpty();
        assertThat(files("", "m").find()).isEmpty();
        assertThat(folders())
                .containsExactlyInAnyOrder(
                        folders().stream()
                                .filter(name -> name.startsWith(region("m", "").getEncodedName()))
                                .findFirst()
                                .orElseThrow(),
                        folders().stream()
                                .filter(name -> name.startsWith(region("", "m").getEncodedName()))
                                .findFirst()
                                .orElseThrow());
    }

    @Test
    void aMergeDeliversTheFilesOfBothParents() throws IOException {
        files("", "m").write(List.of(change("a", 1)), IndexSet.all());
        files("m", "").write(List.of(change("q", 2)), IndexSet.all());
        SpillFiles merged = files("", "");
        assertThat(merged.find()).hasSize(2);
        for (var file : merged.find()) {
            merged.delivered(file);
        }
        assertThat(names()).isEmpty();
    }

    @Test
    void aNeighbourFindsNothing() throws IOException {
        files("", "m").write(List.of(change("a", 1)), IndexSet.all());
        assertThat(files("m", "").find()).isEmpty();
    }

    @Test
    void aFileForDroppedIndexesYieldsNoChanges() throws IOException {
        parent.write(List.of(change("r", 1)), IndexSet.all());
        SpillFiles other = files("", "", MADE_AGAIN);
        assertThat(other.find()).hasSize(1);
        assertThat(other.read(other.find().get(0)).changes()).isEmpty();
    }

    @Test
    void theNextServerRemovesFilesThatACrashLeftUnfinished() throws IOException {
        Path written = local(parent.write(List.of(change("r", 1)), IndexSet.all()));
        Files.move(
                written, written.resolveSibling(".unfinished-" + region("", "").getEncodedName() + "-x"));
        assertThat(parent.find()).isEmpty();
        assertThat(names()).isEmpty();
    }

    @Test
    void reportsADamagedFile() throws IOException {
        var file = parent.write(List.of(change("r", 1)), IndexSet.all());
        Path path = local(file);
        byte[] bytes = Files.readAllBytes(path);
        Files.delete(path.resolveSibling("." + file.getName() + ".crc"));
        Files.write(path, java.util.Arrays.copyOf(bytes, bytes.length - 3));
        assertThatThrownBy(() -> parent.read(file)).isInstanceOf(EOFException.class);
        Files.write(path, new byte[100]);
        assertThatThrownBy(() -> parent.read(file)).hasMessageContaining("Not a spill file of format 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"README", "notes-5", "0123abcd-not-a-uuid", ".tmp", "_SUCCESS", "x.done-y"})
    void ignoresAndKeepsForeignFiles(String name) throws IOException {
        var file = parent.write(List.of(change("a", 1), change("q", 2)), IndexSet.all());
        Path stray = Files.writeString(folderOf(file).resolve(name), "of somebody else");
        Path inTable = Files.writeString(folder().resolve(name), "of somebody else");
        SpillFiles left = files("", "m");
        SpillFiles right = files("m", "");
        assertThat(left.find()).containsExactly(file);
        left.delivered(file);
        right.delivered(file);
        assertThat(right.find()).isEmpty();
        assertThat(stray).exists();
        assertThat(inTable).exists();
    }

    /** The region is then opened by a server of that build, which knows what its indexes lack. */
    @Test
    void findsNothingBesideAFileOfALaterBuild() throws IOException {
        var file = parent.write(List.of(change("a", 1)), IndexSet.all());
        Path later = Files.writeString(folderOf(file).resolve(".later-2"), "");
        assertThatThrownBy(parent::find)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(".later-2 was written by a later build of Diff-Index");
        Files.delete(later);
        assertThat(parent.find()).containsExactly(file);
    }

    /** Each open lists the table's folder; the first one of a region lists the folders of all regions. */
    @ParameterizedTest
    @ValueSource(strings = {"", "regions"})
    void findsNothingIfTheTableHasAFileOfALaterBuild(String where) throws IOException {
        var file = parent.write(List.of(change("a", 1)), IndexSet.all());
        Path later = Files.writeString(folder().resolve(where).resolve(".later-2"), "");
        SpillFiles daughter = files("", "m");
        assertThatThrownBy(daughter::find)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(".later-2 was written by a later build of Diff-Index");
        Files.delete(later);
        assertThat(daughter.find()).containsExactly(file);
    }

    @Test
    void doesNotIgnoreASpillFileThatCannotBeRead() throws IOException {
        var file = parent.write(List.of(change("a", 1), change("q", 2)), IndexSet.all());
        Files.delete(folderOf(file).resolve("." + file.getName() + ".crc"));
        Files.write(local(file), new byte[3]);
        SpillFiles daughter = files("", "m");
        assertThat(daughter.find()).containsExactly(file);
        assertThat(daughter.tryRead(file)).isEmpty();
        assertThatThrownBy(() -> daughter.read(file)).isInstanceOf(EOFException.class);
    }

    @Test
    void treatsAMissingFileAsDelivered() throws IOException {
        var file = parent.write(List.of(change("r", 1)), IndexSet.all());
        SpillFiles daughter = files("", "m");
        parent.delivered(file);
        assertThat(daughter.read(file).changes()).isEmpty();
        daughter.delivered(file);
        assertThat(names()).isEmpty();
    }

    @Test
    void aRegionThatOpensReadsNoFileOfOtherRegions() throws IOException {
        Configuration counted = new Configuration(conf);
        counted.setClass("fs.counted.impl", Counted.class, FileSystem.class);
        counted.setBoolean("fs.counted.impl.disable.cache", true);
        counted.set(HConstants.HBASE_DIR, "counted://" + root);
        int regions = 40;
        for (int i = 0; i < regions; i++) {
            SpillFiles files = SpillFiles.of(counted, oneOf(regions, i), List.of(INDEX));
            files.write(List.of(change("%02d".formatted(i), 1)), IndexSet.all());
            files.write(List.of(change("%02dx".formatted(i), 2)), IndexSet.all());
        }
        Counted.OPENED.set(0);
        for (int i = 0; i < regions; i++) {
            assertThat(SpillFiles.of(counted, oneOf(regions, i), List.of(INDEX)).find())
                    .hasSize(2);
        }
        assertThat(Counted.OPENED).hasValue(0);
        assertThat(SpillFiles.of(counted, region("00", "02"), List.of(INDEX)).find())
                .as("files of two parents")
                .hasSize(4);
        assertThat(Counted.OPENED).hasValue(0);
    }

    @Test
    void theNamesThatARestartListsGrowLinearlyWithRegionsAndFiles() throws IOException {
        Configuration counted = new Configuration(conf);
        counted.setClass("fs.counted.impl", Counted.class, FileSystem.class);
        counted.setBoolean("fs.counted.impl.disable.cache", true);
        counted.set(HConstants.HBASE_DIR, "counted://" + root);
        int regions = 100;
        int files = 0;
        for (int i = 0; i < regions; i++) {
            SpillFiles ofRegion = SpillFiles.of(counted, oneOf(regions, i), List.of(INDEX));
            assertThat(ofRegion.find()).isEmpty();
            for (int file = 0; file < i % 4; file++) {
                ofRegion.write(List.of(change("%02d".formatted(i), file)), IndexSet.all());
                files++;
            }
        }
        Counted.LISTED.set(0);
        Counted.NAMES.set(0);
        for (int i = 0; i < regions; i++) {
            assertThat(SpillFiles.of(counted, oneOf(regions, i), List.of(INDEX)).find())
                    .hasSize(i % 4);
        }
        assertThat(Counted.LISTED).hasValueLessThanOrEqualTo(2 * regions);
        assertThat(Counted.NAMES).hasValueLessThanOrEqualTo(2 * regions + files);
    }

    private static RegionInfo oneOf(int regions, int i) {
        return region(i == 0 ? "" : "%02d".formatted(i), i == regions - 1 ? "" : "%02d".formatted(i + 1));
    }

    /** Counts the calls that would reach a NameNode. */
    public static final class Counted extends RawLocalFileSystem {
        static final AtomicInteger OPENED = new AtomicInteger();
        static final AtomicInteger LISTED = new AtomicInteger();
        static final AtomicInteger NAMES = new AtomicInteger();

        @Override
        public URI getUri() {
            return URI.create("counted:///");
        }

        @Override
        public FSDataInputStream open(org.apache.hadoop.fs.Path path, int bufferSize) throws IOException {
            OPENED.incrementAndGet();
            return super.open(path, bufferSize);
        }

        @Override
        public FileStatus[] listStatus(org.apache.hadoop.fs.Path path) throws IOException {
            LISTED.incrementAndGet();
            FileStatus[] list = super.listStatus(path);
            NAMES.addAndGet(list.length);
            return list;
        }
    }

    /** The file may have been written just now by an older server, in a rolling restart. */
    @Test
    void eachRegionThatOpensItsRowsFindsAFileInTheTablesFolder() throws IOException {
        SpillFiles left = files("", "m");
        assertThat(left.find()).isEmpty();
        var file = parent.write(List.of(change("a", 1), change("q", 2)), IndexSet.all());
        Path old = folder().resolve(file.getName());
        Files.move(local(file), old);
        Files.delete(folderOf(file).resolve("." + file.getName() + ".crc"));
        assertThat(left.find()).singleElement().satisfies(found -> assertThat(local(found))
                .isEqualTo(old));
        left.delivered(left.find().get(0));
        assertThat(left.find()).isEmpty();
        SpillFiles right = files("m", "");
        assertThat(rows(right.read(right.find().get(0)))).containsExactly("q");
        right.delivered(right.find().get(0));
        assertThat(names()).isEmpty();
    }

    @Test
    void opensAFileOfAnEarlierBuildToReadItsRange() throws IOException {
        var file = files("", "m").write(List.of(change("a", 1)), IndexSet.all());
        String name = file.getName();
        Path old = folder().resolve(name.substring(0, name.lastIndexOf('.')));
        Files.move(local(file), old);
        Files.delete(folderOf(file).resolve("." + name + ".crc"));
        assertThat(files("m", "").find()).isEmpty();
        assertThat(parent.find()).singleElement().satisfies(found -> assertThat(found.getName())
                .isEqualTo(old.getFileName().toString()));
        parent.delivered(parent.find().get(0));
        assertThat(names()).isEmpty();
    }

    private SpillFiles files(String start, String end) throws IOException {
        return files(start, end, INDEX);
    }

    private SpillFiles files(String start, String end, IndexDefinition index) throws IOException {
        return SpillFiles.of(conf, region(start, end), List.of(index));
    }

    private static RegionInfo region(String start, String end) {
        return RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setStartKey(Bytes.toBytes(start))
                .setEndKey(Bytes.toBytes(end))
                .setRegionId(end.isEmpty() ? 1 : 2) // a daughter has a later id than its parent
                .build();
    }

    private static RowChange change(String row, long sequence) {
        return RowChange.of(row(row), sequence, 100 + sequence, 100 + sequence);
    }

    private static List<String> rows(SpillContent content) {
        return content.changes().stream()
                .map(change -> Bytes.toString(change.row()))
                .toList();
    }

    private Path folder() throws IOException {
        return Path.of(SpillFiles.folderOf(conf, Flights.TABLE).toUri());
    }

    private static Path local(org.apache.hadoop.fs.Path file) {
        return Path.of(file.toUri());
    }

    private static Path folderOf(org.apache.hadoop.fs.Path file) {
        return local(file).getParent();
    }

    /** Returns the names of the spill files, marks and unfinished files of all regions. */
    private List<String> names() throws IOException {
        try (Stream<Path> paths = Files.walk(folder())) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> path.getFileName().toString())
                    .filter(name -> !name.endsWith(".crc") && !name.equals(".looked") && !name.startsWith(".from-"))
                    .toList();
        }
    }

    /** Returns the names of the folders of regions. */
    private List<String> folders() throws IOException {
        try (Stream<Path> paths = Files.list(folder().resolve("regions"))) {
            return paths.map(path -> path.getFileName().toString()).toList();
        }
    }
}
