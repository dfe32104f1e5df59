package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.DiffIndex;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the item workload of the paper by YCSB itself, and checks the indexes afterwards. */
@ExtendWith(ClusterExtension.class)
class YcsbIT {
    @TempDir
    Path conf;

    private final StringWriter out = new StringWriter();

    private int ycsb(EmbeddedCluster cluster, String phase, String table, String... more) throws IOException {
        try (OutputStream site = Files.newOutputStream(conf.resolve("hbase-site.xml"))) {
            cluster.conf().writeXml(site);
        }
        List<String> arguments =
                new ArrayList<>(List.of("ycsb", phase, "--conf", conf.toString(), "-p", "table=" + table));
        arguments.addAll(List.of("--records", "300", "--threads", "4"));
        arguments.addAll(Arrays.asList(more));
        CommandLine command = DiffIndex.commandLine();
        command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true));
        return command.execute(arguments.toArray(String[]::new));
    }

    private static void assertIndexesEqualTable(Connection connection, String table) throws IOException {
        TableName name = TableName.valueOf(table);
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            assertThat(admin.drain(name, Duration.ofMinutes(1))).isZero();
            assertThat(admin.listIndexes(name)).hasSize(2);
            for (IndexDefinition definition : admin.listIndexes(name)) {
                ScrubReport report = IndexComparison.compare(connection, definition);
                assertThat(report.isClean()).as(report.toString()).isTrue();
                assertThat(report.rows()).isPositive();
            }
        }
    }

    @Test
    void runsEveryKindOfOperationUnderSyncFull(EmbeddedCluster cluster, Connection connection) throws IOException {
        assertThat(ycsb(cluster, "load", "item-full", "--scheme", "sync-full"))
                .as(out.toString())
                .isZero();
        assertThat(ycsb(
                        cluster,
                        "run",
                        "item-full",
                        "--scheme=sync-full",
                        "--operations=400",
                        "-p=insertproportion=0.1",
                        "-p=updateproportion=0.3",
                        "-p=deleteproportion=0.1",
                        "-p=readproportion=0.1",
                        "-p=readbyindexproportion=0.3",
                        "-p=rangebyindexproportion=0.1"))
                .as(out.toString())
                .isZero();
        assertThat(out.toString()).contains("READ-BY-INDEX").contains("RANGE-BY-INDEX");
        assertIndexesEqualTable(connection, "item-full");
    }

    @Test
    void aSessionReadsItsOwnWrites(EmbeddedCluster cluster, Connection connection) throws IOException {
        assertThat(ycsb(cluster, "load", "item-session", "--scheme=async-session", "--session"))
                .as(out.toString())
                .isZero();
        assertThat(ycsb(cluster, "run", "item-session", "--scheme=async-session", "--session", "--operations=400"))
                .as(out.toString())
                .isZero();
        assertThat(out.toString()).contains("until the last acknowledgement;", "until the indexes were drained");
        assertIndexesEqualTable(connection, "item-session");
    }

    @Test
    void aRunOnAMissingTableFails(EmbeddedCluster cluster) throws IOException {
        assertThat(ycsb(cluster, "run", "item-missing")).isEqualTo(1);
        assertThat(out.toString()).contains("item-missing");
    }
}
