package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * Tests the messages of the commands for invalid input, before they connect to a cluster. {@code --conf} names a folder
 * without a configuration.
 */
class CommandsTest {
    @TempDir
    Path dir;

    private Path csv;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void writeCsv() throws IOException {
        csv = Files.writeString(dir.resolve("flights.csv"), "id,origin,delay\n1,ORD,5\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create-index",
                "alter-index",
                "drop-index",
                "list",
                "describe",
                "get",
                "load",
                "drain",
                "status",
                "scrub",
                "ycsb",
                "bench"
            })
    void helpHasAnExample(String command) {
        assertThat(run(command, "--help")).isZero();
        assertThat(out.toString()).startsWith("Usage: diffindex " + command).contains("Example", "--conf");
    }

    @Test
    void unknownSchemeIsWrongUsage() {
        assertThat(run("create-index", "t", "i", "--columns", "f:q", "--scheme", "sync"))
                .isEqualTo(2);
        assertThat(err.toString())
                .startsWith("diffindex: Invalid value for option '--scheme': No index scheme is called 'sync'; the"
                        + " schemes are sync-full, sync-insert, async-simple, async-session");
    }

    @Test
    void optionsOfAChangeThatCannotWorkAreWrongUsage() {
        assertThat(run("alter-index", "t", "i")).isEqualTo(2);
        assertThat(err.toString()).contains("give --scheme, or --columns");
        assertThat(run("alter-index", "t", "i", "--scheme", "sync-full", "--columns", "f:a"))
                .isEqualTo(2);
        assertThat(run("alter-index", "t", "i", "--cancel", "--protected-cells"))
                .isEqualTo(2);
        assertThat(run("alter-index", "t", "i", "--cancel", "--wait")).isEqualTo(2);
        assertThat(err.toString()).contains("--wait is for a change of the columns");
        assertThat(run("alter-index", "t", "i", "--columns", "f:a", "--allow-left-out"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--allow-left-out requires --wait");
        assertThat(run("alter-index", "t", "i", "--columns", "f:a", "--rate", "0"))
                .isEqualTo(2);
        assertThat(run("alter-index", "t", "i", "--rename", "j")).isEqualTo(2);
        assertThat(err.toString())
                .contains("An index cannot be renamed: its name is part of the name of its table, and HBase renames no"
                        + " table. Create an index j, let readers use it, and drop i");
        for (List<String> option : List.of(
                List.of("--rate", "0"),
                List.of("--rate", "-1"),
                List.of("--rate", "NaN"),
                List.of("--timeout", "-1"))) {
            assertThat(run("alter-index", "t", "i", "--scheme", "sync-full", option.get(0), option.get(1)))
                    .as(option.toString())
                    .isEqualTo(2);
        }
        assertThat(err.toString()).contains("omit --rate for no limit", "cannot be negative");
    }

    @Test
    void scrubOptionsThatCannotWorkAreWrongUsage() {
        assertThat(run("scrub", "t", "--threads", "0")).isEqualTo(2);
        for (String rate : List.of("-1", "0", "NaN")) {
            assertThat(run("scrub", "t", "--rate", rate)).as(rate).isEqualTo(2);
        }
        assertThat(run("scrub", "t", "--lag", "-1")).isEqualTo(2);
        assertThat(err.toString()).contains("cannot be negative");
        assertThat(run("scrub")).isEqualTo(2);
        assertThat(run("scrub", "t", "--json", dir.resolve("nowhere/x").toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("nothing was run");
    }

    @Test
    void theDoctorsPatienceIsBounded() {
        for (String seconds : List.of("0", "-1", "3601")) {
            assertThat(run("doctor", "--timeout", seconds)).as(seconds).isEqualTo(2);
            assertThat(err.toString()).contains("--timeout must be 1 to 3600 s, not " + seconds);
        }
    }

    @Test
    void indexNeedsColumns() {
        assertThat(run("create-index", "t", "i", "--scheme", "sync-full")).isEqualTo(2);
        assertThat(err.toString()).contains("Missing required option: '--columns=");
        assertThat(run("create-index", "t", "i", "--scheme", "sync-full", "--columns", ""))
                .isEqualTo(2);
        assertThat(err.toString()).contains("A column is written family:qualifier[:type], not ''");
    }

    @Test
    void unknownTypeColumnTwiceAndBadNamesAreWrongUsage() {
        assertThat(run("create-index", "t", "i", "--scheme", "sync-full", "--columns", "f:q:integer"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("No column type is called 'integer'");
        assertThat(run("create-index", "t", "i", "--scheme", "sync-full", "--columns", "f:q,f:q"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("names a column twice");
        assertThat(run("create-index", "t", "i", "--scheme", "sync-full", "--columns", "f:q", "--index-format", "2"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("cannot have format 2: this build of Diff-Index knows formats 1 to 1");
        assertThat(run("create-index", "t", "-", "--scheme", "sync-full", "--columns", "f:q"))
                .isEqualTo(2);
        assertThat(run("drop-index", "a table", "i")).isEqualTo(2);
        assertThat(err.toString()).contains("Invalid value for positional parameter at index 0 (TABLE)");
    }

    /** A client that finds the cluster through the masters need not reach ZooKeeper. */
    @Test
    void checksTheRegistryThatTheClientUses() throws IOException {
        Files.writeString(
                dir.resolve("hbase-site.xml"),
                """
                <configuration>
                  <property>
                    <name>hbase.client.registry.impl</name>
                    <value>org.apache.hadoop.hbase.client.RpcConnectionRegistry</value>
                  </property>
                  <property><name>hbase.client.bootstrap.servers</name><value>127.0.0.1:1</value></property>
                  <property><name>hbase.zookeeper.quorum</name><value>127.0.0.1:1</value></property>
                  <property><name>hbase.client.retries.number</name><value>1</value></property>
                  <property><name>hbase.client.pause</name><value>1</value></property>
                </configuration>
                """);
        assertThat(run("list", "t")).isEqualTo(1);
        assertThat(err.toString())
                .contains("The cluster is down", "the client asks", "RpcConnectionRegistry")
                .doesNotContain("ZooKeeper");
    }

    @Test
    void splitPointsAreValuesOfTheFirstColumn() {
        assertThat(run(
                        "create-index",
                        "t",
                        "i",
                        "--scheme",
                        "sync-full",
                        "--columns",
                        "f:q:int",
                        "--split-points",
                        "1,x"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("'x' is not a value of column f:q of type int");
    }

    @Test
    void limitsThatCannotWorkAreWrongUsage() {
        assertThat(run("get", "t", "i", "--limit", "-1")).isEqualTo(2);
        assertThat(run("get", "t", "i", "--limit", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--limit must be positive: 0");
        assertThat(run("get", "t", "i", "--inclusive")).isEqualTo(2);
        assertThat(run("get", "t", "i", "--page", "0")).isEqualTo(2);
        assertThat(run("get", "t", "i", "--page", "5", "--limit", "5")).isEqualTo(2);
        assertThat(err.toString()).contains("--page and --limit exclude each other");
        assertThat(run("get", "t", "i", "--prefix", "a", "--from", "a")).isEqualTo(2);
        assertThat(err.toString()).contains("--prefix excludes --from and --to");
        assertThat(run("drain", "t", "--timeout", "-1")).isEqualTo(2);
        assertThat(run("load", "t", csv.toString(), "--key", "id", "--batch", "0"))
                .isEqualTo(2);
        assertThat(run("load", "t", csv.toString(), "--key", "id", "--split-points", "5"))
                .isEqualTo(2);
        assertThat(run("ycsb", "load", "--records", "0")).isEqualTo(2);
        assertThat(run("ycsb", "load", "--scheme", "sync")).isEqualTo(2);
        assertThat(err.toString()).contains("No index scheme is called 'sync'", ", and none");
    }

    @Test
    void helpOfGetTellsWhereTheTokenOfTheNextPageIs() {
        assertThat(run("get", "--help")).isZero();
        assertThat(out.toString())
                .contains("--in=", "--prefix=", "--reverse", "--page=", "--token=", "--explain")
                .containsPattern("token\\s+of\\s+the\\s+next\\s+page:\\s+on\\s+standard\\s+error");
    }

    @Test
    void missingFileIsNamed() {
        Path missing = dir.resolve("missing.csv");
        assertThat(run("load", "t", missing.toString(), "--key", "id")).isEqualTo(1);
        assertThat(err.toString()).startsWith("diffindex: There is no file " + missing);
    }

    @Test
    void missingKeyColumnShowsTheColumns() {
        assertThat(run("load", "t", csv.toString(), "--key", "flight")).isEqualTo(1);
        assertThat(err.toString())
                .isEqualToIgnoringNewLines("diffindex: The file has no column 'flight'; its columns are id, origin,"
                        + " delay; nothing was written");
    }

    @Test
    void refusesTypesWithAnUnknownColumnOrType() {
        assertThat(run("load", "t", csv.toString(), "--key", "id", "--types", "delay:integer"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("'delay:integer' is not COLUMN:TYPE with one of the types string, int");
        assertThat(run("load", "t", csv.toString(), "--key", "id", "--types", "dealy:int"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("The file has no column 'dealy'");
    }

    @Test
    void emptyAndBrokenFilesAreNamed() throws IOException {
        Path empty = Files.writeString(dir.resolve("empty.csv"), "");
        assertThat(run("load", "t", empty.toString(), "--key", "id")).isEqualTo(1);
        assertThat(err.toString()).contains("empty.csv does not begin with a line that names its columns");
        Path noZip = Files.writeString(dir.resolve("no.csv.gz"), "id\n1\n");
        assertThat(run("load", "t", noZip.toString(), "--key", "id")).isEqualTo(1);
        assertThat(err.toString()).contains("no.csv.gz does not begin", "GZIP");
    }

    @Test
    void connectsToTheClusterLast() {
        assertThat(run("load", "t", csv.toString(), "--key", "id")).isEqualTo(1);
        assertThat(err.toString()).startsWith("diffindex: No hbase-site.xml in " + dir);
    }

    private int run(String... args) {
        CommandLine command = DiffIndex.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        String[] all = new String[args.length + 2];
        all[0] = "--conf";
        all[1] = dir.toString();
        System.arraycopy(args, 0, all, 2, args.length);
        return command.execute(all);
    }
}
