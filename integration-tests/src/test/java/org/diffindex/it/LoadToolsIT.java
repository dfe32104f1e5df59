package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hbase.IntegrationTestingUtility;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.test.IntegrationTestBigLinkedList;
import org.apache.hadoop.hbase.util.LoadTestTool;
import org.apache.hadoop.hbase.util.RegionSplitter;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.model.ColumnType;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * HBase's own load tools on indexed tables, while a region server is killed: the tools find what they wrote, and the
 * indexes, one of each scheme, contain what the rows yield.
 */
@Tag("proof")
@Tag("turn-3")
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
class LoadToolsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /**
     * The delivery timeout in milliseconds. The tools end at the first write whose synchronous index update is late,
     * and on a busy machine the regions of the killed server may be unavailable for longer than half a minute.
     */
    private static final String PATIENCE_WITH_AN_INDEX_MS = "55000";

    @RegisterExtension
    static final ProcessCluster processes =
            ProcessCluster.withDiffIndex("diffindex.delivery.timeout.ms", PATIENCE_WITH_AN_INDEX_MS);

    @TempDir
    private Path work;

    private final ExecutorService tools = Executors.newSingleThreadExecutor();
    private LocalCluster cluster;
    private Connection connection;
    private DiffIndexAdmin admin;

    @BeforeEach
    void connect() throws IOException {
        cluster = processes.get();
        connection = ConnectionFactory.createConnection(cluster.configuration());
        admin = new DiffIndexAdmin(connection);
    }

    @AfterEach
    void disconnect() throws IOException {
        tools.shutdownNow();
        admin.close();
        connection.close();
    }

    /**
     * IntegrationTestBigLinkedList writes circular lists of rows, each with the key of the row before it, and checks
     * that each referenced row exists.
     */
    @Test
    void theBigLinkedListHasNoHoles() throws Exception {
        TableName table = TableName.valueOf("IntegrationTestBigLinkedList");
        createTable(
                table,
                "meta big tiny",
                index(table, IndexScheme.SYNC_FULL, "meta", "prev", ColumnTypes.BYTES),
                index(table, IndexScheme.SYNC_INSERT, "meta", "count", ColumnTypes.LONG),
                index(table, IndexScheme.ASYNC_SIMPLE, "meta", "client", ColumnTypes.STRING),
                index(table, IndexScheme.ASYNC_SESSION, "meta", "count", ColumnTypes.LONG));
        long mappers = 2;
        long nodes = 20_000;
        Configuration conf = toolConfiguration();
        IntegrationTestingUtility.setUseDistributedCluster(conf);
        String[] arguments = {
            "Loop", "1", "" + mappers, "" + nodes, work.resolve("list").toString(), "1", "1000", "5", "1"
        };

        Future<Integer> run = start(conf, new IntegrationTestBigLinkedList(), arguments);
        killWhen("rs2", run, () -> rows(table) > nodes / 3);

        assertSucceeds(run);
        assertThat(rows(table)).isEqualTo(mappers * nodes);
        assertIndexesEqual(table);
    }

    /**
     * LoadTestTool writes rows whose cells it can derive from their keys, changes some of them by appends, increments,
     * deletes and conditional writes, and reads them.
     */
    @Test
    void theLoadTestToolReadsWhatItWrites() throws Exception {
        TableName table = TableName.valueOf("loadTestTool");
        createTable(
                table,
                "f",
                index(table, IndexScheme.SYNC_FULL, "f", "0", ColumnTypes.BYTES),
                index(table, IndexScheme.SYNC_INSERT, "f", "increment", ColumnTypes.LONG),
                index(table, IndexScheme.ASYNC_SIMPLE, "f", "mutate_info", ColumnTypes.STRING),
                index(table, IndexScheme.ASYNC_SESSION, "f", "1", ColumnTypes.BYTES));
        long keys = 4_000;
        String[] arguments = {
            "-tn",
            table.getNameAsString(),
            "-families",
            "f",
            "-skip_init",
            "-multiput",
            "-num_keys",
            "" + keys,
            "-write",
            "3:64:4",
            "-update",
            "30:4",
            "-read",
            "100:2"
        };

        Future<Integer> run = start(toolConfiguration(), new LoadTestTool(), arguments);
        killWhen("rs3", run, () -> rows(table) > keys / 3);

        assertSucceeds(run);
        assertIndexesEqual(table);
    }

    private static IndexDefinition index(
            TableName table, IndexScheme scheme, String family, String qualifier, ColumnType type) {
        return IndexDefinition.builder(table, scheme.schemeName().replace('-', '_'))
                .column(family, qualifier, type)
                .scheme(scheme)
                .build();
    }

    private void createTable(TableName name, String families, IndexDefinition... indexes) throws IOException {
        TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
        for (String family : families.split(" ", -1)) {
            table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
        }
        TableDescriptor descriptor = table.build();
        admin.createTable(descriptor, new RegionSplitter.UniformSplit().split(4), indexes);
    }

    /** Returns a configuration for tools that run as if alone on the cluster, and whose jobs run in this JVM. */
    private Configuration toolConfiguration() throws IOException {
        Configuration conf = new Configuration(cluster.configuration());
        conf.set(CommonConfigurationKeys.FS_DEFAULT_NAME_KEY, work.toUri().toString());
        conf.set("hadoop.tmp.dir", work.resolve("tmp").toString());
        conf.set("mapreduce.framework.name", "local");
        conf.setInt("mapreduce.local.map.tasks.maximum", 2);
        return conf;
    }

    private Future<Integer> start(Configuration conf, Tool tool, String... arguments) {
        return tools.submit(() -> ToolRunner.run(conf, tool, arguments));
    }

    /** Kills a server once a condition holds, during a run. */
    private void killWhen(String server, Future<Integer> run, Conditions.Condition isTime) throws Exception {
        assertThat(Conditions.await(PATIENCE, () -> run.isDone() || isTime.holds()))
                .as("the tool has written a third of its rows")
                .isTrue();
        assertIsRunning(run);
        cluster.kill(server);
        assertIsRunning(run);
        cluster.restart(server);
    }

    private static void assertSucceeds(Future<Integer> run) throws Exception {
        assertThat(run.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("the exit code of the tool")
                .isZero();
    }

    private static void assertIsRunning(Future<Integer> run) throws InterruptedException, ExecutionException {
        try {
            assertThat(run.get(0, TimeUnit.SECONDS))
                    .as("exit code of a tool that should still be running")
                    .isNull();
        } catch (TimeoutException e) {
            return; // it is running
        }
    }

    private long rows(TableName name) throws IOException {
        long rows = 0;
        try (Table table = connection.getTable(name);
                ResultScanner scanner = table.getScanner(
                        new Scan().setFilter(new FirstKeyOnlyFilter()).setCaching(1_000))) {
            while (scanner.next() != null) {
                rows++;
            }
        }
        return rows;
    }

    private void assertIndexesEqual(TableName table) throws IOException {
        assertThat(admin.drain(table, PATIENCE)).isZero();
        for (IndexDefinition index : admin.listIndexes(table)) {
            ScrubReport report = IndexComparison.compare(connection, index);
            assertThat(report.isClean()).as("%s: %s", index.name(), report).isTrue();
            assertThat(report.rows()).as("rows of %s", index.name()).isPositive();
        }
    }
}
