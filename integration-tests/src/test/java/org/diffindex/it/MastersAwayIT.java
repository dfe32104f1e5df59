package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RpcConnectionRegistry;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.zookeeper.ZKUtil;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.apache.zookeeper.KeeperException;
import org.diffindex.cli.DiffIndex;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.client.Session;
import org.diffindex.client.SessionOptions;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import picocli.CommandLine;

/** A cluster without any master: as long as definitions do not change, clients of indexes do not need one. */
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
class MastersAwayIT {
    private static final TableName TABLE = TableName.valueOf("masters-away");
    private static final String MASTER = "master";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** A bound that a client that waits for a master would exceed by far. */
    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.withDiffIndex();

    private LocalCluster cluster;
    private Connection connection;
    private IndexedTable indexed;
    private String row;

    @BeforeAll
    static void makeTable() throws IOException {
        try (Connection connection =
                        ConnectionFactory.createConnection(processes.get().configuration());
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            List<IndexDefinition> indexes = new ArrayList<>();
            for (IndexScheme scheme : IndexScheme.values()) {
                indexes.add(IndexDefinition.builder(TABLE, scheme.schemeName())
                        .column("f", "city", ColumnTypes.STRING)
                        .scheme(scheme)
                        .splitAt("m")
                        .build());
            }
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(TABLE)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                            .build(),
                    new byte[][] {Bytes.toBytes("h"), Bytes.toBytes("p")},
                    indexes.toArray(IndexDefinition[]::new));
        }
    }

    @BeforeEach
    void openAClientAndStopTheMaster(TestInfo info) throws IOException {
        row = info.getTestMethod().orElseThrow().getName();
        cluster = processes.get();
        connection = ConnectionFactory.createConnection(cluster.configuration());
        indexed = new IndexedTable(connection, TABLE);
        write(connection, putOf(row, "before"));
        for (IndexScheme scheme : IndexScheme.values()) {
            awaitRow(indexed, scheme, "before");
        }
        cluster.kill(MASTER);
    }

    @AfterEach
    void close() throws IOException {
        indexed.close();
        connection.close();
    }

    private static void write(Connection client, Put put) throws IOException {
        try (Table table = client.getTable(TABLE)) {
            table.put(put);
        }
    }

    private static List<String> rows(IndexScanner scanner) throws IOException {
        List<String> rows = new ArrayList<>();
        try (scanner) {
            for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }

    private static IndexQuery query(IndexScheme scheme, String city) {
        return IndexQuery.index(scheme.schemeName()).equalTo(city).build();
    }

    private void awaitRow(IndexedTable client, IndexScheme scheme, String city) throws IOException {
        assertThat(Conditions.await(
                        SOON, () -> rows(client.getByIndex(query(scheme, city))).contains(row)))
                .as("%s shows %s under %s", scheme, row, city)
                .isTrue();
    }

    /** Waits until ZooKeeper no longer tells clients where the master was. */
    private void awaitMasterForgotten() throws IOException {
        try (ZKWatcher zooKeeper = new ZKWatcher(cluster.configuration(), "masters-away", null)) {
            assertThat(Conditions.await(PATIENCE, () -> {
                        try {
                            return ZKUtil.checkExists(zooKeeper, zooKeeper.getZNodePaths().masterAddressZNode) == -1;
                        } catch (KeeperException e) {
                            throw new IOException(e);
                        }
                    }))
                    .isTrue();
        }
    }

    /** Asserts that a client writes, and reads by the index of each scheme, within a bounded time. */
    private void assertContinues(Connection client, IndexedTable table, String city) throws IOException {
        long start = System.nanoTime();
        write(client, putOf(row, city));
        for (IndexScheme scheme : IndexScheme.values()) {
            if (scheme.isAsynchronous()) {
                awaitRow(table, scheme, city);
            } else {
                assertThat(rows(table.getByIndex(query(scheme, city))))
                        .as("%s", scheme)
                        .contains(row);
            }
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
    }

    private void assertNewClientContinues(Configuration conf, String city) throws IOException {
        try (Connection client = ConnectionFactory.createConnection(conf);
                IndexedTable table = new IndexedTable(client, TABLE)) {
            assertContinues(client, table, city);
            assertThatThrownBy(() -> table.getIndex("nowhere")).isInstanceOf(NoSuchIndexException.class);
        }
    }

    /**
     * Asserts that a session sees its writes; it has memory for a few writes only, so that it drains the indexes
     * repeatedly.
     */
    private void assertSessionSeesItsWrites() throws IOException {
        SessionOptions small = SessionOptions.builder().maxBytes(40_000).build();
        try (Session session = indexed.openSession(small)) {
            for (int i = 0; i < 100; i++) {
                session.put(putOf(row, "session" + i));
                for (IndexScheme scheme :
                        List.of(IndexScheme.ASYNC_SESSION, IndexScheme.SYNC_INSERT, IndexScheme.SYNC_FULL)) {
                    assertThat(rows(session.getByIndex(query(scheme, "session" + i))))
                            .as("%s after write %d", scheme, i)
                            .containsExactly(row);
                }
            }
        }
    }

    private List<String> get(IndexScheme scheme, String city) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = DiffIndex.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        assertThat(command.execute(
                        "--conf",
                        cluster.layout().conf().toString(),
                        "get",
                        TABLE.getNameAsString(),
                        scheme.schemeName(),
                        city))
                .as(err.toString())
                .isZero();
        return out.toString().lines().toList();
    }

    /** Returns the configuration of a client that finds the tables through servers, not through ZooKeeper. */
    private Configuration configurationOfRpcRegistry() throws IOException {
        List<String> regionServers = cluster.regionServers();
        Configuration conf = cluster.configuration();
        conf.set(HConstants.CLIENT_CONNECTION_REGISTRY_IMPL_CONF_KEY, RpcConnectionRegistry.class.getName());
        conf.set(
                RpcConnectionRegistry.BOOTSTRAP_NODES,
                cluster.status().stream()
                        .filter(process -> regionServers.contains(process.name()))
                        .map(process -> "localhost:" + process.ports().get("rpc"))
                        .collect(Collectors.joining(",")));
        return conf;
    }

    @Test
    void anOpenClientContinuesAndEverythingWorksOnceAMasterIsBack() throws IOException {
        assertContinues(connection, indexed, "just then");
        awaitMasterForgotten();
        assertContinues(connection, indexed, "some time after");
        assertSessionSeesItsWrites();

        cluster.restart(MASTER);

        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.createIndex(IndexDefinition.builder(TABLE, "later")
                    .column("f", "city", ColumnTypes.STRING)
                    .build());
            assertThat(rows(indexed.getByIndex(
                            IndexQuery.index("later").equalTo("session99").build())))
                    .containsExactly(row);
            assertThat(admin.drain(TABLE, PATIENCE)).isZero();
            for (IndexDefinition index : admin.listIndexes(TABLE)) {
                ScrubReport report = IndexComparison.compare(connection, index);
                assertThat(report.isClean()).as(report.toString()).isTrue();
            }
        }
    }

    @Test
    void aClientThatStartsMeanwhileReadsAndWrites() throws IOException {
        assertNewClientContinues(cluster.configuration(), "just then");
        awaitMasterForgotten();
        assertNewClientContinues(cluster.configuration(), "some time after");
        assertNewClientContinues(configurationOfRpcRegistry(), "by servers");
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(get(scheme, "by servers")).as("%s", scheme).containsExactly("by servers\t" + row);
        }
    }
}
