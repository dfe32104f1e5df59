package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.ColumnsChange;
import org.diffindex.client.ColumnsChangeListener;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A region server is killed while the columns of an index change and change back, beside clients that write and read. */
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
@Tag("proof")
class ColumnsChangeCrashIT {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.withDiffIndex();

    @Test
    void everyReadIsRightWhileTheColumnsChangeAndAServerDies() throws Exception {
        LocalCluster cluster = processes.get();
        ExecutorService killer = Executors.newSingleThreadExecutor();
        try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
                IndexedFixture fixture = new IndexedFixture(
                        connection,
                        1,
                        name -> List.of(IndexDefinition.builder(name, CityClients.BY_CITY)
                                .column("f", "city", ColumnTypes.STRING)
                                .scheme(IndexScheme.SYNC_FULL)
                                .splitAt("city15")
                                .build()));
                CityClients clients = new CityClients(connection, fixture.name, IndexScheme.SYNC_FULL)) {
            clients.start();
            IndexDefinition first = fixture.admin.describeIndex(fixture.name, CityClients.BY_CITY);
            IndexDefinition second = IndexDefinition.builder(fixture.name, CityClients.BY_CITY)
                    .column("f", "city", ColumnTypes.STRING)
                    .column("f", "note", ColumnTypes.STRING)
                    .splitAt("city15")
                    .build();
            for (IndexDefinition wanted : List.of(second, first)) {
                CountDownLatch building = new CountDownLatch(1);
                Future<?> kill = killer.submit(() -> {
                    building.await();
                    cluster.kill("rs2");
                    cluster.restart(List.of("rs2"), PATIENCE);
                    return null;
                });
                changeAgainAndAgain(connection, wanted, building);
                kill.get();
                clients.requireRunning();
            }
            clients.stop();
            assertThat(clients.writes.get()).isPositive();
            fixture.assertIndexesEqualBase();
            assertThat(fixture.admin
                            .describeIndex(fixture.name, CityClients.BY_CITY)
                            .hasShapeOf(first))
                    .isTrue();
        } finally {
            killer.shutdownNow();
        }
    }

    /** The same call continues a change that has failed, as when a region could not be opened in time. */
    private static void changeAgainAndAgain(Connection connection, IndexDefinition wanted, CountDownLatch building)
            throws IOException {
        ColumnsChangeListener listener = new ColumnsChangeListener() {
            @Override
            public void begins(Step step) {
                if (step == Step.BUILD) {
                    building.countDown();
                }
            }

            @Override
            public void progress(BuildStatus status) {}
        };
        for (int i = 1; ; i++) {
            try {
                ColumnsChange.run(connection, wanted, BuildOptions.DEFAULT, listener);
                return;
            } catch (IOException e) {
                if (i == 5) {
                    throw e;
                }
            }
        }
    }
}
