package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.Flights.F;
import static org.diffindex.server.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The filling of an index whose writers go on. */
class IndexFillTest {
    /** By then the AUQ pauses for seconds between its tries. */
    private static final long TRIES = 6;

    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    @TempDir
    Path folder;

    @Test
    void anEntryThatIsFilledInWhileTheQueueWaitsIsEndedByTheNextWrite() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            local.network().failures.outage(true);
            put(local, "other", "LAX");
            Waiting.until("the AUQ pauses for long", () -> local.status().getRetries() >= TRIES);
            put(local, "r", "ORD");
            local.network().failures.outage(false);
            assertThat(fill(local).getEntries()).isEqualTo(2);
            put(local, "r", "JFK");
            assertThat(local.status().getQueued()).as("changes that wait").isGreaterThan(1);

            assertThat(local.drain()).isZero();

            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
        }
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }

    private static FillResponse fill(LocalRegion local) {
        List<FillResponse> responses = new ArrayList<>();
        local.endpoint()
                .fill(
                        new ServerRpcController(),
                        FillRequest.newBuilder()
                                .setIndex(INDEX.name())
                                .setMaxRows(100)
                                .build(),
                        responses::add);
        return responses.get(0);
    }
}
