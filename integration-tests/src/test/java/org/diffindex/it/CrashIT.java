package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.DoNotRetryIOException;
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
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Writes and indexes survive a crash of a region server: a real cluster of processes, SIGKILL, and plain HBase clients.
 */
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
class CrashIT {
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] CITY = Bytes.toBytes("city");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.withDiffIndex();

    private LocalCluster cluster;
    private Connection connection;
    private DiffIndexAdmin admin;
    private String test;

    @BeforeEach
    void connect(TestInfo info) throws IOException {
        test = info.getTestMethod().orElseThrow().getName();
        cluster = processes.get();
        connection = ConnectionFactory.createConnection(cluster.configuration());
        admin = new DiffIndexAdmin(connection);
    }

    @AfterEach
    void disconnect() throws IOException {
        admin.close();
        connection.close();
    }

    private TableName tableOf(IndexScheme scheme) {
        return TableName.valueOf(test + "-" + scheme.schemeName());
    }

    private void createTable(IndexScheme scheme) throws IOException {
        TableName name = tableOf(scheme);
        admin.createTable(
                TableDescriptorBuilder.newBuilder(name)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                        .build(),
                new byte[][] {Bytes.toBytes("row3"), Bytes.toBytes("row6")},
                IndexDefinition.builder(name, "by_city")
                        .column("f", "city", ColumnTypes.STRING)
                        .scheme(scheme)
                        .splitAt("city3", "city6")
                        .build());
    }

    private void assertIndexEqualsBase(IndexScheme scheme) throws IOException {
        assertThat(admin.drain(tableOf(scheme), PATIENCE)).isZero();
        ScrubReport report = IndexComparison.compare(connection, admin.describeIndex(tableOf(scheme), "by_city"));
        assertThat(report.isClean()).as(report.toString()).isTrue();
        assertThat(report.rows()).isPositive();
    }

    /** Writes a few rows repeatedly; every seventh write is a delete. */
    private void write(IndexScheme scheme, int writes, AtomicInteger done) throws IOException {
        try (Table table = connection.getTable(tableOf(scheme))) {
            for (int i = 0; i < writes; i++) {
                byte[] row = Bytes.toBytes("row" + i % 200);
                if (i % 7 == 6) {
                    table.delete(new Delete(row));
                } else {
                    table.put(new Put(row).addColumn(F, CITY, Bytes.toBytes("city" + i % 9)));
                }
                done.incrementAndGet();
            }
        }
    }

    @Test
    void everySchemeSurvivesTheDeathOfARegionServerUnderWrites() throws Exception {
        for (IndexScheme scheme : IndexScheme.values()) {
            createTable(scheme);
        }
        AtomicInteger done = new AtomicInteger();
        ExecutorService writers = Executors.newCachedThreadPool();
        try {
            List<Future<?>> writing = new ArrayList<>();
            for (IndexScheme scheme : IndexScheme.values()) {
                writing.add(writers.submit(() -> {
                    write(scheme, 1_500, done);
                    return null;
                }));
            }
            assertThat(Conditions.await(PATIENCE, () -> done.get() > 2_000)).isTrue();
            cluster.kill("rs2");
            for (Future<?> each : writing) {
                each.get(5, TimeUnit.MINUTES);
            }
        } finally {
            writers.shutdownNow();
        }
        for (IndexScheme scheme : IndexScheme.values()) {
            assertIndexEqualsBase(scheme);
        }
        cluster.restart("rs2");
    }

    @Test
    void undeliveredUpdatesAreRestoredFromTheWal() throws Exception {
        IndexScheme scheme = IndexScheme.ASYNC_SIMPLE;
        createTable(scheme);
        write(scheme, 300, new AtomicInteger());
        assertThat(admin.drain(tableOf(scheme), PATIENCE)).isZero();
        TableName indexTable = admin.describeIndex(tableOf(scheme), "by_city").indexTable();
        try (Admin hbase = connection.getAdmin()) {
            hbase.disableTable(indexTable);
            write(scheme, 600, new AtomicInteger());
            assertThat(admin.status(tableOf(scheme)).queued()).isPositive();
            List<String> servers = cluster.regionServers();
            cluster.kill(servers.get(0));
            cluster.kill(servers.get(1));
            hbase.enableTable(indexTable);
        }
        assertIndexEqualsBase(scheme);
    }

    @Test
    void clientsCannotHarmAnIndex() throws IOException {
        IndexScheme scheme = IndexScheme.SYNC_FULL;
        createTable(scheme);
        write(scheme, 10, new AtomicInteger());
        TableName indexTable = admin.describeIndex(tableOf(scheme), "by_city").indexTable();
        try (Admin hbase = connection.getAdmin();
                Table table = connection.getTable(indexTable)) {
            assertThatThrownBy(() -> table.put(new Put(Bytes.toBytes("x")).addColumn(Bytes.toBytes("i"), CITY, CITY)))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("nothing was written");
            hbase.disableTable(tableOf(scheme));
            assertThatThrownBy(() -> hbase.deleteTable(tableOf(scheme)))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("by_city");
            assertThatThrownBy(() -> hbase.truncateTable(indexTable, true))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("rebuild the index instead");
            hbase.enableTable(tableOf(scheme));
        }
        assertIndexEqualsBase(scheme);
    }
}
