package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the move of a region while updates of its indexes are outstanding. Its next server needs the values that they
 * replaced, which the flush at the close must not drop. In a family of medium objects, a store file holds only the
 * names of the files with the values.
 */
class MoveInAnOutageTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] ROW = Flights.row("r0");

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(TableShape.class)
    void deletesTheEntriesOfReplacedValues(TableShape shape) throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = shape.open(folder, clock, network)) {
            put(table, "first");
            assertThat(table.drain()).isZero();
            clock.move(1);
            network.failures.outage(true);
            assertThatThrownBy(() -> put(table, "second")).isInstanceOf(IndexUpdateDelayedException.class);
            table.move();
            network.failures.outage(false);
            assertThat(table.drain()).isZero();

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

    private static void put(LocalTable table, String value) throws IOException {
        table.regionOf(ROW).put(new Put(ROW).addColumn(Flights.F, Bytes.toBytes("A"), Bytes.toBytes(value)));
    }
}
