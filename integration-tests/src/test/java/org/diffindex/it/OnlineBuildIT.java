package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Indexes of every scheme are built while eight writers change the rows, a region server and the master die, and regions
 * split: a real cluster of processes, and SIGKILL. A million rows, or as many as {@code diffindex.build.rows} says.
 */
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
@Tag("proof")
@Tag("turn-3")
class OnlineBuildIT {
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] CITY = Bytes.toBytes("city");
    private static final int WRITERS = 8;
    private static final int BATCH = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.withDiffIndex();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong delayed = new AtomicLong();
    private LocalCluster cluster;
    private Connection connection;
    private DiffIndexAdmin admin;
    private TableName name;

    @BeforeEach
    void connect(TestInfo info) throws IOException {
        name = TableName.valueOf(info.getTestMethod().orElseThrow().getName());
        cluster = processes.get();
        connection = ConnectionFactory.createConnection(cluster.configuration());
        admin = new DiffIndexAdmin(connection);
    }

    @AfterEach
    void disconnect() throws IOException {
        stopping.set(true);
        threads.shutdownNow();
        admin.close();
        connection.close();
    }

    @Test
    void buildsSurviveServersAndTheMaster() throws Exception {
        int rows = Integer.getInteger("diffindex.build.rows", 1_000_000);
        fill(rows);
        List<Future<?>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int seed = i;
            writers.add(threads.submit(() -> write(rows, new Random(seed))));
        }
        for (IndexScheme scheme : IndexScheme.values()) {
            admin.beginIndex(
                    IndexDefinition.builder(name, scheme.schemeName())
                            .column("f", "city", ColumnTypes.STRING)
                            .scheme(scheme)
                            .build(),
                    BuildOptions.DEFAULT.limitedTo(rows / 20.0));
        }
        awaitRowsBuilt(rows / 10);
        cluster.kill("rs2");
        awaitRowsBuilt(rows / 5);
        cluster.kill("master");
        cluster.restart(List.of("master", "rs2"), PATIENCE);
        splitARegion();
        awaitRowsBuilt(rows / 3);
        for (IndexScheme scheme : IndexScheme.values()) {
            BuildStatus status = admin.builds().limit(name, scheme.schemeName(), 0);
            assertThat(status.rowsPerSecond()).isEmpty();
        }
        for (IndexScheme scheme : IndexScheme.values()) {
            admin.awaitIndex(name, scheme.schemeName(), BuildListener.NONE);
            assertThat(admin.stateOf(name, scheme.schemeName())).contains(IndexState.ACTIVE);
        }
        long now = written.get();
        assertThat(Conditions.await(PATIENCE, () -> written.get() > now + 1_000))
                .as("the writers go on")
                .isTrue();
        stopping.set(true);
        for (Future<?> writer : writers) {
            writer.get();
        }
        assertThat(delayed.get())
                .as("writes that were answered late, of %,d", written.get())
                .isLessThan(written.get() / 10);
        assertThat(admin.drain(name, PATIENCE)).isZero();
        for (IndexDefinition index : admin.listIndexes(name)) {
            ScrubReport report = IndexComparison.compare(connection, index);
            assertThat(report.isClean()).as(report.toString()).isTrue();
            assertThat(report.rows()).isGreaterThan(rows / 2);
        }
    }

    private void fill(int rows) throws IOException {
        byte[][] splits = new byte[5][];
        for (int i = 0; i < splits.length; i++) {
            splits[i] = row((i + 1) * rows / 6);
        }
        try (Admin hbase = connection.getAdmin();
                Table table = connection.getTable(name)) {
            hbase.createTable(
                    TableDescriptorBuilder.newBuilder(name)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                            .build(),
                    splits);
            List<Put> batch = new ArrayList<>();
            for (int i = 0; i < rows; i++) {
                batch.add(put(i, i % 1_009));
                if (batch.size() == BATCH || i == rows - 1) {
                    table.put(batch);
                    batch.clear();
                }
            }
        }
    }

    private static byte[] row(int number) {
        return Bytes.toBytes("%08d".formatted(number));
    }

    private static Put put(int row, int city) {
        return new Put(row(row)).addColumn(F, CITY, Bytes.toBytes("city%04d".formatted(city)));
    }

    /** Changes random rows, and some that are new; every fourth write is a delete. */
    private Void write(int rows, Random random) throws IOException {
        try (Table table = connection.getTable(name)) {
            while (!stopping.get()) {
                try {
                    change(table, random.nextInt(rows + rows / 10), random);
                } catch (IndexUpdateDelayedException e) {
                    // The row is written, and the comparison holds the indexes to it. While the master is dead, nobody
                    // opens the regions of the killed server elsewhere, so a synchronous index may miss its deadline.
                    delayed.incrementAndGet();
                }
                written.incrementAndGet();
            }
        }
        return null;
    }

    private static void change(Table table, int row, Random random) throws IOException {
        if (random.nextInt(4) == 0) {
            table.delete(new Delete(row(row)));
        } else {
            table.put(put(row, random.nextInt(1_009)));
        }
    }

    /** Waits until every build has read that many rows. */
    private void awaitRowsBuilt(int rows) throws IOException {
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(Conditions.await(
                            PATIENCE,
                            () -> admin.builds()
                                            .status(name, scheme.schemeName())
                                            .rows()
                                    >= rows))
                    .as("%s has %,d rows: %s", scheme, rows, admin.builds().status(name, scheme.schemeName()))
                    .isTrue();
        }
    }

    private void splitARegion() throws Exception {
        try (Admin hbase = connection.getAdmin()) {
            byte[] last = hbase.getRegions(name).get(5).getRegionName();
            hbase.splitRegionAsync(last).get();
        }
    }
}
