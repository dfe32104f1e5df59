package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.CITY;
import static org.diffindex.it.IndexedFixture.F;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.nio.file.Files;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.token.ClientTokenUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.security.UserGroupInformation;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.Conditions;
import org.diffindex.mapreduce.BuildJob;
import org.diffindex.mapreduce.ScrubJob;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.verify.ScrubOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.support.TypeBasedParameterResolver;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Indexes keep their promises on a cluster of processes whose HBase, HDFS and ZooKeeper require Kerberos, with tickets
 * that expire meanwhile; the blocks of docs/security.md do what it says. Users are logged in from keytabs, and are not
 * HBase's superuser.
 */
@Tag("proof")
@Tag("turn-2")
@Isolated
@EnabledIf(
        value = "org.diffindex.it.Kdc#isInstalled",
        disabledReason =
                "There is no KDC on this machine; on Debian: apt-get install krb5-kdc krb5-admin-server" + " krb5-user")
class KerberosIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final TableName FLIGHTS = TableName.valueOf("flights");
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    @RegisterExtension
    @Order(1)
    static final KerberosRealm realm = new KerberosRealm();

    @RegisterExtension
    @Order(2)
    static final ProcessCluster processes = ProcessCluster.withKerberos(realm::kerberos);

    /** The connection of the contract's tests. */
    @RegisterExtension
    @Order(3)
    static final TypeBasedParameterResolver<Connection> users = new TypeBasedParameterResolver<>() {
        @Override
        public Connection resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return alice;
        }
    };

    private static Instant start;
    private static Configuration conf;

    /** The user of the servers. */
    private static Connection superuser;

    /** A user who owns tables. */
    private static Connection alice;

    /** A user who may write rows of one table. */
    private static Connection bob;

    @BeforeAll
    static void connect() throws IOException {
        start = Instant.now();
        conf = processes.get().configuration();
        superuser = ConnectionFactory.createConnection(conf);
        alice = realm.connect("alice", conf);
        bob = realm.connect("bob", conf);
        CommandScript.write(realm.kdc().folder(), realm.kdc().folder().resolve("command.log"));
        createFlights();
        Grants.grant(
                superuser,
                "alice",
                Permission.newBuilder("default")
                        .withActions(Action.READ, Action.WRITE, Action.CREATE, Action.ADMIN)
                        .build());
        Grants.awaitReader(superuser, alice, FLIGHTS);
    }

    private static void createFlights() throws IOException {
        try (Admin admin = superuser.getAdmin()) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(FLIGHTS)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                            .build(),
                    Bytes.toByteArrays(new String[] {"f3", "f6"}));
        }
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            puts.add(new Put(Bytes.toBytes("f" + i % 9 + "-" + i)).addColumn(F, ORIGIN, Bytes.toBytes("AP" + i % 7)));
        }
        try (Table table = superuser.getTable(FLIGHTS)) {
            table.put(puts);
        }
    }

    @AfterAll
    static void disconnect() throws IOException {
        for (Connection connection : new Connection[] {bob, alice, superuser}) {
            if (connection != null) {
                connection.close();
            }
        }
    }

    /** Runs commands in the folder of the keytabs, with the tickets of a file; returns what they print. */
    private static Shell.Result run(java.nio.file.Path site, String tickets, String commands) throws Exception {
        return realm.kdc()
                .shell(Map.of(
                        "HBASE_CONF_DIR",
                        site.toString(),
                        "KRB5CCNAME",
                        tickets,
                        "DIFFINDEX_OPTS",
                        "-Djava.security.krb5.conf=" + realm.kdc().krb5Conf()))
                .script(commands);
    }

    private static Shell.Result run(String tickets, String commands) throws Exception {
        return run(processes.get().layout().conf(), tickets, commands);
    }

    private static String requireSuccess(Shell.Result result) {
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    /** One who only claims to be a user, even that of the servers, is nobody. */
    @Test
    void aClientWithoutCredentialsIsRefused() throws Exception {
        Configuration simple = new Configuration(conf);
        simple.set("hbase.security.authentication", "simple");
        simple.setInt("hbase.client.retries.number", 1);
        User claimed = User.create(UserGroupInformation.createRemoteUser("hbase"));
        try (Connection connection = ConnectionFactory.createConnection(simple, claimed);
                Table table = connection.getTable(FLIGHTS)) {
            assertThatThrownBy(() -> table.put(new Put(Bytes.toBytes("f0")).addColumn(F, ORIGIN, ORIGIN)))
                    .isInstanceOf(IOException.class);
        }
        try (Table table = superuser.getTable(FLIGHTS)) {
            assertThat(table.exists(new Get(Bytes.toBytes("f0")))).isFalse();
        }

        Shell.Result without = run("no-such-tickets", "bin/diffindex list");

        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.output())
                .contains("The cluster does not admit this user: it requires Kerberos, and user")
                .contains("has no ticket")
                .contains("log in with kinit");
    }

    @Test
    void theManualIsFollowedWithATicket() throws Exception {
        assertThat(requireSuccess(run("tickets", SecurityManual.commands("4. A user with a ticket"))))
                .contains("krbtgt/" + Kdc.REALM);
        String jobs = requireSuccess(run("tickets", SecurityManual.commands("6. MapReduce jobs")));
        assertThat(jobs)
                .contains("Index by_origin on flights is ACTIVE: 300 entries written")
                .contains("The indexes of table flights are correct");
    }

    @Test
    void theManualIsFollowedWithAKeytab() throws Exception {
        java.nio.file.Path site = Files.createDirectory(realm.kdc().folder().resolve("conf"));
        java.nio.file.Path servers = processes.get().layout().conf();
        Files.copy(servers.resolve("core-site.xml"), site.resolve("core-site.xml"));
        String settings = SecurityManual.settings("5. A program with a keytab")
                .replace("/home/alice", realm.kdc().folder().toString());
        Files.writeString(
                site.resolve("hbase-site.xml"),
                Files.readString(servers.resolve("hbase-site.xml"))
                        .replace("</configuration>", settings + "</configuration>"));

        assertThat(requireSuccess(run(site, "no-such-tickets", SecurityManual.commands("5. A program with a keytab"))))
                .doesNotContain("does not admit");
    }

    /**
     * The writer may write the table alone. The servers write its indexes, and look up their regions in hbase:meta, as
     * themselves: on the server that received the write, and on the others.
     */
    @Test
    void serversWriteIndexesAsThemselves() throws Exception {
        try (IndexedFixture fixture = new IndexedFixture(superuser, 1, IndexedFixture::indexOfEachScheme);
                Table table = bob.getTable(fixture.name)) {
            Grants.grant(
                    superuser,
                    "bob",
                    Permission.newBuilder(fixture.name)
                            .withActions(Action.WRITE)
                            .build());
            for (char letter = 'a'; letter <= 'z'; letter++) {
                Put put = putOf(letter + "-single", "Lima");
                assertThat(Conditions.await(
                                PATIENCE,
                                () -> Grants.isAllowed(() -> {
                                    table.put(put);
                                    return put;
                                })))
                        .as("bob writes %s", put)
                        .isTrue();
            }
            table.put(List.of(putOf("a-batch", "Lima"), putOf("n-batch", "Lima"), putOf("z-batch", "Oslo")));
            table.delete(new Delete(Bytes.toBytes("a-single")));
            fixture.drain();
            for (IndexScheme scheme : IndexScheme.values()) {
                assertThat(fixture.rows(scheme.schemeName(), "Lima"))
                        .as("%s", scheme)
                        .hasSize(27);
            }
            fixture.assertIndexesEqualBase();
            TableName index = IndexDefinition.indexTable(fixture.name, IndexScheme.SYNC_FULL.schemeName());
            try (Table own = bob.getTable(index)) {
                assertThatThrownBy(() -> own.put(new Put(Bytes.toBytes("x")).addColumn(EntryFormat.FAMILY, CITY, CITY)))
                        .isInstanceOf(AccessDeniedException.class);
            }
        }
    }

    /** Its files contain keys of rows. */
    @Test
    void noOtherUserOfHdfsReadsTheFolderOfDiffIndex() throws IOException {
        Path folder = new Path(conf.get("hbase.rootdir"), "diffindex");
        try (FileSystem hdfs = FileSystem.newInstance(folder.toUri(), conf)) {
            assertThat(hdfs.getFileStatus(folder).getPermission()).hasToString("rwx------");
        }
    }

    /** A task of a job has a token of its user, and neither a ticket nor a keytab. */
    @Test
    void jobsDoWithTheTokenOfTheirUser() throws Exception {
        UserGroupInformation task = UserGroupInformation.createRemoteUser("alice");
        task.addToken(ClientTokenUtil.obtainToken(alice));
        Configuration job = new Configuration(conf);
        job.set("mapreduce.framework.name", "local");
        job.set("fs.defaultFS", "file:///");
        job.set("yarn.resourcemanager.principal", "nobody");
        task.doAs((PrivilegedExceptionAction<Void>) () -> {
            try (Connection connection = ConnectionFactory.createConnection(job);
                    DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
                admin.beginIndex(
                        IndexDefinition.builder(FLIGHTS, "by_token")
                                .column("f", "origin", ColumnTypes.STRING)
                                .build(),
                        BuildOptions.DEFAULT.paused());
                IndexDefinition index = admin.describeIndex(FLIGHTS, "by_token");
                assertThat(BuildJob.submit(connection, job, index, 2).waitForCompletion(false))
                        .isTrue();
                admin.awaitIndex(FLIGHTS, "by_token", BuildListener.NONE);
                assertThat(ScrubJob.run(connection, job, index, ScrubOptions.DEFAULT, 2)
                                .isClean())
                        .isTrue();
            }
            return null;
        });
    }

    /** The contract, under a scheme that waits for the index. */
    @Nested
    @Tag("release")
    @Order(1)
    class SyncFull extends SchemeContract {
        @Override
        IndexScheme scheme() {
            return IndexScheme.SYNC_FULL;
        }
    }

    /** The contract, under a scheme by which other threads of the servers write the index. */
    @Nested
    @Tag("release")
    @Order(2)
    class AsyncSession extends SchemeContract {
        @Override
        IndexScheme scheme() {
            return IndexScheme.ASYNC_SESSION;
        }
    }

    /** The time when the tickets of the start have expired. */
    @Nested
    @Tag("release")
    @Order(3)
    class LongAfterTheStart {
        /** The others connect to its successor, with new tickets, and the server that is started again to them. */
        @Test
        void aServerThatIsKilledIsRecovered() throws Exception {
            Instant expired = start.plus(Kdc.TICKETS_LAST);
            assertThat(Conditions.await(Kdc.TICKETS_LAST, () -> Instant.now().isAfter(expired)))
                    .isTrue();
            AtomicInteger written = new AtomicInteger();
            ExecutorService writer = Executors.newSingleThreadExecutor();
            try (IndexedFixture fixture = new IndexedFixture(alice, 1, IndexedFixture::indexOfEachScheme)) {
                Future<?> writing = writer.submit(() -> {
                    for (int i = 0; i < 600; i++) {
                        write(fixture, i);
                        written.incrementAndGet();
                    }
                    return null;
                });
                assertThat(Conditions.await(PATIENCE, () -> written.get() > 100))
                        .isTrue();
                processes.get().kill("rs2");
                writing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                fixture.drain(); // of the writes that were told that the index follows
                fixture.assertReadersOfSynchronousIndexesSeeTheBase();
                processes.get().restart("rs2");
                fixture.assertIndexesEqualBase();
            } finally {
                writer.shutdownNow();
            }
        }

        /** Writes; an index whose server is dead may take the update later. */
        private void write(IndexedFixture fixture, int i) throws IOException {
            try {
                fixture.put((char) ('a' + i % 26) + "-" + i % 100, "city" + i % 7);
                if (i % 5 == 0) {
                    fixture.table.delete(new Delete(Bytes.toBytes("c-" + i % 100)).addColumns(F, CITY));
                }
            } catch (IOException e) {
                if (!IndexUpdateDelayedException.isReportedBy(e)) {
                    throw e;
                }
            }
        }
    }
}
