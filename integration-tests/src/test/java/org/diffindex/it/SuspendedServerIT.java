package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests a region server that is suspended until after the end of its session, while others serve its regions. When it
 * resumes, and a client that does not know of the move calls it, it must not answer from its memory.
 */
@Isolated
class SuspendedServerIT {
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] CITY = Bytes.toBytes("city");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.withDiffIndex();

    private static LocalCluster cluster;

    private final ExecutorService reader = Executors.newSingleThreadExecutor();

    /** The process that a test suspended. */
    private String suspended;

    @BeforeAll
    static void useCluster() {
        cluster = processes.get();
    }

    /** A server that was suspended for too long ends, but not at once. */
    @AfterEach
    void startWhatEnds() throws IOException {
        reader.shutdownNow();
        if (suspended != null) {
            if (processes.isUp(suspended)) {
                cluster.resume(suspended);
            }
            assertThat(Conditions.await(PATIENCE, () -> !processes.isUp(suspended)))
                    .isTrue();
            cluster.restart(suspended);
        }
    }

    private void suspend(String process) throws IOException {
        cluster.suspend(process);
        suspended = process;
    }

    private static TableName create(Connection connection, IndexScheme scheme) throws IOException {
        TableName name = TableName.valueOf("suspended-" + scheme);
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(name)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                            .build(),
                    new byte[0][],
                    index(name, scheme));
        }
        return name;
    }

    private static IndexDefinition index(TableName name, IndexScheme scheme) {
        return IndexDefinition.builder(name, "by_city")
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    private static void put(Connection connection, TableName name, String row, String city) throws IOException {
        try (Table table = connection.getTable(name)) {
            table.put(new Put(Bytes.toBytes(row)).addColumn(F, CITY, Bytes.toBytes(city)));
        }
    }

    private static List<String> rows(Connection connection, TableName name, String city) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexedTable table = new IndexedTable(connection, name);
                IndexScanner hits = table.getByIndex(
                        IndexQuery.index("by_city").equalTo(city).build())) {
            hits.forEach(hit -> rows.add(Bytes.toString(hit.row())));
        }
        return rows;
    }

    private static HRegionLocation onlyRegion(Connection connection, TableName name) throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(name)) {
            locator.clearRegionLocationCache();
            return locator.getAllRegionLocations().get(0);
        }
    }

    /** Moves a table's only region to a server that has nothing else that the test needs. */
    private static String isolate(Connection connection, TableName name, TableName other) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            List<ServerName> taken = List.of(
                    onlyRegion(connection, TableName.META_TABLE_NAME).getServerName(),
                    onlyRegion(connection, other).getServerName());
            AtomicReference<ServerName> found = new AtomicReference<>();
            assertThat(Conditions.await(PATIENCE, () -> {
                        admin.getRegionServers().stream()
                                .filter(server -> !taken.contains(server))
                                .forEach(found::set);
                        return found.get() != null;
                    }))
                    .as("a region server with none of %s", taken)
                    .isTrue();
            ServerName free = found.get();
            byte[] region = onlyRegion(connection, name).getRegion().getEncodedNameAsBytes();
            assertThat(Conditions.await(PATIENCE, () -> {
                        if (free.equals(onlyRegion(connection, name).getServerName())) {
                            return true;
                        }
                        admin.move(region, free); // the master may assign it elsewhere if the server has just started
                        return false;
                    }))
                    .as("%s is on %s", name, free)
                    .isTrue();
            return cluster.status().stream()
                    .filter(process -> Integer.valueOf(free.getPort())
                            .equals(process.ports().get("rpc")))
                    .map(ProcessStatus::name)
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Waits until another server has the table's only region. */
    private static void awaitTakeover(Connection connection, TableName name, ServerName from) throws IOException {
        boolean taken = Conditions.await(
                PATIENCE, () -> !from.equals(onlyRegion(connection, name).getServerName()));
        if (!taken) {
            try (Admin admin = connection.getAdmin()) {
                ClusterMetrics metrics = admin.getClusterMetrics();
                fail("No other server than %s has %s; dead: %s; in transition: %s; procedures: %s"
                        .formatted(
                                from,
                                name,
                                metrics.getDeadServerNames(),
                                metrics.getRegionStatesInTransition(),
                                admin.getProcedures()));
            }
        }
    }

    /** Returns whether a thread waits for the answer to a call of HBase's client. */
    private static boolean aCallWaits() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().endsWith(".BlockingRpcCallback"));
    }

    private List<String> readWhileItWakesUp(Connection client, TableName name, String city, String process)
            throws Exception {
        Future<List<String>> read = reader.submit(() -> rows(client, name, city));
        assertThat(Conditions.await(PATIENCE, () -> read.isDone() || aCallWaits()))
                .isTrue();
        assertThat(read.isDone())
                .as("whether the read ended without asking the suspended server")
                .isFalse();
        cluster.resume(process);
        return read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void theIndexRegionsOfAResumedServerDoNotAnswer() throws Exception {
        try (Connection writer = ConnectionFactory.createConnection(cluster.configuration());
                Connection client = ConnectionFactory.createConnection(cluster.configuration())) {
            TableName name = create(writer, IndexScheme.SYNC_FULL);
            TableName index = index(name, IndexScheme.SYNC_FULL).indexTable();
            String process = isolate(writer, index, name);
            ServerName server = onlyRegion(writer, index).getServerName();
            put(writer, name, "r1", "ORD");
            assertThat(rows(client, name, "ORD")).containsExactly("r1");

            suspend(process);
            awaitTakeover(writer, index, server);
            put(writer, name, "r2", "ORD");

            assertThat(readWhileItWakesUp(client, name, "ORD", process)).containsExactly("r1", "r2");
        }
    }

    @Test
    void theBaseRegionsOfAResumedServerConfirmNoEntry() throws Exception {
        try (Connection writer = ConnectionFactory.createConnection(cluster.configuration());
                Connection client = ConnectionFactory.createConnection(cluster.configuration())) {
            TableName name = create(writer, IndexScheme.SYNC_INSERT);
            TableName index = index(name, IndexScheme.SYNC_INSERT).indexTable();
            String process = isolate(writer, name, index);
            ServerName server = onlyRegion(writer, name).getServerName();
            put(writer, name, "r1", "ORD");
            assertThat(rows(client, name, "ORD")).containsExactly("r1");

            suspend(process);
            awaitTakeover(writer, name, server);
            put(writer, name, "r1", "LAX");

            assertThat(readWhileItWakesUp(client, name, "ORD", process)).isEmpty();
            assertThat(rows(client, name, "LAX")).containsExactly("r1");
        }
    }
}
