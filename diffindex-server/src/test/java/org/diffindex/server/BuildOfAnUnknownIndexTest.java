package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a region answers that HBase has not opened again yet with a new index, as it does one after the other. */
class BuildOfAnUnknownIndexTest {
    @TempDir
    Path folder;

    /** As {@link NamedIndex#toBackfill} does: the client asks again, and does not take the index for dropped. */
    @Test
    void asksForARetryIfTheRegionHasNotBeenOpenedWithTheIndexYet() throws IOException {
        IndexDefinition known = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(known))) {
            for (String name : List.of("a_new_one", known.name())) {
                ServerRpcController controller = new ServerRpcController();
                local.endpoint()
                        .build(
                                controller,
                                BuildRequest.newBuilder()
                                        .setIndex(name)
                                        .setIndexId("its-id")
                                        .build(),
                                answer -> {});
                assertThat(controller.getFailedOn())
                        .isInstanceOf(IOException.class)
                        .isNotInstanceOf(DoNotRetryIOException.class)
                        .hasMessageContaining("as this region was opened with");
            }
        }
    }
}
