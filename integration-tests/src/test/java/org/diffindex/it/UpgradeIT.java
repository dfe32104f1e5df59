package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.CITY;
import static org.diffindex.it.IndexedFixture.F;
import static org.diffindex.it.IndexedFixture.NOTE;

import com.google.protobuf.UnknownFieldSet;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.cli.DiffIndex;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;
import org.diffindex.cluster.ClassPath;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.UnloadedIndex;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.StatusRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The servers of a cluster of real processes are replaced, one after the other, by those of a {@linkplain NextBuild build}
 * that knows a later format of indexes, while clients of the earlier build write and read. Then clients and a server of
 * the earlier build meet an index of the later format. This JVM is the client of the earlier build; that of the next
 * build is a command in a process of its own.
 */
@Tag("proof")
@Tag("turn-2")
@Order(1)
class UpgradeIT {
    private static final int WRITERS = 2;
    private static final int ROWS_OF_A_WRITER = 100;
    private static final int CITIES = 30;
    private static final String LATER = "later";

    @RegisterExtension
    static final ProcessCluster processes = ProcessCluster.withDiffIndex(2, UpgradeIT::earlierBuild);

    @TempDir
    Path dir;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicLong writes = new AtomicLong();

    /** Writers hold the read lock for a write and the reads that follow; held to compare indexes and table exactly. */
    private final ReadWriteLock writing = new ReentrantReadWriteLock();

    private LocalCluster cluster;
    private Connection connection;
    private Admin hbase;
    private IndexedFixture fixture;
    private String nextBuild;
    private String nextCommand;

    /** Returns the class path of servers: HBase's, and the jar for servers. */
    private static String earlierBuild() throws IOException {
        return PlainHBase.classPath() + File.pathSeparator + PlainHBase.serverJar();
    }

    @BeforeEach
    void makeTable() throws IOException {
        nextBuild = NextBuild.classPath(earlierBuild(), Files.createDirectory(dir.resolve("server")));
        nextCommand = NextBuild.classPath(ClassPath.current(), Files.createDirectory(dir.resolve("client")));
        cluster = processes.get();
        connection = ConnectionFactory.createConnection(cluster.configuration());
        hbase = connection.getAdmin();
        boolean unused = hbase.balancerSwitch(false, true);
        fixture = new IndexedFixture(
                connection,
                1,
                name -> List.of(
                        index(name, "by_city", "city", IndexScheme.SYNC_FULL),
                        index(name, "by_note", "note", IndexScheme.ASYNC_SESSION)));
    }

    private static IndexDefinition index(TableName table, String name, String column, IndexScheme scheme) {
        return IndexDefinition.builder(table, name)
                .column("f", column, ColumnTypes.STRING)
                .scheme(scheme)
                .splitAt(column + 15)
                .build();
    }

    @AfterEach
    void disconnect() throws IOException {
        stopping.set(true);
        threads.shutdownNow();
        fixture.close();
        hbase.close();
        connection.close();
    }

    @Test
    void buildsWorkTogetherAndRefuseWhatTheyDoNotKnow() throws Exception {
        List<Future<?>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int number = i;
            writers.add(threads.submit(() -> write(number)));
        }
        assertExact();
        assertServersRefuseWhatTheyDoNotKnow();
        assertRefused(
                createIndex(LATER, "--index-format", Integer.toString(NextBuild.FORMAT)),
                "cannot have an index of format 2",
                "the master knows formats up to 1. Upgrade the masters");

        restart("rs1", nextBuild);
        spread();
        assertExact();
        assertThat(next("doctor").output())
                .contains("the servers know different formats of indexes: up to 1 on ", "; up to 2 on localhost:");
        assertSucceeds(createIndex("by_next_client", "--wait"), "is ACTIVE");
        assertExact();
        restart("rs2", nextBuild);
        spread();
        assertExact();
        restart("master", nextBuild);
        assertExact();

        assertSucceeds(createIndex(LATER, "--index-format", Integer.toString(NextBuild.FORMAT), "--wait"), "is ACTIVE");
        assertAClientOfTheEarlierBuildRefusesTheIndex();
        assertExact();
        stopping.set(true);
        for (Future<?> writer : writers) {
            writer.get();
        }
        assertAllIndexesAreExact();
        aServerOfTheEarlierBuildIsStartedByMistake();
        assertAllIndexesAreExact();
    }

    /** Writes rows and reads each by both indexes; each write must succeed, and be found. */
    private Void write(int number) throws IOException {
        Random random = new Random(number);
        try (IndexedTable indexed = new IndexedTable(connection, fixture.name);
                Table table = connection.getTable(fixture.name)) {
            while (!stopping.get()) {
                try (Session session = indexed.openSession()) {
                    for (int i = 0; i < ROWS_OF_A_WRITER && !stopping.get(); i++) {
                        writing.readLock().lock();
                        try {
                            writeAndRead(number, random, table, indexed, session);
                        } finally {
                            writing.readLock().unlock();
                        }
                    }
                }
            }
        }
        return null;
    }

    private void writeAndRead(int number, Random random, Table table, IndexedTable indexed, Session session)
            throws IOException {
        String row = (char) ('a' + random.nextInt(26)) + "-" + number + "-" + random.nextInt(ROWS_OF_A_WRITER);
        String city = "city" + random.nextInt(CITIES);
        String note = "note" + random.nextInt(CITIES);
        table.put(new Put(Bytes.toBytes(row)).addColumn(F, CITY, Bytes.toBytes(city)));
        assertThat(rows(indexed.getByIndex(of("by_city", city)))).contains(row);
        session.put(new Put(Bytes.toBytes(row)).addColumn(F, NOTE, Bytes.toBytes(note)));
        assertThat(rows(session.getByIndex(of("by_note", note)))).contains(row);
        if (random.nextInt(4) == 0) {
            table.delete(new Delete(Bytes.toBytes(row)));
            assertThat(rows(indexed.getByIndex(of("by_city", city)))).doesNotContain(row);
        }
        writes.incrementAndGet();
    }

    private static IndexQuery of(String index, String value) {
        return IndexQuery.index(index).equalTo(value).build();
    }

    private static List<String> rows(IndexScanner found) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexScanner hits = found) {
            for (IndexHit hit : hits) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }

    /** Compares the indexes that this build knows while no writer writes, after the writers have gone on for a while. */
    private void assertExact() throws IOException {
        long before = writes.get();
        assertThat(Conditions.await(IndexedFixture.DRAIN, () -> writes.get() > before + ROWS_OF_A_WRITER))
                .as("the writers go on")
                .isTrue();
        writing.writeLock().lock();
        try {
            fixture.assertReadersOfSynchronousIndexesSeeTheBase();
            fixture.assertIndexesEqualBase();
        } finally {
            writing.writeLock().unlock();
        }
    }

    /** Compares all indexes, by the build that knows them. */
    private void assertAllIndexesAreExact() throws Exception {
        fixture.assertIndexesEqualBase();
        assertSucceeds(next("scrub", table(), "--lag", "1"), "The indexes of table " + table() + " are correct");
    }

    private String table() {
        return fixture.name.getNameAsString();
    }

    /** HBase's messages carry to the servers whatever a later build's client asks for. */
    private void assertServersRefuseWhatTheyDoNotKnow() {
        byte[] row = Bytes.toBytes("a");
        assertThatThrownBy(() -> fixture.table.get(new Get(row).setAttribute("diffindex.later", row)))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Nothing was read: the read has the attribute diffindex.later");
        StatusRequest later = StatusRequest.newBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                99,
                                UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                        .build())
                .build();
        assertThatThrownBy(() -> DiffIndexService.newBlockingStub(fixture.table.coprocessorService(row))
                        .status(null, later))
                .hasStackTraceContaining("a client of a later build of Diff-Index asks for something");
    }

    private void assertAClientOfTheEarlierBuildRefusesTheIndex() throws IOException {
        assertThatThrownBy(() -> fixture.rows(LATER, "city1"))
                .isInstanceOf(IndexNotLoadedException.class)
                .hasMessageContaining("it has format 2, and this build of Diff-Index reads formats up to 1")
                .hasMessageContaining("use the build of Diff-Index with which that index was made, or a later one");
        assertThat(fixture.admin.listUnloadedIndexes(fixture.name))
                .extracting(UnloadedIndex::name)
                .containsExactly(LATER);
        assertThat(fixture.admin.listIndexes(fixture.name))
                .extracting(IndexDefinition::name)
                .containsExactly("by_city", "by_next_client", "by_note");
    }

    /** It opens the regions that move to it and answers plain reads, but neither writes nor reads of the index. */
    private void aServerOfTheEarlierBuildIsStartedByMistake() throws Exception {
        fixture.put("x-kept", "city1");
        restart("rs2", earlierBuild());
        ServerName mistaken = server("rs2");
        List<RegionInfo> regions = hbase.getRegions(fixture.name);
        move(regions.get(regions.size() - 1), mistaken);
        for (RegionInfo region : hbase.getRegions(IndexDefinition.indexTable(fixture.name, LATER))) {
            move(region, mistaken);
        }
        assertThatThrownBy(() -> fixture.put("x-refused", "city1"))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Write refused, nothing was written")
                .hasMessageContaining("Upgrade Diff-Index on that server and restart it");
        assertThat(fixture.table.exists(new Get(Bytes.toBytes("x-refused")))).isFalse();
        assertThat(fixture.table.exists(new Get(Bytes.toBytes("x-kept")))).isTrue();
        assertThatThrownBy(() -> fixture.put("a-delayed", "city1")).matches(IndexUpdateDelayedException::isReportedBy);
        assertRefused(next("get", table(), LATER, "city1"), "this region server cannot serve", "its format is 2");
        assertRefused(
                createIndex("another", "--index-format", Integer.toString(NextBuild.FORMAT)),
                "region server " + mistaken + " knows formats up to 1. Upgrade the region servers");
        assertThat(next("doctor").output())
                .contains("an index has format 2, which is not known to localhost:" + mistaken.getPort());
        assertThat(processes.isUp("rs2")).isTrue();
        restart("rs2", nextBuild);
        assertThat(fixture.rows("by_city", "city1")).contains("a-delayed", "x-kept");
    }

    /** Restarts a server with the classes of a build, after its regions were moved away if it has any. */
    private void restart(String process, String build) throws IOException {
        if (cluster.regionServers().contains(process)) {
            ServerName leaving = server(process);
            ServerName other = hbase.getRegionServers().stream()
                    .filter(server -> !server.equals(leaving))
                    .findFirst()
                    .orElseThrow();
            for (RegionInfo region : hbase.getRegions(leaving)) {
                move(region, other);
            }
        }
        RollingRestart.restart(LocalCluster.open(cluster.layout().dir(), build), process);
    }

    /** Distributes the regions of the table, and those of its indexes, over both servers. */
    private void spread() throws IOException {
        List<ServerName> servers = List.of(server("rs1"), server("rs2"));
        int turn = 0;
        for (TableName table : hbase.listTableNames()) {
            if (table.getNameAsString().startsWith(table())) {
                turn++;
                for (RegionInfo region : hbase.getRegions(table)) {
                    move(region, servers.get(turn++ % servers.size()));
                }
            }
        }
    }

    /** Moves a region; repeats that while HBase opens it elsewhere, because the server has registered but does not run yet. */
    private void move(RegionInfo region, ServerName to) throws IOException {
        try (RegionLocator regions = connection.getRegionLocator(region.getTable())) {
            assertThat(Conditions.await(IndexedFixture.DRAIN, () -> {
                        hbase.move(region.getEncodedNameAsBytes(), to);
                        return regions.getRegionLocation(region.getStartKey(), true)
                                .getServerName()
                                .equals(to);
                    }))
                    .as("%s is on %s", region, to)
                    .isTrue();
        }
    }

    private ServerName server(String process) throws IOException {
        ProcessStatus status = cluster.status().stream()
                .filter(each -> each.name().equals(process))
                .findFirst()
                .orElseThrow();
        return hbase.getRegionServers().stream()
                .filter(server -> server.getPort() == status.ports().get("rpc"))
                .findFirst()
                .orElseThrow();
    }

    /** The outcome of a command of the next build. */
    private record Outcome(int exitCode, String output) {}

    private Outcome createIndex(String name, String... options) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("create-index", table(), name, "--columns", "f:city", "--scheme", "sync-full"));
        arguments.addAll(List.of(options));
        return next(arguments.toArray(String[]::new));
    }

    private Outcome next(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(CommandScript.jvmArguments().split("\\s+", -1)));
        command.add("-Dlog4j2.configurationFile=diffindex-cli-log4j2.properties");
        command.add("-Ddiffindex.log=" + dir.resolve("command.log"));
        command.add(DiffIndex.class.getName());
        command.addAll(List.of(arguments));
        command.addAll(List.of("--conf", cluster.layout().conf().toString()));
        Path output = Files.createTempFile(dir, "output", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("CLASSPATH", nextCommand);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES))
                    .as("%s ends: %s", List.of(arguments), Files.readString(output))
                    .isTrue();
            return new Outcome(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
        }
    }

    private static void assertSucceeds(Outcome outcome, String text) {
        assertThat(outcome.output()).contains(text);
        assertThat(outcome.exitCode()).isZero();
    }

    private static void assertRefused(Outcome outcome, String... reasons) {
        assertThat(outcome.output()).contains(reasons);
        assertThat(outcome.exitCode()).isEqualTo(1);
    }
}
