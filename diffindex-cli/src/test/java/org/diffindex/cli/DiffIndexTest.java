package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class DiffIndexTest {
    @TempDir
    Path dir;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void everyCommandPrintsItsUsage() {
        assertThat(run("--help")).isZero();
        assertThat(run("cluster", "--help")).isZero();
        assertThat(run("cluster", "start", "--help")).isZero();
        assertThat(out.toString()).contains("Usage: diffindex cluster start", "--region-servers");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void printsItsVersion() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString()).startsWith("diffindex ").contains("HBase 2.");
    }

    @Test
    void exitsWithCodeTwoOnWrongUsage() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("cluster")).isEqualTo(2);
        assertThat(run("clutser")).isEqualTo(2);
        assertThat(run("cluster", "kill", "--dir", dir.toString())).isEqualTo(2);
        assertThat(err.toString())
                .contains("Missing required option: '--process=NAME'", "Usage: diffindex cluster kill --help");
    }

    /** Picocli would read arguments from the file, and shorten @@ to @. */
    @Test
    void aValueMayBeginWithAnAt() throws IOException {
        Path file = Files.writeString(dir.resolve("jo"), "--help");
        for (String value : new String[] {"@@jo", "@" + file, "@" + dir}) {
            CommandLine.ParseResult parsed =
                    DiffIndex.commandLine().parseArgs("get", "users", "by_handle", "--", value);
            assertThat(parsed.subcommand().matchedPositionalValue(2, List.<String>of()))
                    .containsExactly(value);
        }
    }

    @Test
    void printsAFailureOnOneLineAndExitsWithCodeOne() {
        assertThat(run("cluster", "status", "--dir", dir.toString())).isEqualTo(1);
        assertThat(err.toString()).startsWith("diffindex: No cluster in " + dir).hasLineCount(1);
    }

    @Test
    void verboseShowsTheStackTrace() {
        assertThat(run("cluster", "status", "--dir", dir.toString(), "--verbose"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("\tat org.diffindex.cluster.LocalCluster.open");
    }

    @Test
    void theStatusOfAStoppedClusterIsAFailure() throws IOException {
        LocalCluster.create(dir, ClusterOptions.defaults().withRegionServers(1));

        assertThat(run("cluster", "status", "--dir", dir.toString())).isEqualTo(1);
        assertThat(out.toString().lines())
                .hasSize(5)
                .allMatch(line -> line.contains(" down "))
                .anyMatch(line -> line.startsWith("rs1 ") && line.contains(" rpc="));
    }

    @Test
    void stoppingAStoppedClusterSucceeds() throws IOException {
        LocalCluster.create(dir, ClusterOptions.defaults());

        assertThat(run("cluster", "stop", "--dir", dir.toString())).isZero();
    }

    @Test
    void refusesToChangeTheSizeOfAnExistingCluster() throws IOException {
        LocalCluster.create(dir, ClusterOptions.defaults());

        assertThat(run("cluster", "start", "--dir", dir.toString(), "--region-servers", "5"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("apply to a new cluster only").contains("nothing was started");
    }

    @Test
    void reportsAConfigurationFolderWithoutASiteFile() {
        assertThat(run("probe", "--conf", dir.toString())).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("diffindex: No hbase-site.xml in " + dir)
                .hasLineCount(1);
    }

    @Test
    void reportsThatTheClusterIsDown() throws IOException {
        LocalCluster down = LocalCluster.create(dir, ClusterOptions.defaults());

        assertThat(run("--conf", down.layout().conf().toString(), "probe")).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("diffindex: The cluster is down: no ZooKeeper accepts connections at 127.0.0.1:")
                .contains("nothing was read or changed; start the cluster")
                .hasLineCount(1);
    }

    @Test
    void printsAnErrorOnOneLineAndExitsWithCodeOne() {
        CommandLine command = DiffIndex.commandLine().setErr(new PrintWriter(err));
        command.addSubcommand("fail", new Failing());

        assertThat(DiffIndex.run(command, "fail")).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly(
                        "diffindex: failed with java.lang.OutOfMemoryError: no heap; run the command again with"
                                + " --verbose for the stack trace");
    }

    @Test
    void theVersionFileIsFilledInByTheBuild() throws IOException {
        assertThat(new Version().getVersion()).noneMatch(line -> line.contains("${"));
        assertThat(Files.exists(Path.of("src/main/filtered/org/diffindex/cli/jvm.args")))
                .isTrue();
    }

    private int run(String... args) {
        CommandLine command = DiffIndex.commandLine();
        command.addSubcommand(new Probe());
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(args);
    }

    /** A subcommand that needs a cluster. */
    @Command(name = "probe")
    static final class Probe implements Callable<Integer> {
        @Mixin
        private ClusterConnection cluster;

        @Override
        public Integer call() throws IOException {
            try (Connection connection = cluster.open()) {
                return connection.isClosed() ? 1 : 0;
            }
        }
    }

    @Command(name = "fail")
    private static final class Failing implements Runnable {
        @Override
        public void run() {
            throw new OutOfMemoryError("no heap");
        }
    }
}
