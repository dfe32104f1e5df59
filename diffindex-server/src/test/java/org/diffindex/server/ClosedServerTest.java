package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/** Tests what the regions of a server share when the last of them is closed while a handler still writes entries. */
class ClosedServerTest {
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    /** Nothing closes a connection that is opened after the last region. */
    @Test
    void aLateWriteOpensNoConnectionThatNothingCloses() throws IOException {
        FakeConnection network = new FakeConnection();
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        network.serveIndex(index.indexTable());
        RegionCoprocessorEnvironment environment = FakeConnection.stub(RegionCoprocessorEnvironment.class);
        when(environment.getServerName()).thenReturn(ServerName.valueOf("server", 16020, 1));
        when(environment.getConfiguration()).thenReturn(new Configuration(false));
        when(environment.createConnection(org.mockito.ArgumentMatchers.any())).thenAnswer(call -> open(network));
        ServerIndexing server = new ServerIndexing(environment, new Platform());
        List<IndexUpdate> updates = List.of(IndexUpdate.put(index, new IndexEntry(Bytes.toBytes("key"), 1), 1));
        server.sink().write(updates);
        server.close();
        Throwable outcome = catchThrowable(() -> server.sink().write(updates));
        assertThat(opened.get() - closed.get()).as("connections left open").isZero();
        assertThat(outcome).isInstanceOf(IOException.class);
    }

    private Connection open(FakeConnection network) throws IOException {
        opened.incrementAndGet();
        Connection real = network.connection();
        boolean[] isClosed = new boolean[1];
        return (Connection) java.lang.reflect.Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "close" -> {
                            if (!isClosed[0]) {
                                isClosed[0] = true;
                                closed.incrementAndGet();
                            }
                            return null;
                        }
                        case "isClosed" -> {
                            return isClosed[0];
                        }
                        default -> {
                            return method.invoke(real, arguments);
                        }
                    }
                });
    }
}
