package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.deliver.IndexTableModel;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.LateIndexes;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what the next server, whose clock is behind, does with a row that was repaired just before a crash. */
class RepairBeforeACrashTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] ROW = Bytes.toBytes("r");

    @TempDir
    Path folder;

    /** The repair has deleted a wrong entry up to a stamp that is in no WAL. */
    @ParameterizedTest
    @EnumSource
    void theNextWriteAfterACrashHasItsEntry(IndexScheme scheme) throws Exception {
        try (ManualClock clock = ManualClock.install(START)) {
            FakeConnection network = new FakeConnection(TableShape.VERSIONS_1.bare());
            try (LocalTable table = TableShape.VERSIONS_1.openBare(folder, network)) {
                IndexDefinition index = new LateIndexes(table, network.faults, "repaired").create(scheme);
                IndexTableModel entries = network.index(index.indexTable());
                clock.move(5);
                put(table, "a");
                assertThat(table.drain()).isZero();
                byte[] wrong = new IndexKeyCodec(index).encode(List.of(Bytes.toBytes("b")), ROW);
                entries.apply(index.entryFormat().put(new IndexEntry(wrong, START), START));
                clock.move(20);
                table.repair(index, ROW, List.of(entries.visible().get(wrong)));
                assertThat(entries.visible().containsKey(wrong)).isFalse();
                table.die();
                clock.move(-15);
                table.recover();
                put(table, "b");
                assertThat(table.drain()).isZero();
                assertThat(table.entries(index)).containsAll(LocalTable.expected(index, table.visible(List.of("r"))));
            }
        }
    }

    private static void put(LocalTable table, String value) throws IOException {
        table.regionOf(ROW).put(new Put(ROW).addColumn(F, A, Bytes.toBytes(value)));
    }
}
