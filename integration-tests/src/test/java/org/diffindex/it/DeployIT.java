package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.cluster.ClassPath;
import org.diffindex.cluster.LocalCluster;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows docs/deploy.md, block by block, on a plain HBase of real processes: the cluster has a working index, and
 * afterwards is as it was before. Only the document's first block is replaced, as by any user.
 */
@Tag("proof")
@Tag("turn-3")
@Order(1)
class DeployIT {
    private static final Path DOCUMENT = Path.of("..", "docs", "deploy.md");
    private static final Pattern BLOCK =
            Pattern.compile("^## ([^\\n]*)$|^```bash\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final int ROWS = 500;

    @TempDir
    static Path dir;

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.plain(2, DeployIT::classPath);

    private static LocalCluster cluster;
    private static Path jars;
    private static Path distribution;
    private static Path preamble;
    private static Shell shell;

    /** A step of the document: the heading above it, and its commands. */
    private record Step(String heading, String script) {}

    @BeforeAll
    static void prepare() throws IOException {
        jars = Files.createDirectories(dir.resolve("jars"));
        distribution = Files.createDirectory(dir.resolve("distribution"));
        shell = new Shell(distribution, Map.of());
        cluster = processes.get();
        layOutDistribution(classPath());
        makeTable();
    }

    /** Returns the servers' class path: that of a plain HBase, and the folder to which the document copies jars. */
    private static String classPath() throws IOException {
        return PlainHBase.classPath() + File.pathSeparator + dir.resolve("jars") + "/*";
    }

    /**
     * Creates the distribution as the archive contains it: the command and the servers' jar; and a replacement of the
     * document's first block.
     */
    private static void layOutDistribution(String clusterClassPath) throws IOException {
        Path server = Files.createDirectory(distribution.resolve("server"));
        Files.copy(PlainHBase.serverJar(), server.resolve(PlainHBase.serverJar().getFileName()));
        CommandScript.write(distribution, dir.resolve("command.log"));
        preamble = Files.writeString(
                dir.resolve("preamble.sh"),
                """
                HBASE_LIB=%1$s
                export HBASE_CONF_DIR=%2$s
                HBASE_ROOT=%3$s
                TABLE=%4$s
                COLUMN=f:origin
                copy_to_servers() { cp "$1" "$2/.new" && mv "$2/.new" "$2/${1##*/}"; }
                replace_on_servers() { cp "$2" "$3/.new" && rm -f "$3"/$1 && mv "$3/.new" "$3/${2##*/}"; }
                remove_from_servers() { rm -f $1; }
                edit_settings() { bin/diffindex settings "$1" "$HBASE_CONF_DIR/hbase-site.xml"; }
                restart() { CLASSPATH='%5$s' %6$s %7$s org.diffindex.it.RollingRestart %8$s '%9$s' "$@"; }
                restart_masters() { restart master; }
                restart_region_servers() { restart rs1 rs2; }
                hdfs() { shift; CLASSPATH=$HBASE_CONF_DIR:'%5$s' %6$s %7$s org.apache.hadoop.fs.FsShell "$@"; }
                """
                        .formatted(
                                jars,
                                cluster.layout().conf(),
                                cluster.configuration().get("hbase.rootdir"),
                                TABLE,
                                ClassPath.current(),
                                CommandScript.java(),
                                CommandScript.jvmArguments(),
                                cluster.layout().dir(),
                                clusterClassPath));
    }

    private static void makeTable() throws IOException {
        try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
                Admin admin = connection.getAdmin()) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(TABLE)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                            .build(),
                    new byte[][] {Bytes.toBytes("row-200")});
            List<Put> puts = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                puts.add(new Put(Bytes.toBytes("row-%03d".formatted(i)))
                        .addColumn(Bytes.toBytes("f"), Bytes.toBytes("origin"), Bytes.toBytes("AP" + i % 10)));
            }
            try (Table table = connection.getTable(TABLE)) {
                table.put(puts);
            }
        }
    }

    private static List<Step> steps() throws IOException {
        List<Step> steps = new ArrayList<>();
        String heading = "";
        Matcher matcher = BLOCK.matcher(Files.readString(DOCUMENT));
        while (matcher.find()) {
            if (matcher.group(1) == null) {
                steps.add(new Step(heading, matcher.group(2)));
            } else {
                heading = matcher.group(1);
            }
        }
        return steps;
    }

    @Test
    void endsWithAWorkingIndexAndThenWithTheClusterAsItWas() throws Exception {
        List<Step> steps = steps();
        assertThat(steps)
                .extracting(Step::heading)
                .map(heading -> heading.substring(0, 1))
                .containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "8");
        assertThat(shell.bash(Path.of("/dev/null"), "-n", write(steps.get(0).script()))
                        .exitCode())
                .as("the first block is a script")
                .isZero();
        ClusterSnapshot before = ClusterSnapshot.of(cluster.layout(), jars);
        assertThat(before.masterCoprocessors()).isEmpty();

        assertThat(follow(steps.get(1))).contains("problem  master-observer", "this is to be expected");
        follow(steps.get(2));
        follow(steps.get(2));
        follow(steps.get(3));
        assertThat(follow(steps.get(3))).contains("already has the coprocessors");
        follow(steps.get(4));
        assertThat(follow(steps.get(5)))
                .contains(
                        "has loaded IndexMasterObserver", "all 2 answer", "writes to index tables have high priority");
        assertThat(follow(steps.get(6)))
                .contains(
                        "Index trial on flights is ACTIVE: 500 entries written",
                        "AP0\trow-000",
                        "The indexes of table flights are correct",
                        "all 1 indexes are ACTIVE");
        assertThat(ClusterSnapshot.of(cluster.layout(), jars)).isNotEqualTo(before);
        assertThat(follow(steps.get(7))).contains("The indexes of table flights are correct");
        follow(steps.get(8));
        follow(steps.get(9));

        ClusterSnapshot after = ClusterSnapshot.of(cluster.layout(), jars);
        assertThat(after).usingRecursiveComparison().isEqualTo(before);
    }

    /** Pastes a step into a shell, in the folder of the distribution; its last command must succeed. */
    private static String follow(Step step) throws Exception {
        String pasted = "PS1=; PS2=\n. " + preamble + "\n" + step.script() + "\necho \"The exit code is $?.\"\nexit\n";
        Shell.Result result = shell.bash(Path.of(write(pasted)), "--noprofile", "--norc", "-i");
        assertThat(result.output()).as("step %s", step.heading()).contains("The exit code is 0.");
        return result.output();
    }

    private static String write(String script) throws IOException {
        return Files.writeString(Files.createTempFile(dir, "step", ".sh"), script)
                .toString();
    }
}
