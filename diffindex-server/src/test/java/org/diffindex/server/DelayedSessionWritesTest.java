package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.SessionChange;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests writes in sessions, on a table without a synchronous index, while rows cannot be read and memory is short: their
 * outcome is delayed, and the AUQ goes to disk.
 */
class DelayedSessionWritesTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SESSION);
    private static final int LIMIT = 32 << 10;

    @TempDir
    Path folder;

    @Test
    void noFileIsLeftWhenAllUpdatesAreDelivered() throws IOException {
        try (LocalRegion local =
                new LocalRegion(folder, 1, List.of(INDEX), Map.of(Settings.QUEUE_MAX_BYTES, Integer.toString(LIMIT)))) {
            local.base().failures.outage(true);
            int[] next = {0};
            Waiting.until("the AUQ is on disk", () -> {
                write(local, next[0]++);
                return local.status().getSpilledFiles() > 0;
            });
            local.base().failures.outage(false);
            assertThat(local.drain()).isZero();
            Waiting.until(
                    "nothing holds memory", () -> ServerParts.of(local).memory().used() == 0);
            Waiting.until("the files are removed", () -> local.spillFiles().isEmpty());
            assertThat(local.status().getSpilledFiles())
                    .as("spill files that wait on disk, in status and metrics")
                    .isZero();
        }
    }

    private static void write(LocalRegion local, int i) throws IOException {
        Delete delete = new Delete(row("r" + i)).addColumns(F, Bytes.toBytes("origin"));
        delete.setAttribute(SessionChange.ATTRIBUTE, new byte[0]);
        try {
            local.region().delete(delete);
        } catch (IndexUpdateDelayedException | RegionTooBusyException e) {
            assertThat(e).isNotNull(); // the outcomes that a client is told of
        }
    }
}
