package org.diffindex.server.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.util.Progressable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampFilesTest {
    private static final long NOW = Duration.ofDays(10_000).toMillis();

    private final Configuration conf = HBaseConfiguration.create();

    @TempDir
    Path root;

    @BeforeEach
    void inFolder() {
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
    }

    @Test
    void theNextServerOfARegionFindsItsStampAndNoOtherRegionDoes() throws IOException {
        assertThat(stampOf(stamps(1))).isZero();
        stamps(1, "", "m").record(NOW + 5, 0);
        stamps(2, "m", "q").record(NOW + 3, 0);
        assertThat(stampOf(stamps(1, "", "m"))).isEqualTo(NOW + 5);
        assertThat(stampOf(stamps(2, "m", "q"))).isEqualTo(NOW + 3);
        assertThat(stampOf(stamps(3, "q", ""))).isZero();
    }

    /** This holds even if a split left the region no store file, or only a link to a file of its grandparent. */
    @Test
    void aRegionWithoutAStampFindsThoseOfItsRows() throws IOException {
        stamps(1, "", "m").record(NOW + 5, 0);
        stamps(2, "m", "").record(NOW + 3, 0);
        assertThat(stampOf(stamps(3, "", "c"))).isEqualTo(NOW + 5);
        assertThat(stampOf(stamps(3, "c", "m"))).isEqualTo(NOW + 5);
        assertThat(stampOf(stamps(3, "m", "q"))).isEqualTo(NOW + 3);
        assertThat(stampOf(stamps(4, "", ""))).isEqualTo(NOW + 5);
    }

    @Test
    void aRegionWithAStampLooksAtNoOther() throws IOException {
        stamps(1, "", "").record(NOW + 5, 0);
        stamps(2, "m", "").record(NOW + 3, 0);
        assertThat(stampOf(stamps(2, "m", ""))).isEqualTo(NOW + 3);
    }

    @Test
    void aRegionHasOneStampThatOnlyGrows() throws IOException {
        StampFiles stamps = stamps(1);
        stamps.record(NOW + 5, 0);
        stamps.record(NOW + 4, 0);
        assertThat(stampOf(stamps(1))).isEqualTo(NOW + 5);
        StampFiles next = stamps(1);
        next.find();
        next.record(NOW + 7, 0);
        next.record(NOW + 9, 0);
        assertThat(stampOf(stamps(1))).isEqualTo(NOW + 9);
        try (Stream<Path> files = Files.walk(root.resolve("diffindex"))) {
            assertThat(files.filter(Files::isRegularFile)
                            .filter(file -> !file.toString().endsWith(".crc")))
                    .hasSize(1);
        }
    }

    /** Backfills of two indexes of a region that HDFS serves: the second creator of the file takes the lease of the first. */
    @Test
    void twoCallsMayRecordTheSameStampAtTheSameTime() throws IOException {
        conf.setBoolean("fs.file.impl.disable.cache", true);
        conf.setClass("fs.file.impl", LostLease.class, FileSystem.class);
        stamps(1).record(NOW + 5, 0);
        assertThat(stampOf(stamps(1))).isEqualTo(NOW + 5);
    }

    /** A file system in which another process always takes the lease of a file that is written. */
    public static final class LostLease extends LocalFileSystem {
        @Override
        public FSDataOutputStream create(
                org.apache.hadoop.fs.Path file,
                FsPermission permission,
                boolean overwrite,
                int bufferSize,
                short replication,
                long blockSize,
                Progressable progress)
                throws IOException {
            super.create(file, permission, overwrite, bufferSize, replication, blockSize, progress)
                    .close();
            return new FSDataOutputStream(OutputStream.nullOutputStream(), null) {
                @Override
                public void close() throws IOException {
                    throw new FileNotFoundException("File does not exist: " + file + " [Lease. Holder: another]");
                }
            };
        }
    }

    /** This includes the regions of a table in which nothing was written. */
    @Test
    void aRegionLooksForTheStampsOfOthersOnlyOnce() throws IOException {
        CountingFileSystem.use(conf, root);
        for (int region = 1; region <= 20; region++) {
            StampFiles stamps = stamps(region);
            stamps.record(stampOf(stamps), 0);
        }
        CountingFileSystem.CALLS.clear();
        for (int region = 1; region <= 20; region++) {
            assertThat(stampOf(stamps(region))).isZero();
        }
        assertThat(CountingFileSystem.CALLS).hasSize(20);
    }

    /** Each flush makes one call to the NameNode, whatever other regions the table has. */
    @Test
    void recordingAStampListsNothing() throws IOException {
        CountingFileSystem.use(conf, root);
        for (int region = 1; region <= 20; region++) {
            stamps(region).record(NOW, 0);
        }
        StampFiles stamps = stamps(7);
        CountingFileSystem.CALLS.clear();
        stamps.find();
        stamps.record(NOW + 1, 0);
        stamps.record(NOW + 2, 0);
        assertThat(CountingFileSystem.CALLS).containsExactly("listStatus", "rename", "rename");
    }

    /** A merged region has the horizon of both parents' rows. */
    @Test
    void theHorizonOfARegionIsTheHighestOfAllRegionsThatHeldItsRows() throws IOException {
        assertThat(stamps(1, "", "m").find()).isEmpty();
        stamps(1, "", "m").record(NOW, 7);
        stamps(2, "m", "").record(NOW, Long.MAX_VALUE - 1);
        assertThat(horizonOf(stamps(1, "", "m"))).hasValue(7);
        assertThat(horizonOf(stamps(3, "c", "d"))).hasValue(7);
        assertThat(horizonOf(stamps(3, "c", "z"))).hasValue(Long.MAX_VALUE - 1);
    }

    /** Stamp and horizon grow independently of each other. */
    @Test
    void aLateHorizonLowersNothing() throws IOException {
        StampFiles stamps = stamps(1);
        stamps.record(NOW, 7);
        stamps.record(NOW - 1, 9);
        stamps.record(NOW + 1, 8);
        assertThat(stamps(1).find()).hasValue(new StampFiles.Recorded(NOW + 1, OptionalLong.of(9)));
    }

    @Test
    void reportsNoHorizonForRowsWithoutARecord() throws IOException {
        stamps(1, "", "m").record(NOW, 7);
        assertThat(stamps(2, "", "").find()).hasValue(new StampFiles.Recorded(NOW, OptionalLong.empty()));
    }

    @Test
    void findsRecordedStampsInEveryLocale() throws IOException {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG"));
        try {
            stamps(1).record(NOW, 10);
            assertThat(stamps(1).find()).hasValue(new StampFiles.Recorded(NOW, OptionalLong.of(10)));
        } finally {
            Locale.setDefault(before);
        }
    }

    /** While another index existed, or none, the timestamps that concern this one were not tracked. */
    @Test
    void ignoresAHorizonOfOtherIndexes() throws IOException {
        stamps(1, "", "", "city").record(NOW, 7);
        StampFiles withAnother = stamps(1, "", "", "age");
        assertThat(withAnother.find()).hasValue(new StampFiles.Recorded(NOW, OptionalLong.empty()));
        withAnother.record(NOW, 20);
        assertThat(stamps(1, "", "", "age").find()).hasValue(new StampFiles.Recorded(NOW, OptionalLong.of(20)));
        assertThat(horizonOf(stamps(1, "", "", "city"))).isEmpty();
    }

    @Test
    void aStampFileWithoutAHorizonYieldsNone() throws IOException {
        stamps(1).record(NOW, 7);
        Path file = theFile();
        Files.move(file, file.resolveSibling(Long.toString(NOW)));
        assertThat(stamps(1).find()).hasValue(new StampFiles.Recorded(NOW, OptionalLong.empty()));
        assertThat(horizonOf(stamps(2, "c", "d"))).isEmpty();
    }

    /** Two concurrent flushes leave two files; the next record replaces them by one. */
    @Test
    void usesTheHighestStampAndHorizonOfSeveralFiles() throws IOException {
        stamps(1).record(NOW, 9);
        Path file = theFile();
        Files.copy(
                file,
                file.resolveSibling(file.getFileName()
                        .toString()
                        .replaceFirst("^[0-9]+-[0-9a-f]+", (NOW + 3) + "-0000000000000007")));
        StampFiles stamps = stamps(1);
        assertThat(stamps.find()).hasValue(new StampFiles.Recorded(NOW + 3, OptionalLong.of(9)));
        stamps.record(NOW + 4, 0);
        assertThat(file.getParent()).isDirectoryNotContaining("regex:.*/(" + NOW + "|" + (NOW + 3) + ")-.*");
        assertThat(stamps(1).find()).hasValue(new StampFiles.Recorded(NOW + 4, OptionalLong.of(9)));
    }

    private Path theFile() throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve("diffindex"))) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().endsWith(".crc"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static OptionalLong horizonOf(StampFiles stamps) throws IOException {
        return stamps.find().map(StampFiles.Recorded::horizon).orElse(OptionalLong.empty());
    }

    @Test
    void recordsAStampAgainAfterAllWereRemoved() throws IOException {
        StampFiles stamps = stamps(1);
        stamps.record(NOW, 0);
        TableFiles.list(conf, Flights.TABLE).remove();
        assertThat(stampOf(stamps(1))).isZero();
        stamps.record(NOW + 1, 0);
        assertThat(stampOf(stamps(1))).isEqualTo(NOW + 1);
    }

    /** A region that cannot open is worse than an unknown file. */
    @ParameterizedTest
    @ValueSource(strings = {"README", "notes-5", "-5", "99999999999999999999", ".tmp-7"})
    void ignoresAndKeepsForeignFiles(String name) throws IOException {
        StampFiles stamps = stamps(1);
        stamps.record(NOW, 0);
        Path stray = theFile().resolveSibling(name);
        Files.writeString(stray, "of somebody else");
        assertThat(stampOf(stamps(1))).isEqualTo(NOW);
        stamps.record(NOW + 1, 0);
        assertThat(stampOf(stamps(1))).isEqualTo(NOW + 1);
        assertThat(stray).exists();
    }

    @Test
    void tellsNothingBesideAFileOfALaterBuild() throws IOException {
        StampFiles stamps = stamps(1);
        stamps.record(NOW, 0);
        Path later = Files.writeString(theFile().resolveSibling(".later-2"), "");
        assertThatThrownBy(() -> stampOf(stamps(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(".later-2 was written by a later build of Diff-Index");
        Files.delete(later);
        assertThat(stampOf(stamps(1))).isEqualTo(NOW);
    }

    /** A region without stamps of its own looks for those of others there. */
    @Test
    void tellsNothingIfTheTableHasAFileOfALaterBuild() throws IOException {
        stamps(1, "", "").record(NOW, 0);
        Path later = Files.writeString(theFile().getParent().resolveSibling(".later-2"), "");
        assertThatThrownBy(() -> stampOf(stamps(2, "", "m")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(".later-2 was written by a later build of Diff-Index");
        assertThat(stampOf(stamps(1, "", "")))
                .as("a region that does not look there")
                .isEqualTo(NOW);
        Files.delete(later);
        assertThat(stampOf(stamps(2, "", "m"))).isEqualTo(NOW);
    }

    /** Records the calls that each make one call to the NameNode. */
    public static final class CountingFileSystem extends org.apache.hadoop.fs.RawLocalFileSystem {
        static final List<String> CALLS = new CopyOnWriteArrayList<>();

        static void use(Configuration conf, Path root) {
            conf.setClass("fs.counting.impl", CountingFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
            conf.set(HConstants.HBASE_DIR, "counting://" + root.toAbsolutePath());
        }

        @Override
        public java.net.URI getUri() {
            return java.net.URI.create("counting:///");
        }

        @Override
        public org.apache.hadoop.fs.FileStatus[] listStatus(org.apache.hadoop.fs.Path folder) throws IOException {
            CALLS.add("listStatus");
            return super.listStatus(folder);
        }

        @Override
        public boolean rename(org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to) throws IOException {
            CALLS.add("rename");
            return super.rename(from, to);
        }

        @Override
        public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
            CALLS.add("delete");
            return super.delete(path, recursive);
        }
    }

    private static long stampOf(StampFiles stamps) throws IOException {
        return stamps.find().map(StampFiles.Recorded::stamp).orElse(0L);
    }

    private StampFiles stamps(long regionId) throws IOException {
        return stamps(regionId, "", "");
    }

    private StampFiles stamps(long regionId, String start, String end) throws IOException {
        return stamps(regionId, start, end, "city");
    }

    private StampFiles stamps(long regionId, String start, String end, String id) throws IOException {
        return StampFiles.of(
                conf,
                RegionInfoBuilder.newBuilder(Flights.TABLE)
                        .setRegionId(regionId)
                        .setStartKey(Bytes.toBytes(start))
                        .setEndKey(Bytes.toBytes(end))
                        .build(),
                List.of(IndexDefinition.builder(Flights.TABLE, "by_city")
                        .column("f", "city", ColumnTypes.STRING)
                        .build()
                        .withId(id)));
    }
}
