package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.PlainFileSystem;
import org.diffindex.server.sequences.Step;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a file system that fails once when a region records its stamps while it opens or closes: that ends no server,
 * and the next server continues from the stamps though its clock is behind.
 */
class StampFaultsTest {
    private static final byte[] ROW = Flights.row("r0");
    private static final int BEHIND_MS = -20_000;

    @TempDir
    Path folder;

    private ManualClock clock;
    private LocalTable table;

    @BeforeEach
    void open() throws IOException {
        clock = ManualClock.install(1_700_000_000_000L);
        table = TableShape.VERSIONS_1.open(folder, clock, new FakeConnection());
    }

    @AfterEach
    void close() throws IOException {
        table.close();
        clock.close();
    }

    /** A daughter has no stamps of its own before; the server would be aborted, and then the next one. */
    @Test
    void aRegionOpensThoughItsStampsCannotBeRecorded() throws IOException {
        put("first");
        table.flush();
        PlainFileSystem.failNextIn(stamps());
        table.split(Flights.row("s")); // the row is in the daughter that opens first
        failedButServes();
        clock.move(BEHIND_MS);
        put("second");
        table.die();
        clock.move(BEHIND_MS);
        table.recover();
        put("third");
        indexesAreExact();
    }

    @Test
    void theNextServerFindsTheStampsThoughTheyWereNotRecordedWhenTheRegionOpened() throws IOException {
        put("first");
        table.flush();
        PlainFileSystem.failNextIn(stamps());
        table.split(Flights.row("s")); // the row is in the daughter that opens first
        failedButServes();
        table.die();
        clock.move(BEHIND_MS);
        table.recover();
        put("second");
        indexesAreExact();
    }

    /** Only the first attempt fails; the flush that closes the region records the stamps. */
    @Test
    void aRegionClosesThoughItsStampsCannotBeRecordedBeforeItsLastFlush() throws IOException {
        put("first");
        PlainFileSystem.failNextIn(stamps());
        clock.move(BEHIND_MS);
        table.move();
        failedButServes();
        put("second");
        table.die();
        clock.move(BEHIND_MS);
        table.recover();
        put("third");
        indexesAreExact();
    }

    private void failedButServes() {
        assertThat(PlainFileSystem.hasFailedIn(stamps()))
                .as("whether the fault occurred")
                .isTrue();
        assertThat(table.isServerAborted()).as("whether the server was aborted").isFalse();
    }

    private Path stamps() {
        return folder.resolve("diffindex").resolve("stamps");
    }

    private void put(String value) throws IOException {
        Step.Column column = Step.Column.A;
        table.regionOf(ROW).put(new Put(ROW).addColumn(column.family(), column.qualifier(), Bytes.toBytes(value)));
        assertThat(table.visible(List.of("r0")).get("r0")).hasSize(1);
        assertThat(table.drain()).isZero();
    }

    private void indexesAreExact() throws IOException {
        for (IndexDefinition index : table.indexes()) {
            var expected = LocalTable.expected(index, table.visible(List.of("r0")));
            if (index.scheme().leavesStaleEntries()) {
                assertThat(table.entries(index)).as(index.name()).containsAll(expected);
            } else {
                assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
            }
        }
    }
}
