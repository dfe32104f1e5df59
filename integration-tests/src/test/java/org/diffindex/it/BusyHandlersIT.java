package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.it.IndexedFixture.putOf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Region servers whose handlers are all busy with writes that wait for index writes on each other. If a handler waited
 * for one of the same pool, it would never be answered, and every write would time out.
 */
@Isolated
class BusyHandlersIT {
    private static final int HANDLERS = 2;
    private static final int WRITERS = 24;
    private static final int WRITES = 60;

    @Test
    void serversThatIndexIntoEachOtherMakeProgress() throws Exception {
        Configuration conf = HBaseConfiguration.create();
        conf.setInt(HConstants.REGION_SERVER_HANDLER_COUNT, HANDLERS);
        conf.setInt("hbase.client.pause", 20);
        String temporary = System.getProperty("java.io.tmpdir");
        try (EmbeddedCluster cluster = EmbeddedCluster.start(3, conf);
                Connection connection = ConnectionFactory.createConnection(cluster.conf());
                IndexedFixture fixture = new IndexedFixture(
                        connection,
                        1,
                        name -> List.of(IndexDefinition.builder(name, "sync")
                                .column("f", "city", ColumnTypes.STRING)
                                .scheme(IndexScheme.SYNC_FULL)
                                .splitAt("b", "c", "d", "e", "f")
                                .build()));
                Admin hbase = connection.getAdmin()) {
            assertThat(System.getProperty("java.io.tmpdir")).isEqualTo(temporary);
            hbase.balance();
            ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
            try {
                List<Future<?>> writing = new ArrayList<>();
                for (int w = 0; w < WRITERS; w++) {
                    int writer = w;
                    writing.add(writers.submit(() -> {
                        write(connection, fixture, writer);
                        return null;
                    }));
                }
                for (Future<?> each : writing) {
                    each.get(3, TimeUnit.MINUTES);
                }
            } finally {
                writers.shutdownNow();
            }
            fixture.assertIndexesEqualBase();
            assertThat(fixture.admin.status(fixture.name).retries()).isZero();
        }
    }

    /** Writes rows. A write that waits for long fails with an IndexUpdateDelayedException, and so does the test. */
    private static void write(Connection connection, IndexedFixture fixture, int writer) throws Exception {
        try (Table table = connection.getTable(fixture.name)) {
            for (int i = 0; i < WRITES; i++) {
                char region = (char) ('a' + (i * 7 + writer) % 26);
                table.put(putOf(region + "-" + writer, (char) ('a' + i % 6) + "-city"));
            }
        }
    }
}
