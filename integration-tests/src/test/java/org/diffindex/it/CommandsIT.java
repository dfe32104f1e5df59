package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.cli.DiffIndex;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** The commands on a cluster, as a user types them: flights are loaded, indexed and read; bad input changes nothing. */
@ExtendWith(ClusterExtension.class)
class CommandsIT {
    private static final String TABLE = "commands";
    private static final String BY_ORIGIN_DELAY = "by_origin_delay";
    private static final String CSV =
            """
            id,origin,delay
            1,ORD,5
            2,ATL,-3
            3,ORD,70
            4,ORD,-8
            5,LAX,
            """;

    @TempDir
    static Path dir;

    private static Path csv;
    private static Connection connection;

    private StringWriter out = new StringWriter();
    private StringWriter err = new StringWriter();

    @BeforeAll
    static void loadFlights(EmbeddedCluster cluster, Connection shared) throws IOException {
        connection = shared;
        csv = Files.writeString(dir.resolve("flights.csv"), CSV);
        writeSite(dir, cluster.conf());
        CommandsIT user = new CommandsIT();
        assertThat(user.run("load", TABLE, csv.toString(), "--key", "id", "--types", "delay:int", "--create"))
                .as(user.err.toString())
                .isZero();
        assertThat(user.out.toString()).startsWith("Loaded into commands: 5 rows, ");
        assertThat(user.run(
                        "create-index",
                        TABLE,
                        BY_ORIGIN_DELAY,
                        "--columns",
                        "f:origin,f:delay:int",
                        "--scheme",
                        "sync-insert",
                        "--split-points",
                        "G,P",
                        "--wait"))
                .as(user.err.toString())
                .isZero();
    }

    private static void writeSite(Path folder, Configuration conf) throws IOException {
        try (OutputStream site = Files.newOutputStream(folder.resolve("hbase-site.xml"))) {
            conf.writeXml(site);
        }
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void indexOfEachSchemeIsBackfilledMaintainedAndDropped(IndexScheme scheme) throws IOException {
        String index = scheme.name();
        assertThat(run(
                        "create-index",
                        TABLE,
                        index,
                        "--columns",
                        "f:origin",
                        "--scheme",
                        scheme.schemeName(),
                        "--wait",
                        "--progress"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .startsWith("Index " + index + " on commands is ACTIVE: 5 entries written, 0 rows left out");
        assertThat(err.toString()).contains("build");

        Put change = new Put(Bytes.toBytes("5"))
                .addColumn(Bytes.toBytes("f"), Bytes.toBytes("origin"), Bytes.toBytes("JFK"));
        Put back = new Put(Bytes.toBytes("5"))
                .addColumn(Bytes.toBytes("f"), Bytes.toBytes("origin"), Bytes.toBytes("LAX"));
        try (Table table = connection.getTable(TableName.valueOf(TABLE))) {
            table.put(change);
            assertThat(run("drain", TABLE, "--timeout", "30")).isZero();
            assertThat(lines("get", TABLE, index)).containsExactly("ATL\t2", "JFK\t5", "ORD\t1", "ORD\t3", "ORD\t4");
            table.put(back);
        }
        assertThat(run("drop-index", TABLE, index)).isZero();
        assertThat(run("get", TABLE, index)).isEqualTo(1);
        assertThat(err.toString()).startsWith("diffindex: Table commands has no index '" + index + "'");
    }

    @Test
    void scrubFindsAndRepairs() throws IOException {
        String index = "scrubbed";
        assertThat(run("create-index", TABLE, index, "--columns", "f:origin", "--scheme", "sync-full", "--wait"))
                .as(err.toString())
                .isZero();
        assertThat(lines("scrub", TABLE)).last().isEqualTo("The indexes of table commands are correct");

        Path json = dir.resolve("scrub.json");
        byte[] key = new byte[] {'O', 'R', 'D', 0, 1, '3'};
        try (Admin admin = connection.getAdmin();
                Table table = connection.getTable(TableName.valueOf(TABLE + "." + index))) {
            EntryFormat format = IndexDefinitions.of(admin.getDescriptor(TableName.valueOf(TABLE)))
                    .get(index)
                    .entryFormat();
            table.delete(format.delete(key, System.currentTimeMillis()));
        }
        assertThat(run("scrub", TABLE, index, "--lag", "0", "--json", json.toString()))
                .as(err.toString())
                .isEqualTo(1);
        assertThat(out.toString().lines())
                .anyMatch(line -> line.startsWith(index + ": missing row=3 entry=none expected=ORD"))
                .last()
                .isEqualTo("1 differences; nothing was changed; scrub with --repair to repair them");
        assertThat(Files.readString(json)).contains("\"missing\": 1", "\"clean\": false");

        assertThat(lines("scrub", TABLE, index, "--lag", "0", "--repair"))
                .last()
                .isEqualTo("1 differences were repaired; the indexes of table commands are correct");
        assertThat(run("scrub", TABLE, index, "--progress", "--rate", "1000")).isZero();
        assertThat(err.toString()).contains("digest " + index, "100%", "10 rows");
        assertThat(lines("get", TABLE, index, "ORD")).containsExactly("ORD\t1", "ORD\t3", "ORD\t4");
        assertThat(run("drop-index", TABLE, index)).isZero();
        assertFails("has no index '" + index + "'", "scrub", TABLE, index);
    }

    @Test
    void tellsAboutAllHits() {
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--count")).containsExactly("4");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "--count", "--format", "json"))
                .containsExactly("{\"count\":3}");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "XXX", "--exists")).containsExactly("false");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "--exists", "--format", "json"))
                .containsExactly("{\"exists\":true}");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "--min", "f:delay"))
                .containsExactly("ORD\t-8\t4");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "--max", "f:delay"))
                .containsExactly("ORD\t70\t3");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--newest", "10"))
                .containsExactlyInAnyOrder("ATL\t-3\t2", "ORD\t-8\t4", "ORD\t5\t1", "ORD\t70\t3");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--group-count")).containsExactly("ATL\t1", "ORD\t3");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ATL", "--group-count", "--format", "json"))
                .containsExactly("{\"values\":[\"ATL\",\"-3\"],\"count\":1}");
    }

    @Test
    void getsExactPrefixRangeLimitAndAll() {
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY))
                .containsExactly("ATL\t-3\t2", "ORD\t-8\t4", "ORD\t5\t1", "ORD\t70\t3");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "70")).containsExactly("ORD\t70\t3");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--", "ORD", "-8")).containsExactly("ORD\t-8\t4");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "--limit", "2"))
                .containsExactly("ORD\t-8\t4", "ORD\t5\t1");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "--from=-8", "--to", "70"))
                .containsExactly("ORD\t-8\t4", "ORD\t5\t1");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "--from", "5", "--to", "70", "--inclusive"))
                .containsExactly("ORD\t5\t1", "ORD\t70\t3");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--from", "B")).hasSize(3);
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "NOWHERE")).isEmpty();
    }

    @Test
    void getsValuesOfAnInPrefixesAndReverseOrder() {
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--in", "ORD,ATL", "--from", "0"))
                .containsExactly("ORD\t5\t1", "ORD\t70\t3");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ORD", "--in=5,-8", "--reverse"))
                .containsExactly("ORD\t5\t1", "ORD\t-8\t4");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--prefix", "OR", "--limit", "1"))
                .containsExactly("ORD\t-8\t4");
        assertFails("Column f:delay:int", "get", TABLE, BY_ORIGIN_DELAY, "ORD", "--prefix", "5");
        assertFails("is empty", "get", TABLE, BY_ORIGIN_DELAY, "ORD", "--from", "5", "--to", "5");
    }

    @Test
    void getsPagesWithTokens() {
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--page", "3"))
                .containsExactly("ATL\t-3\t2", "ORD\t-8\t4", "ORD\t5\t1");
        assertThat(err.toString()).startsWith("next page: --token ");
        String token = err.toString().strip().substring("next page: --token ".length());
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--page", "3", "--token", token))
                .containsExactly("ORD\t70\t3");
        assertThat(err.toString().strip()).isEqualTo("this is the last page");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--page", "3", "--token", token, "--format", "json"))
                .hasSize(2)
                .last()
                .isEqualTo("{\"token\":null}");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--page", "1", "--format", "json"))
                .last()
                .asString()
                .startsWith("{\"token\":\"A");
        assertFails("other conditions", "get", TABLE, BY_ORIGIN_DELAY, "ORD", "--token", token);
        assertFails("is damaged", "get", TABLE, BY_ORIGIN_DELAY, "--token", token.substring(1));
    }

    @Test
    void explainsAQuery() {
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "--in", "ORD,ATL", "--explain"))
                .anyMatch(line -> line.startsWith("index " + BY_ORIGIN_DELAY + " of table " + TABLE))
                .anyMatch(line -> line.startsWith("2 ranges of keys, in "))
                .anyMatch(line -> line.contains("f:origin = ATL: [ATL\\x00\\x01, ATL\\x00\\x02)"));
    }

    @Test
    void getsRowsAndJson() {
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ATL", "--rows"))
                .containsExactly("ATL\t-3\t2\tf:delay=\\xFF\\xFF\\xFF\\xFD\tf:id=2\tf:origin=ATL");
        assertThat(lines("get", TABLE, BY_ORIGIN_DELAY, "ATL", "--rows", "--format", "json"))
                .containsExactly("{\"values\":[\"ATL\",\"-3\"],\"row\":\"2\",\"columns\":{\"f:delay\":"
                        + "\"\\\\xFF\\\\xFF\\\\xFF\\\\xFD\",\"f:id\":\"2\",\"f:origin\":\"ATL\"}}");
    }

    @Test
    void listsDescribesAndPrintsTheStatus() {
        assertThat(lines("list", TABLE))
                .anyMatch(line ->
                        line.matches("commands +by_origin_delay +sync-insert +ACTIVE +f:origin:string,f:delay:int"));
        assertThat(lines("describe", TABLE, BY_ORIGIN_DELAY))
                .contains("columns       f:origin:string, f:delay:int", "split points  G, P");
        assertThat(lines("describe", TABLE, BY_ORIGIN_DELAY, "--json"))
                .singleElement()
                .asString()
                .contains("\"scheme\":\"sync-insert\"", "\"split_points\":[\"G\",\"P\"]");
        assertThat(lines("status", TABLE, "--json"))
                .singleElement()
                .asString()
                .contains("\"table\":\"commands\"", "\"auq_rows\":0", "\"oldest_age_ms\":0");
        assertThat(String.join("\n", lines("status", TABLE)))
                .contains("by_origin_delay", "AUQ", "staleness", "base reads");
    }

    @Test
    void showsAndDropsAnIndexWhoseDropWasInterrupted() throws IOException {
        String[] create = {
            "create-index", TABLE, "interrupted", "--columns", "f:origin", "--scheme", "sync-full", "--wait"
        };
        assertThat(run(create)).as(err.toString()).isZero();
        try (Admin admin = connection.getAdmin()) {
            TableName indexTable = TableName.valueOf(TABLE + ".interrupted");
            admin.modifyTable(IndexDefinitions.withState(admin.getDescriptor(indexTable), IndexState.DROPPING));
        }
        assertThat(lines("list", TABLE))
                .anyMatch(line -> line.matches("commands +interrupted +sync-full +DROPPING .*"));
        assertThat(lines("describe", TABLE, "interrupted")).contains("state         DROPPING");
        assertThat(String.join("\n", lines("status", TABLE))).contains("DROPPING", "ACTIVE");
        assertFails(
                "Index 'interrupted' of table commands was dropped or rebuilt, or is being dropped",
                "get",
                TABLE,
                "interrupted");
        assertFails("is being dropped, or its drop was interrupted", "scrub", TABLE, "interrupted");
        assertFails("its drop was interrupted", create);
        assertThat(run("drop-index", TABLE, "interrupted")).as(err.toString()).isZero();
        assertThat(run(create)).as(err.toString()).isZero();
        assertThat(lines("get", TABLE, "interrupted", "ATL")).containsExactly("ATL\t2");
        assertThat(run("drop-index", TABLE, "interrupted")).isZero();
    }

    @Test
    void aBuildIsFollowedAndControlled() throws IOException {
        String index = "controlled";
        assertThat(run(
                        "create-index",
                        TABLE,
                        index,
                        "--columns",
                        "f:origin",
                        "--scheme",
                        "sync-full",
                        "--paused",
                        "--rate",
                        "500"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .startsWith("Index controlled on commands is BUILDING")
                .contains("build status");
        assertThat(String.join("\n", lines("build", "status", TABLE, index)))
                .contains("BUILDING", "0 rows read", "paused", "limited to 500 rows/s");
        assertFails("Its build: 0 entries written", "get", TABLE, index);
        assertThat(lines("build", "limit", TABLE, index, "--rate", "0", "--json"))
                .singleElement()
                .asString()
                .contains("\"paused\":true", "\"rows_per_second_limit\":0.0", "\"state\":\"BUILDING\"");
        assertThat(run("build", "resume", TABLE, index)).isZero();
        assertThat(String.join("\n", lines("build", "wait", TABLE, index)))
                .contains("ACTIVE", "5 entries written, 0 rows left out, 5 rows read");
        assertThat(run("build", "pause", TABLE, index)).as(err.toString()).isZero();
        assertThat(out.toString()).contains("ACTIVE");
        assertThat(lines("get", TABLE, index, "ATL")).containsExactly("ATL\t2");
        assertFails("is ACTIVE, neither BUILDING nor BROKEN", "build", "cancel", TABLE, index);
        assertThat(run("drop-index", TABLE, index)).isZero();
        assertFails("has no index 'controlled'", "build", "status", TABLE, index);
    }

    @Test
    void aBuildIsCancelled() {
        assertThat(run(
                        "create-index",
                        TABLE,
                        "cancelled",
                        "--columns",
                        "f:origin",
                        "--scheme",
                        "sync-full",
                        "--paused"))
                .as(err.toString())
                .isZero();
        assertThat(lines("build", "cancel", TABLE, "cancelled"))
                .containsExactly("Cancelled: index cancelled on commands is dropped");
        assertFails("has no index 'cancelled'", "build", "resume", TABLE, "cancelled");
    }

    /** Without HADOOP_CONF_DIR the jobs run in the command's own process. */
    @Test
    void anIndexIsBuiltAndScrubbedByJobs() throws IOException {
        String index = "by_job";
        assertThat(run("create-index", TABLE, index, "--columns", "f:origin", "--scheme", "sync-full", "--paused"))
                .as(err.toString())
                .isZero();
        assertThat(lines("build", "mapreduce", TABLE, index, "--maps", "2"))
                .hasSize(2)
                .first()
                .asString()
                .contains("backfills index by_job on commands", "in this process, because HADOOP_CONF_DIR");
        assertThat(out.toString()).contains("is ACTIVE: 5 entries written, 0 rows left out");
        assertThat(lines("get", TABLE, index, "ATL")).containsExactly("ATL\t2");
        assertThat(lines("scrub", TABLE, index, "--mapreduce", "--maps", "2"))
                .last()
                .asString()
                .endsWith("indexes of table commands are correct");
        assertThat(run("drop-index", TABLE, index)).isZero();
        assertFails("has no index 'by_job'", "build", "mapreduce", TABLE, index);
    }

    @Test
    void anIndexIsDisabledEnabledAndRebuilt() {
        String index = "switched";
        assertThat(run("create-index", TABLE, index, "--columns", "f:origin", "--scheme", "sync-full", "--wait"))
                .as(err.toString())
                .isZero();
        assertFails("is ACTIVE, not DISABLED", "enable-index", TABLE, index);
        assertThat(lines("disable-index", TABLE, index))
                .singleElement()
                .asString()
                .contains("is DISABLED: no write maintains it", "enable-index commands switched");
        assertThat(String.join("\n", lines("list", TABLE))).containsPattern("switched +sync-full +DISABLED +f:origin");
        assertThat(String.join("\n", lines("list"))).containsPattern("switched +sync-full +DISABLED +f:origin");
        assertThat(String.join("\n", lines("describe", TABLE, index))).contains("state         DISABLED");
        assertFails("is DISABLED; enable it", "get", TABLE, index, "ATL");
        assertFails(
                "DISABLED; enable it, or drop it first",
                "create-index",
                TABLE,
                index,
                "--columns",
                "f:delay:int",
                "--scheme",
                "sync-full");
        assertThat(lines("enable-index", TABLE, index, "--paused"))
                .singleElement()
                .asString()
                .contains("is BUILDING", "build status commands switched");
        assertThat(run("build", "resume", TABLE, index)).isZero();
        assertThat(run("build", "wait", TABLE, index)).isZero();
        assertThat(lines("get", TABLE, index, "ATL")).containsExactly("ATL\t2");
        assertThat(lines("rebuild-index", TABLE, index, "--wait"))
                .singleElement()
                .asString()
                .contains("is ACTIVE: 5 entries written");
        assertThat(lines("get", TABLE, index, "ATL")).containsExactly("ATL\t2");
        assertThat(run("disable-index", TABLE, index)).isZero();
        assertThat(run("drop-index", TABLE, index)).isZero();
        assertThat(String.join("\n", lines("list", TABLE))).doesNotContain(index);
    }

    @Test
    void theColumnsOfAnIndexAreChanged() {
        String index = "reshaped";
        assertThat(run("create-index", TABLE, index, "--columns", "f:origin", "--scheme", "sync-full", "--wait"))
                .as(err.toString())
                .isZero();
        assertThat(lines("alter-index", TABLE, index, "--columns", "f:origin,f:delay:int"))
                .singleElement()
                .asString()
                .contains("are being changed", "same command and --wait", "build status commands reshaped");
        assertThat(String.join("\n", lines("list", TABLE)))
                .containsPattern("reshaped +sync-full +ACTIVE, being replaced: (BUILDING|ACTIVE)")
                .doesNotContain("reshaped.2 ");
        assertThat(String.join("\n", lines("describe", TABLE, index)))
                .contains("replaced by   f:origin:string, f:delay:int in commands.reshaped.2, ");
        assertFails("Another change of index reshaped", "alter-index", TABLE, index, "--columns", "f:delay:int");
        assertFails(
                "Cannot change the scheme of index reshaped", "alter-index", TABLE, index, "--scheme", "sync-insert");
        assertThat(lines("alter-index", TABLE, index, "--columns", "f:origin,f:delay:int", "--wait"))
                .containsExactly("Index reshaped on commands has the columns f:origin:string, f:delay:int");
        assertThat(err.toString()).contains("Readers go over to the new columns", "Removing what the index was before");
        assertThat(lines("get", TABLE, index, "ATL")).singleElement().asString().startsWith("ATL");
        assertThat(String.join("\n", lines("describe", TABLE, index)))
                .contains("index         reshaped", "index table   commands.reshaped.2");
        assertFails("No change of the columns of index reshaped", "alter-index", TABLE, index, "--cancel");
        assertThat(run("drop-index", TABLE, index)).isZero();
        assertThat(String.join("\n", lines("list", TABLE))).doesNotContain(index);
    }

    @Test
    void theSchemeOfAnIndexIsChanged() {
        String index = "altered";
        assertThat(run("create-index", TABLE, index, "--columns", "f:origin", "--scheme", "sync-insert", "--wait"))
                .as(err.toString())
                .isZero();
        assertThat(lines("alter-index", TABLE, index, "--scheme", "sync-full"))
                .containsExactly("Index altered on commands is sync-full: it promises what that scheme does");
        assertThat(err.toString())
                .contains(
                        "readers read carefully",
                        "Removing the entries of old values",
                        "readers rely on the new scheme");
        assertThat(String.join("\n", lines("list", TABLE))).containsPattern("altered +sync-full +ACTIVE +f:origin");
        assertThat(String.join("\n", lines("describe", TABLE, index))).contains("scheme        sync-full");
        assertThat(lines("get", TABLE, index, "ATL")).containsExactly("ATL\t2");
        assertThat(run("disable-index", TABLE, index)).isZero();
        assertFails("is DISABLED; enable it first", "alter-index", TABLE, index, "--scheme", "async-simple");
        assertThat(run("drop-index", TABLE, index)).isZero();
        assertFails("has no index 'altered'", "alter-index", TABLE, index, "--scheme", "async-simple");
    }

    @Test
    void unknownTablesAndFamiliesAreNamed() {
        assertFails(
                "There is no table nowhere",
                "create-index",
                "nowhere",
                "i",
                "--columns",
                "f:q",
                "--scheme",
                "sync-full");
        assertFails("There is no table nowhere", "get", "nowhere", "i");
        assertFails("There is no table nowhere", "status", "nowhere");
        assertFails("There is no table nowhere", "drain", "nowhere");
        assertFails("There is no table nowhere", "load", "nowhere", csv.toString(), "--key", "id");
        assertFails(
                "has no column family for g:q:string; its families are f",
                "create-index",
                TABLE,
                "i",
                "--columns",
                "g:q",
                "--scheme",
                "sync-full");
        assertFails(
                "has no column family g; its families are f",
                "load",
                TABLE,
                csv.toString(),
                "--key",
                "id",
                "--family",
                "g");
        assertThat(lines("list", TABLE)).hasSize(2);
    }

    @Test
    void secondDefinitionAndIndexOfAnIndexAreRefused() {
        String[] again = {"create-index", TABLE, BY_ORIGIN_DELAY, "--columns", "f:q", "--scheme", "sync-full"};
        assertFails("There is already an index", again);
        String indexTable = TABLE + "." + BY_ORIGIN_DELAY;
        assertFails(
                "is itself an index table",
                "create-index",
                indexTable,
                "i",
                "--columns",
                "e:q",
                "--scheme",
                "sync-full");
        assertFails("is an index table", "load", indexTable, csv.toString(), "--key", "id", "--family", "e");
    }

    @Test
    void valuesThatDoNotFitAreRefused() {
        assertFails(
                "'late' is not a value of column f:delay of type int", "get", TABLE, BY_ORIGIN_DELAY, "ORD", "late");
        assertFails("has 2 columns", "get", TABLE, BY_ORIGIN_DELAY, "ORD", "5", "6");
        assertFails("has 2 columns", "get", TABLE, BY_ORIGIN_DELAY, "ORD", "5", "--from", "6");
        assertFails("Table commands has no index 'by_date'", "get", TABLE, "by_date");
        assertFails("Table commands has no index 'by_date'", "drop-index", TABLE, "by_date");
    }

    @Test
    void aWrongLineKeepsTheRowsBeforeIt() throws IOException {
        Path wrong = Files.writeString(dir.resolve("wrong.csv"), "id,delay\n1,5\n2,6\n3,late\n4,7\n");
        assertFails(
                "Line 4 of " + wrong
                        + " cannot be loaded: 'late' in column delay is not of type int; at least 2 rows of the file are"
                        + " in table",
                "load",
                "wrong",
                wrong.toString(),
                "--key",
                "id",
                "--types",
                "delay:int",
                "--create",
                "--batch",
                "1");
    }

    @Test
    void aStoppedClusterIsReported() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Path down = Files.createDirectory(dir.resolve("down"));
        Configuration conf = new Configuration(false);
        conf.set("hbase.zookeeper.quorum", "127.0.0.1");
        conf.setInt("hbase.zookeeper.property.clientPort", port);
        writeSite(down, conf);
        for (String[] command : List.of(
                new String[] {"list"},
                new String[] {"get", TABLE, BY_ORIGIN_DELAY},
                new String[] {"load", TABLE, csv.toString(), "--key", "id"},
                new String[] {"ycsb", "load"})) {
            assertThat(runOn(down, command)).isEqualTo(1);
            assertThat(err.toString())
                    .startsWith("diffindex: The cluster is down")
                    .hasLineCount(1);
        }
    }

    private void assertFails(String message, String... args) {
        assertThat(run(args)).as(out.toString()).isEqualTo(1);
        assertThat(err.toString()).startsWith("diffindex: ").contains(message).hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    private List<String> lines(String... args) {
        assertThat(run(args)).as(err.toString()).isZero();
        return new ArrayList<>(out.toString().lines().toList());
    }

    private int run(String... args) {
        return runOn(dir, args);
    }

    private int runOn(Path conf, String... args) {
        out = new StringWriter();
        err = new StringWriter();
        CommandLine command = DiffIndex.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        List<String> all = new ArrayList<>(List.of("--conf", conf.toString()));
        all.addAll(List.of(args));
        return command.execute(all.toArray(String[]::new));
    }
}
