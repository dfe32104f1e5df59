package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.queue.QueueMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that writes during an outage cause few files, though other updates hold more than half of the memory. */
class OutageFilesTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final int WRITES = 4_000;
    private static final int LIMIT = 2 << 20;
    private static final int OF_OTHERS = LIMIT * 5 / 8;

    @TempDir
    Path folder;

    @Test
    void writesFewFiles() throws IOException {
        try (LocalRegion local =
                new LocalRegion(folder, 1, List.of(INDEX), Map.of(Settings.QUEUE_MAX_BYTES, Integer.toString(LIMIT)))) {
            QueueMemory memory = ServerParts.of(local).memory();
            memory.reserve(OF_OTHERS);
            local.network().failures.outage(true);
            for (int i = 0; i < WRITES; i++) {
                write(local, i);
            }
            awaitDisk(local);
            assertThat(local.spillFiles())
                    .as("files of at least a hundred changes each")
                    .hasSizeBetween(1, WRITES / 100);

            memory.release(OF_OTHERS);
            local.network().failures.outage(false);
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(INDEX).entries()).hasSize(WRITES);
            Waiting.until("the files are removed", () -> local.spillFiles().isEmpty());
            Waiting.until("nothing holds memory", () -> memory.used() == 0);
        }
    }

    /** Waits until what the writes have caused is on disk. */
    private static void awaitDisk(LocalRegion local) {
        CompletableFuture.runAsync(() -> {}, ServerParts.of(local).diskThread()).join();
    }

    private static void write(LocalRegion local, int i) {
        Put put = new Put(row("r" + i)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes("ORD"));
        Waiting.until("the write is admitted", () -> {
            try {
                local.region().put(put);
                return true;
            } catch (RegionTooBusyException e) {
                return false;
            }
        });
    }
}
