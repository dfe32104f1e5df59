package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a spill file of a synchronous index that cannot be read: writes cannot deliver its updates, and report that.
 */
class UnreadableSpillTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_FULL);

    @TempDir
    Path folder;

    /** With two write handlers, one may wait. */
    @Test
    void aWriteThatWaitsForTheFileCountsAsAWaitingHandler() throws Exception {
        writeAFileThatCannotBeRead();
        ExecutorService client = Executors.newSingleThreadExecutor();
        try (LocalRegion local =
                new LocalRegion(folder, 1, List.of(INDEX), Map.of(HConstants.REGION_SERVER_HANDLER_COUNT, "2"))) {
            Future<?> first = client.submit(() -> {
                local.region().put(put("r"));
                return null;
            });
            Waiting.until(
                    "its handler waits too long",
                    () -> ServerParts.of(local).waitingHandlers().areTooMany());
            assertThatThrownBy(() -> local.region().put(put("s"))).isInstanceOf(RegionTooBusyException.class);
            assertThatThrownBy(() -> first.get(1, TimeUnit.MINUTES))
                    .hasCauseInstanceOf(IndexUpdateDelayedException.class);
            Waiting.until(
                    "no handler waits",
                    () -> !ServerParts.of(local).waitingHandlers().areTooMany());
        } finally {
            client.shutdownNow();
        }
    }

    private void writeAFileThatCannotBeRead() throws IOException {
        var conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        SpillFiles files =
                SpillFiles.of(conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(INDEX));
        var file = files.write(List.of(RowChange.of(row("r"), 1, 1, 1)), IndexSet.of(INDEX));
        byte[] cutOff = {1, 2, 3};
        Files.write(Path.of(file.toUri()), cutOff);
        assertThat(files.tryRead(file)).isEmpty();
    }

    private static Put put(String row) {
        return new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes("ORD"));
    }
}
