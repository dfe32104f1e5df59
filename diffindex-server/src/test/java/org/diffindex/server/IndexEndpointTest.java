package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/** Tests the answers of a region that maintains no index. */
class IndexEndpointTest {
    private final TableDescriptor bare =
            TableDescriptorBuilder.newBuilder(Flights.TABLE).build();
    private final TableDescriptor indexed = IndexDefinitions.with(bare, Flights.byOrigin(IndexScheme.SYNC_FULL));

    @Test
    void asksForARetryIfTheRegionIsAboutToReopenWithItsFirstIndex() {
        assertThat(failure(bare, indexed))
                .isInstanceOf(NotServingRegionException.class)
                .hasMessageContaining("opened again");
    }

    @Test
    void refusesACallForATableWithoutAnIndex() {
        assertThat(failure(bare, bare)).isInstanceOf(DoNotRetryIOException.class);
        assertThat(failure(indexed, bare)).isInstanceOf(DoNotRetryIOException.class);
    }

    @Test
    void refusesACallToAReplica() {
        assertThat(failure(indexed, indexed)).isInstanceOf(DoNotRetryIOException.class);
    }

    /** Returns the failure of a call to a region without indexes. */
    private static IOException failure(TableDescriptor opened, TableDescriptor stored) {
        IndexEndpoint endpoint = new IndexEndpoint(
                () -> null,
                () -> null,
                () -> new StoredDefinitions(opened, table -> Optional.of(stored)),
                () -> new CallPermissions(Flights.TABLE, Optional::empty));
        ServerRpcController controller = new ServerRpcController();
        endpoint.drain(controller, DrainRequest.getDefaultInstance(), answer -> {});
        return controller.getFailedOn();
    }
}
