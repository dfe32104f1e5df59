package org.diffindex.server.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.util.Progressable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RowChange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what is on disk if a server or the machine stops between two calls to the file system. */
class SpillFaultsTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_FULL);

    @TempDir
    Path root;

    private final Configuration conf = HBaseConfiguration.create();

    @BeforeEach
    void useFailingFileSystem() {
        conf.setClass("fs.failing.impl", Failing.class, FileSystem.class);
        conf.setBoolean("fs.failing.impl.disable.cache", true);
        conf.set(HConstants.HBASE_DIR, "failing://" + root);
        Failing.CALLS.clear();
        Failing.createsLeft = Integer.MAX_VALUE;
        Failing.deleted = 0;
        Failing.beforeDelete = () -> {};
    }

    /** A crash of the machine may lose what is not synced; the name alone would refer to a file that cannot be read. */
    @Test
    void syncsAFileBeforeItIsRenamed() throws IOException {
        files("", "").write(List.of(change("r")), IndexSet.all());
        assertThat(Failing.CALLS).containsExactly("create", "sync", "rename");
    }

    /** Before all links are created, nothing says that the region has looked. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aRegionInterruptedWhileItLooksForItsParentsFilesFindsThemWhenItOpensAgain(int creates) throws IOException {
        files("", "m").write(List.of(change("a")), IndexSet.all());
        files("m", "").write(List.of(change("q")), IndexSet.all());
        Failing.createsLeft = creates;
        assertThatThrownBy(() -> files("", "").find()).hasMessageContaining("disk failed");
        Failing.createsLeft = Integer.MAX_VALUE;
        assertThat(files("", "").find()).hasSize(2);
        assertThat(files("", "").find()).as("when it opens once more").hasSize(2);
    }

    @Test
    void publishesNothingThatIsNotConfirmed() throws IOException {
        SpillFiles files = held(() -> {
            throw new IOException("The region is another server's");
        });
        assertThatThrownBy(() -> files.write(List.of(change("r")), IndexSet.all()))
                .hasMessage("The region is another server's");
        assertThat(Failing.CALLS).doesNotContain("rename");
        assertThat(files("", "").find()).isEmpty();
        assertThat(Failing.deleted).as("unfinished files that were removed").isOne();
    }

    /** The file may be for an index that the table has had only since the region was lost. */
    @Test
    void removesNothingThatIsNotConfirmed() throws IOException {
        org.apache.hadoop.fs.Path file = files("", "").write(List.of(change("r")), IndexSet.all());
        SpillFiles before = held(() -> {
            throw new IOException("The region is another server's");
        });
        assertThatThrownBy(() -> before.delivered(file)).hasMessage("The region is another server's");
        assertThat(files("", "").find()).containsExactly(file);
    }

    /** The region was the server's when it asked, and the next server opened it before the answer. */
    @Test
    void publishesNothingAfterTheNextServerHasLooked() throws IOException {
        SpillFiles next = files("", "");
        AtomicInteger asked = new AtomicInteger();
        SpillFiles before = held(() -> {
            if (asked.incrementAndGet() > 1) {
                throw new IOException("The region is another server's");
            }
            assertThat(next.find()).isEmpty();
        });
        assertThatThrownBy(() -> before.write(List.of(change("r")), IndexSet.all()))
                .hasMessage("The region is another server's");
        assertThat(next.find()).isEmpty();
        assertThat(Collections.frequency(Failing.CALLS, "sync"))
                .as("files that were written")
                .isOne();
    }

    /** The order to open the region waited while the server slept, and it looked for its WALs before it fell asleep. */
    @Test
    void writesAFileAgainThatALateOpeningRemoved() throws IOException {
        SpillFiles late = files("", "");
        AtomicInteger asked = new AtomicInteger();
        SpillFiles present = held(() -> {
            if (asked.incrementAndGet() == 1) {
                assertThat(late.find()).isEmpty();
            }
        });
        org.apache.hadoop.fs.Path file = present.write(List.of(change("r")), IndexSet.all());
        assertThat(files("", "").find()).containsExactly(file);
    }

    /** The last of the daughters removes the file, which would stay without the other one's mark. */
    @Test
    void marksAFileAgainIfALateOpeningRemovedTheMark() throws IOException {
        org.apache.hadoop.fs.Path file = files("", "").write(List.of(change("a"), change("q")), IndexSet.all());
        SpillFiles late = files("", "m");
        AtomicInteger asked = new AtomicInteger();
        SpillFiles left = SpillFiles.of(conf, region("", "m"), List.of(INDEX), () -> {
            if (asked.incrementAndGet() == 2) { // to publish the mark
                assertThat(late.find()).containsExactly(file);
            }
        });
        left.delivered(file);
        assertThat(left.find()).isEmpty();
        files("m", "").delivered(file);
        assertThat(files("", "").find()).isEmpty();
    }

    @Test
    void givesUpAFileThatIsRemovedAgainAndAgain() throws IOException {
        SpillFiles late = files("", "");
        SpillFiles present = held(() -> assertThat(late.find()).isEmpty());
        assertThatThrownBy(() -> present.write(List.of(change("r")), IndexSet.all()))
                .isInstanceOf(IOException.class);
        assertThat(Collections.frequency(Failing.CALLS, "sync")).isBetween(2, 10);
        assertThat(late.find()).isEmpty();
    }

    @Test
    void anOpeningThatIsNotConfirmedRemovesNothing() throws IOException {
        SpillFiles late = held(() -> {
            throw new IOException("The region is another server's");
        });
        SpillFiles present = held(() -> assertThatThrownBy(late::find).hasMessage("The region is another server's"));
        org.apache.hadoop.fs.Path file = present.write(List.of(change("r")), IndexSet.all());
        assertThat(Failing.CALLS).containsExactly("create", "sync", "rename");
        assertThat(files("", "").find()).containsExactly(file);
    }

    @Test
    void triesAFailingDiskOnce() throws IOException {
        Failing.createsLeft = 0;
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> held(asked::incrementAndGet).write(List.of(change("r")), IndexSet.all()))
                .hasMessage("The disk failed");
        assertThat(asked).hasValue(0);
    }

    @Test
    void asksForConfirmationOnlyWhenTheNextServerWouldSeeTheFile() throws IOException {
        List<String> doneBefore = new ArrayList<>();
        held(() -> doneBefore.addAll(Failing.CALLS)).write(List.of(change("r")), IndexSet.all());
        assertThat(doneBefore).containsExactly("create", "sync");
    }

    /** The server before asked in time, and renames when this one has listed the files. */
    @Test
    @Timeout(60)
    void findsAFileThatIsPublishedWhileTheRegionLooks() throws Exception {
        CountDownLatch isConfirming = new CountDownLatch(1);
        CountDownLatch isConfirmed = new CountDownLatch(1);
        SpillFiles before = held(() -> {
            isConfirming.countDown();
            awaitQuietly(isConfirmed);
        });
        FutureTask<org.apache.hadoop.fs.Path> write =
                new FutureTask<>(() -> before.write(List.of(change("r")), IndexSet.all()));
        Thread thread = new Thread(write);
        thread.start();
        isConfirming.await();
        Failing.beforeDelete = () -> {
            isConfirmed.countDown();
            join(thread);
        };
        assertThat(files("", "").find()).containsExactly(write.get());
    }

    private static void awaitQuietly(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void join(Thread thread) throws IOException {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private SpillFiles held(SpillFiles.Holding holding) throws IOException {
        return SpillFiles.of(conf, region("", ""), List.of(INDEX), holding);
    }

    private SpillFiles files(String start, String end) throws IOException {
        return SpillFiles.of(conf, region(start, end), List.of(INDEX));
    }

    private static RegionInfo region(String start, String end) {
        return RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setStartKey(Bytes.toBytes(start))
                .setEndKey(Bytes.toBytes(end))
                .setRegionId(start.isEmpty() && end.isEmpty() ? 1 : 2) // so that no two have one name
                .build();
    }

    private static RowChange change(String row) {
        return RowChange.of(row(row), 1, 101, 101);
    }

    /** Something that happens between two calls to the file system. */
    @FunctionalInterface
    private interface Event {
        void run() throws IOException;
    }

    /** Records the calls that create a file, and allows only a number of them. */
    public static final class Failing extends RawLocalFileSystem {
        static final List<String> CALLS = new ArrayList<>();
        static int createsLeft;
        static int deleted;

        /** An action before the next file is deleted. */
        private static Event beforeDelete = () -> {};

        @Override
        public URI getUri() {
            return URI.create("failing:///");
        }

        @Override
        public FSDataOutputStream create(
                org.apache.hadoop.fs.Path path,
                boolean overwrite,
                int bufferSize,
                short replication,
                long blockSize,
                Progressable progress)
                throws IOException {
            if (createsLeft-- == 0) {
                throw new IOException("The disk failed");
            }
            CALLS.add("create");
            return new FSDataOutputStream(
                    super.create(path, overwrite, bufferSize, replication, blockSize, progress), null) {
                @Override
                public void hsync() throws IOException {
                    CALLS.add("sync");
                    super.hsync();
                }
            };
        }

        @Override
        public boolean rename(org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to) throws IOException {
            CALLS.add("rename");
            return super.rename(from, to);
        }

        @Override
        public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
            Event before = beforeDelete;
            beforeDelete = () -> {};
            before.run();
            boolean isDeleted = super.delete(path, recursive);
            deleted += isDeleted ? 1 : 0;
            return isDeleted;
        }
    }
}
