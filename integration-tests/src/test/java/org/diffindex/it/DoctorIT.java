package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.cli.DiffIndex;
import org.diffindex.client.BuildOptions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import picocli.CommandLine;

/** The doctor on a deliberately misconfigured cluster, and on damaged tables until they are corrected. */
@Isolated
class DoctorIT {
    @TempDir
    static Path dir;

    @Test
    void findsProblemsOfSettingsAndTables() throws Exception {
        Configuration conf = HBaseConfiguration.create();
        conf.setBoolean("hbase.coprocessor.abortonerror", false);
        conf.setInt(HConstants.REGION_SERVER_HANDLER_COUNT, 4);
        conf.setInt("hbase.regionserver.metahandler.count", 3);
        conf.setInt("hbase.regionserver.hlog.splitlog.writer.threads", 1);
        conf.setInt("diffindex.delivery.timeout.ms", 61_000);
        try (EmbeddedCluster cluster = EmbeddedCluster.start(2, conf);
                Connection connection = ConnectionFactory.createConnection(cluster.conf());
                IndexedFixture fixture = new IndexedFixture(
                        connection, 1, name -> List.of(index(name, "first"), index(name, "second")));
                Admin hbase = connection.getAdmin()) {
            writeSite(cluster.conf());
            for (int i = 0; i < 20; i++) {
                fixture.put("a-" + i, "city" + i);
            }
            fixture.drain();
            Set<String> ofSettings = Set.of(
                    "problem abort-on-error",
                    "problem wal-split-threads",
                    "warning client-time-out",
                    "warning handlers",
                    "warning priority-handlers");
            assertThat(findings()).isEqualTo(ofSettings);

            IndexDefinition interrupted = index(fixture.name, "interrupted");
            fixture.admin.beginIndex(interrupted, BuildOptions.DEFAULT.paused());
            TableName second =
                    fixture.admin.describeIndex(fixture.name, "second").indexTable();
            hbase.disableTable(second);
            fixture.put("a-1", "another");
            hbase.flush(fixture.name);
            TableName replicated = TableName.valueOf("replicated");
            fixture.admin.createTable(replicatedTable(replicated), new byte[0][], index(replicated, "third"));

            Set<String> all = new TreeSet<>(ofSettings);
            all.addAll(Set.of(
                    "problem index-states", "problem index-tables", "warning replication", "warning waiting-updates"));
            assertThat(findings()).isEqualTo(all);

            hbase.enableTable(second);
            fixture.admin.dropIndex(fixture.name, "interrupted");
            fixture.admin.dropIndex(replicated, "third");
            fixture.drain();
            assertThat(findings()).isEqualTo(ofSettings);
        }
    }

    private static IndexDefinition index(TableName table, String name) {
        return IndexDefinition.builder(table, name)
                .column("f", "city", ColumnTypes.STRING)
                .scheme(IndexScheme.ASYNC_SIMPLE)
                .build();
    }

    private static TableDescriptor replicatedTable(TableName name) {
        return TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                        .setScope(HConstants.REPLICATION_SCOPE_GLOBAL)
                        .build())
                .build();
    }

    private static void writeSite(Configuration conf) throws IOException {
        try (OutputStream site = Files.newOutputStream(dir.resolve("hbase-site.xml"))) {
            conf.writeXml(site);
        }
    }

    /** Returns the findings of the command other than {@code ok}; its exit code must match. */
    private static Set<String> findings() {
        StringWriter out = new StringWriter();
        CommandLine command = DiffIndex.commandLine();
        command.setOut(new PrintWriter(out, true));
        int exitCode = command.execute("doctor", "--json", "--conf", dir.toString());
        JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
        assertThat(exitCode).isEqualTo(json.get("problems").getAsInt() == 0 ? 0 : 1);
        Set<String> findings = new TreeSet<>();
        for (JsonElement element : json.getAsJsonArray("findings")) {
            JsonObject finding = element.getAsJsonObject();
            if (!finding.get("level").getAsString().equals("ok")) {
                findings.add(finding.get("level").getAsString() + " "
                        + finding.get("check").getAsString());
            }
        }
        return findings;
    }
}
