package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.cli.DiffIndex;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.Coprocessors;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.cluster.ClusterException;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.IndexComparison;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A local cluster of real processes serves plain HBase clients. */
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
class LocalClusterIT {
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final byte[][] SPLITS = {Bytes.toBytes("row-030"), Bytes.toBytes("row-060")};
    private static final byte[] QUALIFIER = Bytes.toBytes("q");
    private static final int ROWS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.plain(3, PlainHBase::classPath);

    private static LocalCluster cluster;

    @BeforeAll
    static void useCluster() {
        cluster = processes.get();
    }

    @Test
    void servesAPlainClientByItsSiteFile() throws IOException {
        TableName table = TableName.valueOf("plain");
        try (Connection connection = connect()) {
            fill(connection, table);

            assertThat(rows(connection, table)).hasSize(ROWS);
            assertThat(liveRegionServers(connection)).isEqualTo(3);
        }
    }

    @Test
    void isNotStartedTwice() {
        assertThatThrownBy(() -> LocalCluster.open(cluster.layout().dir()).start())
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("is running")
                .hasMessageContaining("nothing was started");
        assertThatThrownBy(() -> cluster.restart("rs1")).hasMessageContaining("rs1 is running already");
    }

    @Test
    void losesAKilledServerButNoRow() throws IOException {
        TableName table = TableName.valueOf("killed");
        try (Connection connection = connect()) {
            fill(connection, table);

            cluster.kill("rs2");

            assertThat(processes.isUp("rs2")).isFalse();
            awaitLiveRegionServers(connection, 2);
            assertThat(rows(connection, table)).hasSize(ROWS);

            cluster.restart("rs2");

            assertThat(processes.isUp("rs2")).isTrue();
            assertThat(liveRegionServers(connection)).isEqualTo(3);
            assertThat(rows(connection, table)).hasSize(ROWS);
        }
    }

    @Test
    void losesASuspendedServerWhichEndsWhenItResumes() throws IOException {
        try (Connection connection = connect()) {
            cluster.suspend("rs3");
            assertThat(processes.isUp("rs3")).isTrue();
            awaitLiveRegionServers(connection, 2);

            cluster.resume("rs3");

            assertThat(Conditions.await(PATIENCE, () -> !processes.isUp("rs3"))).isTrue();
            cluster.restart("rs3");
            assertThat(liveRegionServers(connection)).isEqualTo(3);
        }
    }

    @Test
    void keepsItsRowsAndPortsAcrossAStop() throws IOException {
        TableName table = TableName.valueOf("kept");
        try (Connection connection = connect()) {
            fill(connection, table);
        }

        cluster.stop();

        assertThat(cluster.status()).noneMatch(ProcessStatus::isUp);
        LocalCluster again = LocalCluster.open(cluster.layout().dir(), PlainHBase.classPath());
        again.start();
        assertThat(again.status()).allMatch(ProcessStatus::isUp);
        try (Connection connection = connect()) {
            assertThat(rows(connection, table)).hasSize(ROWS);
        }
    }

    @Test
    void runsAnIndexWhoseCoprocessorsComeFromAJarOnHdfs() throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.addResource(
                new org.apache.hadoop.fs.Path(cluster.layout().hbaseSite().toUri()));
        conf.set(Coprocessors.JAR_KEY, serverJarOnHdfs(conf));
        TableName name = TableName.valueOf("jar");
        try (Connection connection = ConnectionFactory.createConnection(conf);
                DiffIndexAdmin admin = new DiffIndexAdmin(connection);
                IndexedTable indexed = new IndexedTable(connection, name)) {
            admin.createTable(
                    descriptor(name),
                    SPLITS,
                    IndexDefinition.builder(name, "by_number")
                            .column("f", "q", ColumnTypes.INT)
                            .scheme(IndexScheme.ASYNC_SIMPLE)
                            .build());
            putRows(connection, name);

            assertThat(admin.drain(name, PATIENCE)).isZero();
            IndexQuery query = IndexQuery.index("by_number").from(10).to(20).build();
            try (IndexScanner hits = indexed.getByIndex(query)) {
                assertThat(hits).hasSize(10);
            }
            assertThat(IndexComparison.compare(connection, admin.describeIndex(name, "by_number"))
                            .isClean())
                    .isTrue();
            admin.dropIndex(name, "by_number");
            assertThat(rows(connection, name)).hasSize(ROWS);
        }
    }

    @Test
    void namesTheMissingJarIfTheCoprocessorsAreNotInstalled() throws IOException {
        TableName name = TableName.valueOf("nojar");
        try (Connection connection = connect();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection);
                Admin hbase = connection.getAdmin()) {
            IndexDefinition definition = byNumber(name);

            assertThatThrownBy(() -> admin.createTable(descriptor(name), SPLITS, definition))
                    .hasMessageContaining("diffindex-server's jar")
                    .hasMessageContaining(Coprocessors.JAR_KEY);

            assertThat(hbase.tableExists(name)).isFalse();
            assertThat(hbase.tableExists(definition.indexTable())).isFalse();
        }
    }

    /** The servers could load the coprocessors, but the masters have none. */
    @Test
    void createsNoIndexThatNobodyBuilds() throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.addResource(
                new org.apache.hadoop.fs.Path(cluster.layout().hbaseSite().toUri()));
        conf.set(Coprocessors.JAR_KEY, serverJarOnHdfs(conf));
        conf.setInt("diffindex.client.builder.ms", 100);
        TableName name = TableName.valueOf("nobuilder");
        try (Connection connection = ConnectionFactory.createConnection(conf);
                DiffIndexAdmin admin = new DiffIndexAdmin(connection);
                Admin hbase = connection.getAdmin()) {
            fill(connection, name);
            assertThatThrownBy(() -> admin.createIndex(byNumber(name)))
                    .hasMessageContaining("no master builds it")
                    .hasMessageContaining("Nothing was changed");
            assertThat(admin.listIndexes(name)).isEmpty();
            assertThat(hbase.tableExists(byNumber(name).indexTable())).isFalse();
        }
    }

    private static IndexDefinition byNumber(TableName table) {
        return IndexDefinition.builder(table, "by_number")
                .column("f", "q", ColumnTypes.INT)
                .build();
    }

    /** Checks {@link ProcessCluster}, on which other tests rely. */
    @Test
    void aServerThatEndsByItselfFailsTheTestAndLeavesItsLog() throws IOException {
        ExtensionContext test = mock(ExtensionContext.class);
        when(test.getTestMethod()).thenReturn(Optional.empty());
        when(test.getExecutionException()).thenReturn(Optional.empty());
        doReturn(Victim.class).when(test).getRequiredTestClass();
        processes.afterEach(test);

        ProcessHandle rs3 = ProcessHandle.of(pid("rs3")).orElseThrow();
        rs3.destroyForcibly();
        assertThat(Conditions.await(PATIENCE, () -> !processes.isUp("rs3"))).isTrue();

        assertThatThrownBy(() -> processes.afterEach(test))
                .hasMessageContaining("rs3 has ended by itself")
                .hasMessageContaining("rs3.log ends:")
                .hasMessageContaining("target/cluster-logs/Victim/class");
        Path kept = Path.of("target", "cluster-logs", "Victim");
        assertThat(kept.resolve("class/logs/rs3.log")).isNotEmptyFile();
        assertThat(kept.resolve("class/logs/master.log")).isNotEmptyFile();
        FileUtils.deleteDirectory(kept.toFile());
        cluster.restart("rs3");
        processes.afterEach(test);
    }

    /** A test class whose server ends by itself. */
    private static final class Victim {}

    private static long pid(String process) throws IOException {
        return cluster.status().stream()
                .filter(each -> each.name().equals(process))
                .findFirst()
                .orElseThrow()
                .pid()
                .orElseThrow();
    }

    private static String serverJarOnHdfs(Configuration conf) throws IOException {
        org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path(conf.get("hbase.rootdir"));
        org.apache.hadoop.fs.Path jar =
                new org.apache.hadoop.fs.Path(root.getParent(), "diffindex/diffindex-server.jar");
        jar.getFileSystem(conf)
                .copyFromLocalFile(
                        new org.apache.hadoop.fs.Path(PlainHBase.serverJar().toUri()), jar);
        return jar.toString();
    }

    @Test
    void isReachedByTheCommandsThatNameItsConfiguration() {
        CommandLine command = DiffIndex.commandLine();
        command.addSubcommand(new CountServers());
        StringWriter out = new StringWriter();
        command.setOut(new PrintWriter(out, true));

        assertThat(command.execute(
                        "count-servers", "--conf", cluster.layout().conf().toString()))
                .isZero();
        assertThat(command.execute(
                        "cluster", "status", "--dir", cluster.layout().dir().toString()))
                .isZero();
        assertThat(out.toString()).startsWith("3\n").contains("\nrs3 ");
    }

    /** A subcommand that needs a cluster. */
    @Command(name = "count-servers")
    static final class CountServers implements Callable<Integer> {
        @Mixin
        private ClusterConnection target;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() throws IOException {
            try (Connection connection = target.open()) {
                spec.commandLine().getOut().println(liveRegionServers(connection));
                return 0;
            }
        }
    }

    /** Connects like any HBase client, with nothing but the site file. */
    private static Connection connect() throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.addResource(
                new org.apache.hadoop.fs.Path(cluster.layout().hbaseSite().toUri()));
        return ConnectionFactory.createConnection(conf);
    }

    private static void fill(Connection connection, TableName name) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            admin.createTable(descriptor(name), SPLITS);
        }
        putRows(connection, name);
    }

    private static TableDescriptor descriptor(TableName name) {
        return TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build();
    }

    private static void putRows(Connection connection, TableName name) throws IOException {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            puts.add(new Put(Bytes.toBytes(String.format("row-%03d", i)))
                    .addColumn(FAMILY, QUALIFIER, Bytes.toBytes(i)));
        }
        try (Table table = connection.getTable(name)) {
            table.put(puts);
        }
    }

    private static List<String> rows(Connection connection, TableName name) throws IOException {
        List<String> rows = new ArrayList<>();
        try (Table table = connection.getTable(name);
                ResultScanner results = table.getScanner(new Scan())) {
            results.forEach(result -> rows.add(Bytes.toString(result.getRow())));
        }
        return rows;
    }

    private static int liveRegionServers(Connection connection) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            return admin.getRegionServers().size();
        }
    }

    private static void awaitLiveRegionServers(Connection connection, int count) throws IOException {
        assertThat(Conditions.await(PATIENCE, () -> liveRegionServers(connection) == count))
                .isTrue();
    }
}
