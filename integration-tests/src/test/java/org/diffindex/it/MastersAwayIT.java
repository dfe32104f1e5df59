package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.cli.DiffIndex;
import org.diffindex.cli.cluster.EmbeddedCluster;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** While no master runs, everything goes on that does not change a definition, for clients that start meanwhile too. */
class MastersAwayIT {
    private static final TableName TABLE = TableName.valueOf("people");

    @Test
    @Timeout(300)
    void readsAndSessionsNeedNoMaster(@TempDir Path folder) throws Exception {
        Configuration conf = HBaseConfiguration.create();
        conf.setInt("hbase.client.pause", 20);
        try (EmbeddedCluster cluster = EmbeddedCluster.start(2, conf);
                Connection before = ConnectionFactory.createConnection(cluster.conf())) {
            createTable(before);
            try (IndexedTable open = new IndexedTable(before, TABLE);
                    Table writer = before.getTable(TABLE)) {
                writer.put(putOf("a", "Oslo"));
                expect(open, "a");
                cluster.cluster()
                        .stopMaster(cluster.cluster().getActiveMasterAddress().orElseThrow())
                        .get(60, TimeUnit.SECONDS);
                writer.put(putOf("b", "Oslo"));
                expect(open, "a", "b");
            }
            try (Connection fresh = ConnectionFactory.createConnection(cluster.conf());
                    IndexedTable table = new IndexedTable(fresh, TABLE)) {
                expect(table, "a", "b");
                inASession(table);
            }
            assertThat(command(folder, cluster.conf())).isEqualTo("Oslo\ta\nOslo\tb\nOslo\tc\n");
            cluster.cluster().startMaster();
        }
    }

    private static void createTable(Connection connection) throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(TABLE)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                            .build(),
                    new byte[][] {Bytes.toBytes("b")},
                    index("full", IndexScheme.SYNC_FULL),
                    index("session", IndexScheme.ASYNC_SESSION));
        }
    }

    private static IndexDefinition index(String name, IndexScheme scheme) {
        return IndexDefinition.builder(TABLE, name)
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    private static void expect(IndexedTable table, String... rows) throws IOException {
        try (IndexScanner hits =
                table.getByIndex(IndexQuery.index("full").equalTo("Oslo").build())) {
            assertThat(hits).extracting(IndexHit::row).extracting(Bytes::toString).containsExactly(rows);
        }
    }

    private static void inASession(IndexedTable table) throws IOException {
        try (Session session = table.openSession()) {
            Put put = putOf("c", "Oslo");
            session.put(put);
            try (IndexScanner hits = session.getByIndex(
                    IndexQuery.index("session").equalTo("Oslo").build())) {
                assertThat(hits).extracting(IndexHit::row).extracting(Bytes::toString).contains("c");
            }
        }
    }

    private static String command(Path folder, Configuration conf) throws IOException {
        try (OutputStream site = Files.newOutputStream(folder.resolve("hbase-site.xml"))) {
            conf.writeXml(site);
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = DiffIndex.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute("--conf", folder.toString(), "get", TABLE.getNameAsString(), "full", "Oslo");
        assertThat(code).as(err.toString()).isZero();
        return out.toString();
    }
}
