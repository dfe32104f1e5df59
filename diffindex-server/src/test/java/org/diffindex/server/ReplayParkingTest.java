package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a replay parks its changes on disk when other regions hold all memory. */
class ReplayParkingTest {
    private static final int EDITS = 2_000;
    private static final int LIMIT = 1 << 20;

    @TempDir
    Path folder;

    @Test
    void writesFewFilesAndUsesBoundedMemory() throws IOException {
        try (LocalRegion local = new LocalRegion(
                folder,
                1,
                List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)),
                Map.of(Settings.QUEUE_MAX_BYTES, Integer.toString(LIMIT)))) {
            var memory = ServerParts.of(local).memory();
            local.network().failures.outage(true);
            memory.reserve(LIMIT);
            long most = 0;
            for (int i = 0; i < EDITS; i++) {
                replay(local, i);
                most = Math.max(most, memory.used() - LIMIT);
            }
            assertThat(most).isPositive().isLessThan(memory.worthAFile() + 1_000);
            assertThat(local.spillFiles())
                    .as("files of at least a hundred changes each")
                    .hasSizeBetween(1, EDITS / 100);

            memory.release(LIMIT);
            local.network().failures.outage(false);
            replayIsOver(local);
            assertThat(local.drain()).isZero();
            Waiting.until("the files are removed", () -> local.spillFiles().isEmpty());
        }
    }

    private static void replay(LocalRegion local, int i) throws IOException {
        WALKeyImpl key = new WALKeyImpl(
                local.region().getRegionInfo().getEncodedNameAsBytes(),
                Flights.TABLE,
                100 + i,
                0,
                HConstants.DEFAULT_CLUSTER_ID);
        WALEdit edit = new WALEdit();
        edit.add(cell("r" + i, "origin", "ORD", 1_000 + i));
        local.region()
                .getCoprocessorHost()
                .findCoprocessor(IndexObserver.class)
                .preWALRestore(null, local.region().getRegionInfo(), key, edit);
    }

    /** Wakes the APS by a write, as the opening would; this region was open all the time. */
    private static void replayIsOver(LocalRegion local) throws IOException {
        local.region().put(new Put(row("a")).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes("LAX")));
    }
}
