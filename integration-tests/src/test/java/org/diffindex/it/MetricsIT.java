package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The servers of a real cluster tell Prometheus of each index, with labels, and of each build; and tell JMX. */
@Order(1)
@Tag("proof")
@ResourceLock(ProcessCluster.MACHINE)
class MetricsIT {
    private static final TableName TABLE = TableName.valueOf("metrics");
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] CITY = Bytes.toBytes("city");
    private static final int ROWS = 300;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.withDiffIndex();

    private final HttpClient http = HttpClient.newHttpClient();

    private static IndexDefinition index(IndexScheme scheme) {
        return IndexDefinition.builder(TABLE, scheme.schemeName())
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    @Test
    void everyIndexAndBuildIsReported() throws IOException {
        IndexDefinition sync = index(IndexScheme.SYNC_FULL);
        IndexDefinition async = index(IndexScheme.ASYNC_SIMPLE);
        try (Connection connection =
                        ConnectionFactory.createConnection(processes.get().configuration());
                DiffIndexAdmin admin = new DiffIndexAdmin(connection);
                Admin hbase = connection.getAdmin()) {
            byte[][] splits = {Bytes.toBytes("row-1"), Bytes.toBytes("row-2")};
            hbase.createTable(
                    TableDescriptorBuilder.newBuilder(TABLE)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                            .build(),
                    splits);
            admin.createIndex(sync);
            write(connection);
            // A new index opens all regions again, and the counters of a server that has no other region begin at 0.
            awaitSum(regionServersOf(hbase), "diff_index_by_index_puts", sync, ROWS);
            admin.beginIndex(async, BuildOptions.DEFAULT.paused());

            List<String> masters = List.of(masterOf(hbase));
            awaitSum(masters, "diff_index_build_paused", async, 1);
            admin.builds().resume(TABLE, async.name());
            admin.awaitIndex(TABLE, async.name(), BuildListener.NONE);
            List<String> servers = regionServersOf(hbase);
            awaitSum(servers, "diff_index_by_index_regions", async, 3);
            awaitSum(servers, "diff_index_by_index_puts", async, ROWS);
            awaitSum(servers, "diff_index_by_index_auq_entries", async, 0);
            assertThat(Conditions.await(PATIENCE, () -> sum(masters, "diff_index_build_paused", async)
                            .isEmpty()))
                    .as("the build that has ended is not shown")
                    .isTrue();
            // HBase's metrics are away for half a second after regions have been opened.
            assertThat(Conditions.await(PATIENCE, () -> isABean(servers, sync)))
                    .as("a server shows a bean of the index")
                    .isTrue();
        }
    }

    private boolean isABean(List<String> servers, IndexDefinition index) throws IOException {
        for (String server : servers) {
            String bean = get(
                    server,
                    "/jmx?qry=Hadoop:service=HBase,name=RegionServer,sub=DiffIndex,table=metrics,index="
                            + index.name());
            if (bean.contains("\"puts\"") && bean.contains("\"tag.index\": \"sync-full\"")) {
                return true;
            }
        }
        return false;
    }

    private static void write(Connection connection) throws IOException {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            puts.add(
                    new Put(Bytes.toBytes("row-%03d".formatted(i))).addColumn(F, CITY, Bytes.toBytes("city-" + i % 7)));
        }
        try (Table table = connection.getTable(TABLE)) {
            table.put(puts);
        }
    }

    private static String masterOf(Admin hbase) throws IOException {
        ClusterMetrics metrics = hbase.getClusterMetrics();
        return metrics.getMasterName().getHostname() + ":" + metrics.getMasterInfoPort();
    }

    private static List<String> regionServersOf(Admin hbase) throws IOException {
        return hbase.getClusterMetrics().getLiveServerMetrics().entrySet().stream()
                .map(server ->
                        server.getKey().getHostname() + ":" + server.getValue().getInfoServerPort())
                .toList();
    }

    private void awaitSum(List<String> servers, String metric, IndexDefinition index, double value) throws IOException {
        assertThat(Conditions.await(PATIENCE, () -> List.of(value).equals(sum(servers, metric, index))))
                .as("%s of %s is %s, not %s", metric, index, value, sum(servers, metric, index))
                .isTrue();
    }

    /** Returns the sum of a metric of an index over servers; empty if none reports it. */
    private List<Double> sum(List<String> servers, String metric, IndexDefinition index) throws IOException {
        Pattern line = Pattern.compile(
                "(?m)^%s\\{[^}]*table=\"%s\",index=\"%s\"[^}]*} (\\S+)$".formatted(metric, TABLE, index.name()));
        List<Double> values = new ArrayList<>();
        for (String server : servers) {
            line.matcher(get(server, "/prometheus"))
                    .results()
                    .map((MatchResult found) -> Double.valueOf(found.group(1)))
                    .forEach(values::add);
        }
        return values.isEmpty()
                ? List.of()
                : List.of(values.stream().mapToDouble(Double::doubleValue).sum());
    }

    private String get(String server, String path) throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + server + path)).build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }
}
