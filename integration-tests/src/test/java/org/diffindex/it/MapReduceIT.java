package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.Conditions;
import org.diffindex.mapreduce.BuildJob;
import org.diffindex.mapreduce.ScrubJob;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.verify.Difference;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Jobs build indexes beside writers, fail, and are killed. What concerns processes runs on Hadoop's mini cluster, whose tasks are
 * processes, the rest in threads of this one.
 */
@Tag("proof")
@Tag("turn-1")
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
@ExtendWith(ClusterExtension.class)
class MapReduceIT {
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] CITY = Bytes.toBytes("city");
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int ROWS = 2_400;
    private static final int KEYS = ROWS + ROWS / 10;
    private static final int WRITERS = 3;
    private static final int PAUSE_MS = 15;

    /** Java's modules that Hadoop reaches into; Hadoop passes its tasks no options of this JVM. */
    private static final String OPENED =
            " -XX:TieredStopAtLevel=1 --add-opens java.base/java.lang=ALL-UNNAMED --add-opens java.base/java.nio=ALL-UNNAMED"
                    + " --add-opens java.base/sun.nio.ch=ALL-UNNAMED --add-opens java.base/java.util=ALL-UNNAMED";

    private static MiniMRYarnCluster engine;

    /** Jobs run as processes. */
    private static Configuration conf;

    /** Jobs run in this process. */
    private static Configuration local;

    private static Connection connection;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicLong written = new AtomicLong();
    private final List<Future<?>> writers = new ArrayList<>();
    private DiffIndexAdmin admin;
    private TableName name;

    @BeforeAll
    static void startEngine(EmbeddedCluster cluster, Connection shared) {
        connection = shared;
        Configuration own = cluster.conf();
        own.setInt("diffindex.build.rows", 100);
        local = new Configuration(own);
        local.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
        own.set("mapreduce.map.java.opts", "-Xmx300m" + OPENED);
        own.set("yarn.app.mapreduce.am.command-opts", "-Xmx300m" + OPENED);
        own.setInt("mapreduce.map.memory.mb", 512);
        own.setInt("yarn.app.mapreduce.am.resource.mb", 512);
        own.setInt("yarn.scheduler.minimum-allocation-mb", 256);
        own.setInt("yarn.minicluster.yarn.nodemanager.resource.memory-mb", 8_192);
        own.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
        own.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
        own.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100");
        engine = new MiniMRYarnCluster(MapReduceIT.class.getSimpleName(), 1);
        engine.init(own);
        engine.start();
        conf = new Configuration(engine.getConfig());
        // As on a real engine: a task gets Hadoop from there, and everything else from the job.
        conf.setBoolean(YarnConfiguration.IS_MINI_YARN_CLUSTER, false);
        conf.setStrings(YarnConfiguration.YARN_APPLICATION_CLASSPATH, "$PWD");
        conf.setStrings(MRJobConfig.MAPREDUCE_APPLICATION_CLASSPATH, hadoopOnly());
    }

    private static String[] hadoopOnly() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("diffindex") && !entry.contains("integration-tests"))
                .filter(entry -> !entry.contains("/org/apache/hbase/"))
                .toArray(String[]::new);
    }

    @AfterAll
    static void stopEngine() {
        engine.stop();
    }

    @BeforeEach
    void fill(TestInfo info) throws IOException {
        name = TableName.valueOf(info.getTestMethod().orElseThrow().getName());
        admin = new DiffIndexAdmin(connection);
        try (Admin hbase = connection.getAdmin();
                Table table = connection.getTable(name)) {
            hbase.createTable(
                    TableDescriptorBuilder.newBuilder(name)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                                    .setMaxVersions(3)
                                    .build())
                            .build(),
                    new byte[][] {row(ROWS / 2)});
            List<Put> puts = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                puts.add(put(i, i % 101));
            }
            table.put(puts);
            addUnusualRows(table);
        }
    }

    /** Timestamps of clients, ahead and behind; versions that a delete uncovers; rows without the column. */
    private static void addUnusualRows(Table table) throws IOException {
        long now = System.currentTimeMillis();
        for (int i = 0; i < ROWS; i += 50) {
            table.put(putAt(i, 102, now + 3_600_000));
            table.put(putAt(i + 1, 103, now + 300));
            table.put(putAt(i + 2, 104, 1_000));
            table.put(putAt(i + 3, 105, now + 1));
            table.delete(new Delete(row(i + 3)).addColumn(F, CITY, now + 1));
            table.delete(new Delete(row(i + 4)));
            table.put(new Put(row(i + 4)).addColumn(F, Bytes.toBytes("other"), CITY));
        }
    }

    @AfterEach
    void stop() throws IOException {
        stopping.set(true);
        threads.shutdownNow();
        admin.close();
    }

    private static byte[] row(int number) {
        return Bytes.toBytes("%06d".formatted(number));
    }

    private static byte[] city(int city) {
        return Bytes.toBytes("city%03d".formatted(city));
    }

    private static Put put(int row, int city) {
        return new Put(row(row)).addColumn(F, CITY, city(city));
    }

    private static Put putAt(int row, int city, long time) {
        return new Put(row(row)).addColumn(F, CITY, time, city(city));
    }

    private void startWriters() {
        for (int i = 0; i < WRITERS; i++) {
            Random random = new Random(i);
            writers.add(threads.submit(() -> write(random)));
        }
    }

    /** Changes random rows, and some that are new; some writes are deletes, some have timestamps near the clock. */
    private Void write(Random random) throws Exception {
        try (Table table = connection.getTable(name)) {
            while (!stopping.get()) {
                int row = random.nextInt(KEYS);
                int city = random.nextInt(101);
                switch (random.nextInt(6)) {
                    case 0 -> table.delete(new Delete(row(row)));
                    case 1 -> table.delete(new Delete(row(row)).addColumn(F, CITY));
                    case 2 -> table.put(putAt(row, city, System.currentTimeMillis() + random.nextInt(600) - 300));
                    default -> table.put(put(row, city));
                }
                written.incrementAndGet();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS); // the machine is to have time for the tasks
            }
        }
        return null;
    }

    private void stopWriters() throws Exception {
        stopping.set(true);
        for (Future<?> writer : writers) {
            writer.get();
        }
    }

    private IndexDefinition begin(IndexScheme scheme, double rowsPerSecond) throws IOException {
        admin.beginIndex(
                IndexDefinition.builder(name, scheme.schemeName())
                        .column("f", "city", ColumnTypes.STRING)
                        .scheme(scheme)
                        .build(),
                BuildOptions.DEFAULT.limitedTo(rowsPerSecond).paused().inRegions(2));
        return admin.describeIndex(name, scheme.schemeName());
    }

    private void assertExact(IndexDefinition index) throws IOException {
        assertThat(admin.stateOf(name, index.name())).contains(IndexState.ACTIVE);
        assertThat(admin.drain(name, PATIENCE)).isZero();
        ScrubReport report = IndexComparison.compare(connection, index);
        assertThat(report.isClean()).as(report.toString()).isTrue();
        assertThat(report.rows()).isGreaterThan(ROWS / 4);
    }

    private void awaitActive(IndexDefinition index) throws IOException {
        admin.awaitIndex(name, index.name(), BuildListener.NONE);
    }

    @Test
    void everySchemeIsBuiltBesideWriters() throws Exception {
        startWriters();
        Map<IndexScheme, Job> jobs = new EnumMap<>(IndexScheme.class);
        for (IndexScheme scheme : IndexScheme.values()) {
            jobs.put(scheme, BuildJob.submit(connection, local, begin(scheme, ROWS / 4.0), 2));
            assertThat(Conditions.await(PATIENCE, () -> admin.builds()
                            .status(name, scheme.schemeName())
                            .job()
                            .isPresent()))
                    .as("a job builds the index under " + scheme)
                    .isTrue();
            assertThat(admin.builds().status(name, scheme.schemeName()).isPaused())
                    .isFalse();
        }
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(jobs.get(scheme).waitForCompletion(false))
                    .as(scheme.toString())
                    .isTrue();
            awaitActive(admin.describeIndex(name, scheme.schemeName()));
        }
        long now = written.get();
        assertThat(Conditions.await(PATIENCE, () -> written.get() > now + 100))
                .as("the writers go on")
                .isTrue();
        stopWriters();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertExact(admin.describeIndex(name, scheme.schemeName()));
            assertThat(admin.builds().status(name, scheme.schemeName()).rows())
                    .as("rows that the job has read")
                    .isGreaterThan(ROWS / 2);
        }
    }

    private static void failAnAttempt(Job job) throws Exception {
        for (TaskReport task : job.getTaskReports(TaskType.MAP)) {
            if (!task.getRunningTaskAttemptIds().isEmpty()) {
                assertThat(job.killTask(
                                task.getRunningTaskAttemptIds().iterator().next(), true))
                        .isTrue();
                return;
            }
        }
        throw new AssertionError("No task runs");
    }

    private void awaitRows(IndexDefinition index, int rows) throws IOException {
        assertThat(Conditions.await(
                        PATIENCE,
                        () -> admin.builds().status(name, index.name()).rows() >= rows))
                .as("%s", admin.builds().status(name, index.name()))
                .isTrue();
    }

    /**
     * One of two jobs has a task that fails, is killed in the middle, and is started again; the other is killed, and the master
     * does the rest.
     */
    @Test
    void whatAJobLeavesAnotherJobOrTheMasterDoes() throws Exception {
        IndexDefinition index = begin(IndexScheme.SYNC_INSERT, ROWS / 20.0);
        IndexDefinition other = begin(IndexScheme.ASYNC_SIMPLE, ROWS / 120.0);
        startWriters();
        Job job = BuildJob.submit(connection, conf, index, 2);
        Job otherJob = BuildJob.submit(connection, conf, other, 2);
        awaitRows(index, 1);
        failAnAttempt(job);
        awaitRows(other, 1);
        kill(otherJob);
        BuildStatus left = admin.builds().status(name, other.name());
        assertThat(left.job()).isPresent();
        assertThat(left.rows()).isLessThan(ROWS);
        awaitRows(index, ROWS / 3);
        long before = killedInTheMiddle(job, index);
        assertThat(admin.builds().resumeOnMaster(name, other.name()).job()).isEmpty();
        admin.builds().limit(name, other.name(), 0);
        admin.builds().limit(name, index.name(), 0);
        assertThat(BuildJob.submit(connection, conf, index, 2).waitForCompletion(false))
                .isTrue();
        awaitActive(index);
        awaitActive(other);
        stopWriters();
        assertExact(index);
        assertExact(other);
        assertThat(admin.builds().status(name, index.name()).rows())
                .as("nothing that was recorded is read again, of as many rows as writers know keys")
                .isGreaterThan(before)
                .isLessThanOrEqualTo(KEYS);
    }

    /** Kills a job of which an attempt has failed; returns how many rows it has recorded. */
    private long killedInTheMiddle(Job job, IndexDefinition index) throws Exception {
        kill(job);
        assertThat(job.getCounters().findCounter(JobCounter.NUM_FAILED_MAPS).getValue())
                .isPositive();
        long rows = admin.builds().status(name, index.name()).rows();
        assertThat(rows).isLessThan(ROWS);
        return rows;
    }

    /** A job that nobody needs any more ends, instead of occupying its queue. */
    @Test
    void theJobOfAnIndexThatIsDroppedEnds() throws Exception {
        IndexDefinition index = begin(IndexScheme.SYNC_FULL, ROWS / 120.0);
        Job job = BuildJob.submit(connection, local, index, 2);
        awaitRows(index, 1);
        long cancelled = System.nanoTime();
        admin.builds().cancel(name, index.name());
        assertThat(job.waitForCompletion(false)).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - cancelled)).isLessThan(PATIENCE);
    }

    @Test
    void aScrubAsAJobFindsAndRepairs() throws Exception {
        IndexDefinition index = begin(IndexScheme.SYNC_FULL, 1_000);
        admin.builds().limit(name, index.name(), 0);
        admin.builds().resume(name, index.name());
        awaitActive(index);
        ScrubOptions options = ScrubOptions.DEFAULT.withLag(Duration.ofMillis(100));
        ScrubReport clean = ScrubJob.run(connection, local, index, options, 4);
        ScrubReport whole = IndexComparison.compare(connection, index);
        assertThat(clean.isClean()).as(clean.toString()).isTrue();
        assertThat(clean.rows()).isEqualTo(whole.rows());
        assertThat(clean.entries()).isEqualTo(whole.entries());
        removeAnEntry(index);
        Configuration together = new Configuration(conf);
        together.setBoolean(MRJobConfig.JOB_UBERTASK_ENABLE, true); // all tasks in one process
        ScrubReport repaired = ScrubJob.run(connection, together, index, options.withRepair(true), 4);
        assertThat(repaired.found()).isEqualTo(Map.of(Difference.MISSING, 1L));
        assertThat(repaired.repaired()).isEqualTo(Map.of(Difference.MISSING, 1L));
        assertThat(repaired.samples()).hasSize(1);
        assertExact(index);
    }

    private static void removeAnEntry(IndexDefinition index) throws IOException {
        try (Table own = connection.getTable(index.indexTable());
                ResultScanner entries = own.getScanner(new Scan())) {
            Delete delete = index.entryFormat().delete(entries.next().getRow(), System.currentTimeMillis());
            own.delete(IndexAddress.of(delete, index.id()));
        }
    }

    private static void kill(Job job) throws Exception {
        job.killJob();
        assertThat(job.waitForCompletion(false)).isFalse();
        assertThat(job.getJobState()).isEqualTo(JobStatus.State.KILLED);
    }
}
