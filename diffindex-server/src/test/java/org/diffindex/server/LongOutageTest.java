package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests outages of index tables that last so long that HBase drops the sequence numbers of cells when it compacts their
 * files, unless something reads the past: {@code hbase.hstore.compaction.keep.seqId.period}, by default five days.
 */
class LongOutageTest {
    private static final byte[] ROW = Bytes.toBytes("r");
    private static final byte[] OTHER = Bytes.toBytes("other");

    @TempDir
    Path folder;

    private LocalTable table;
    private FakeConnection network;

    /** The writes of a test. */
    @FunctionalInterface
    private interface Writes {
        void make() throws IOException;
    }

    @Test
    void deliversSpilledUpdatesAfterCompactionsOfOldFiles() throws IOException {
        deliverAfterAnOutage(TableShape.VERSIONS_1, () -> putInIndexedColumn("before"), () -> {
            putInIndexedColumn("meanwhile");
            table.flush();
            table.move();
            age(Duration.ofDays(6));
        });
    }

    /**
     * HBase drops an overwritten value when all files are compacted into one, even if a scanner still has to see it.
     */
    @Test
    void deliversPendingChangesOfCellsOverwrittenInPlaceUnderNewVersionBehavior() throws IOException {
        deliverAfterAnOutage(TableShape.NEW_VERSION_BEHAVIOR, () -> putInIndexedColumn("before", 1), () -> {
            network.faults.end();
            network.faults.hold();
            put(OTHER, "holds the APS up", 1);
            Waiting.until("the delivery waits", () -> network.faults.waiting() > 0);
            putInIndexedColumn("meanwhile", 1);
        });
    }

    private void deliverAfterAnOutage(TableShape shape, Writes before, Writes meanwhile) throws IOException {
        try (ManualClock clock = ManualClock.install(System.currentTimeMillis())) {
            network = new FakeConnection();
            table = shape.open(folder, clock, network);
            try (LocalTable opened = table) {
                before.make();
                assertThat(opened.drain()).isZero();

                network.faults.outage();
                meanwhile.make();
                opened.compact();

                network.faults.end();
                assertThat(opened.drain()).isZero();
                assertThatTheIndexesHoldWhatTheBaseShows();
            }
        }
    }

    private void putInIndexedColumn(String value) throws IOException {
        putInIndexedColumn(value, HConstants.LATEST_TIMESTAMP);
    }

    private void putInIndexedColumn(String value, long timestamp) throws IOException {
        put(ROW, value, timestamp);
    }

    private void put(byte[] row, String value, long timestamp) throws IOException {
        Put put = new Put(row).addColumn(Column.A.family(), Column.A.qualifier(), timestamp, Bytes.toBytes(value));
        try {
            table.regionOf(row).put(put);
        } catch (IndexUpdateDelayedException e) {
            assertThat(network.faults.any()).isTrue();
        }
    }

    /** Ages the files, because HBase goes by their modification times. */
    private void age(Duration age) throws IOException {
        FileTime then = FileTime.from(Instant.now().minus(age));
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, then);
            }
        }
    }

    private void assertThatTheIndexesHoldWhatTheBaseShows() throws IOException {
        for (IndexDefinition index : table.indexes()) {
            var expected = LocalTable.expected(index, table.visible(List.of("r", "other")));
            if (index.scheme().leavesStaleEntries()) {
                assertThat(table.entries(index)).as(index.name()).containsAll(expected);
            } else {
                assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
            }
        }
    }
}
