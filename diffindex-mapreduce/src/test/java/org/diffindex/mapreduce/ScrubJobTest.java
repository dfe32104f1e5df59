package org.diffindex.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ReflectionUtils;
import org.apache.hadoop.util.ShutdownHookManager;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScrubJobTest {
    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("t"), "by_city")
            .column("f", "city", ColumnTypes.STRING)
            .build();

    @TempDir
    Path home;

    private Configuration conf;

    @BeforeEach
    void useTheHome() {
        conf = new Configuration();
        conf.set("fs.defaultFS", "file:///");
        conf.set("fs.file.impl", HomeFileSystem.class.getName());
        conf.setBoolean("fs.file.impl.disable.cache", true);
        conf.set(HomeFileSystem.HOME, home.toString());
    }

    /** A local file system with a home folder of the test. */
    public static final class HomeFileSystem extends org.apache.hadoop.fs.LocalFileSystem {
        static final String HOME = "diffindex.test.home";

        @Override
        public org.apache.hadoop.fs.Path getHomeDirectory() {
            return new org.apache.hadoop.fs.Path("file://" + getConf().get(HOME));
        }
    }

    private List<Path> atHome() throws IOException {
        try (Stream<Path> files = Files.list(home)) {
            return files.toList();
        }
    }

    private static String report(long rows) {
        return PartReports.toJson(
                new ScrubReport(INDEX, rows, 0, Map.of(), Map.of(), 0, List.of(), Duration.ofSeconds(1)));
    }

    private void write(ScrubFolder folder, String name, CompressionCodec codec, String text) throws IOException {
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(
                folder.output(), name + (codec == null ? "" : codec.getDefaultExtension()));
        FileSystem files = file.getFileSystem(conf);
        try (OutputStream stored = files.create(file);
                OutputStream out = codec == null ? stored : codec.createOutputStream(stored)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private <C extends CompressionCodec> C codec(Class<C> type) {
        return ReflectionUtils.newInstance(type, conf);
    }

    private Job created() throws IOException {
        return ScrubJob.create(conf, INDEX, ScrubOptions.DEFAULT, 2, new org.apache.hadoop.fs.Path("file:///out"));
    }

    @Test
    void theReportsAreNotCompressedThoughTheSettingsOfTheEngineSaySo() throws IOException {
        conf.setBoolean(FileOutputFormat.COMPRESS, true);
        assertThat(FileOutputFormat.getCompressOutput(created())).isFalse();
    }

    /** The engine's own settings may be final, and so overrule those of a job. */
    @Test
    void compressedReportsAreRead() throws IOException {
        PartReports sum = new PartReports(INDEX, 1);
        try (ScrubFolder folder = ScrubFolder.create(conf)) {
            write(folder, "part-m-00000", null, report(1) + "\n");
            write(folder, "part-m-00001", codec(DefaultCodec.class), report(20) + "\n");
            write(folder, "part-m-00002", codec(GzipCodec.class), report(300) + "\n");
            write(folder, "_SUCCESS", null, "");
            assertThat(folder.read(sum)).isEqualTo(3);
        }
        assertThat(sum.sum(Duration.ZERO).rows()).isEqualTo(321);
    }

    @Test
    void aReportThatCannotBeReadFailsTheScrub() throws IOException {
        try (ScrubFolder folder = ScrubFolder.create(conf)) {
            write(folder, "part-m-00000.unknown", null, "\1\2\3");
            assertThatThrownBy(() -> folder.read(new PartReports(INDEX, 1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("part-m-00000.unknown");
        }
    }

    @Test
    void noMapperMayFail() throws IOException {
        Path site = home.resolve("mapred-site.xml");
        Files.writeString(
                site,
                """
                <configuration>
                <property><name>mapreduce.map.failures.maxpercent</name><value>30</value><final>true</final></property>
                </configuration>
                """);
        conf.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
        assertThat(created().getConfiguration().getInt(MRJobConfig.MAP_FAILURES_MAX_PERCENT, -1))
                .isZero();
    }

    @Test
    void aRangeWithoutAReportFailsTheScrub() throws IOException {
        ScrubJob.requireAll(3, 3);
        assertThatThrownBy(() -> ScrubJob.requireAll(2, 3))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("2 of 3")
                .hasMessageContaining("mapreduce.map.failures.maxpercent");
    }

    /** The reports have keys of rows. */
    @Test
    void onlyTheUserReadsTheFolder() throws IOException {
        try (ScrubFolder folder = ScrubFolder.create(conf)) {
            FileSystem files = folder.output().getFileSystem(conf);
            assertThat(files.getFileStatus(folder.output().getParent()).getPermission())
                    .isEqualTo(new FsPermission((short) 0700));
            assertThat(files.exists(folder.output()))
                    .as("where the job is to write")
                    .isFalse();
        }
        assertThat(atHome()).isEmpty();
    }

    private static Job job() throws IOException {
        Job job = mock(Job.class);
        when(job.getJobID()).thenReturn(new JobID("scrub", 7));
        when(job.isComplete()).thenReturn(true);
        return job;
    }

    /** A thread that is interrupted can make no call to HDFS. */
    @Test
    void anInterruptedCallerKillsTheJobAndLeavesNothing() throws Exception {
        Job job = job();
        when(job.waitForCompletion(anyBoolean())).thenThrow(new InterruptedException());
        assertThatThrownBy(() -> {
                    try (ScrubFolder folder = ScrubFolder.create(conf)) {
                        new AttendedJob(job, folder).run();
                    }
                })
                .isInstanceOf(InterruptedException.class)
                .hasMessageContaining("the job job_scrub_0007 was killed");
        verify(job).killJob();
        assertThat(atHome()).isEmpty();
    }

    @Test
    void anInterruptionThatHadoopReportsAsAFailedCallIsOneToo() throws Exception {
        Job job = job();
        when(job.waitForCompletion(anyBoolean())).thenAnswer(call -> {
            Thread.currentThread().interrupt();
            throw new IOException("java.nio.channels.ClosedByInterruptException");
        });
        assertThatThrownBy(() -> new AttendedJob(job, () -> {}).run()).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted())
                .as("calls that delete the folder would fail")
                .isFalse();
        verify(job).killJob();
    }

    @Test
    void saysHowToEndAJobThatCannotBeKilled() throws Exception {
        Job job = job();
        when(job.waitForCompletion(anyBoolean())).thenThrow(new IOException("no ResourceManager"));
        doThrow(new IOException("no ResourceManager")).when(job).killJob();
        assertThatThrownBy(() -> new AttendedJob(job, () -> {}).run())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("may go on")
                .hasMessageContaining("mapred job -kill job_scrub_0007");
    }

    @Test
    void aJobThatFailsByItselfIsNotKilled() throws Exception {
        Job job = job();
        JobStatus status = mock(JobStatus.class);
        when(status.getFailureInfo()).thenReturn("a task failed");
        when(job.getStatus()).thenReturn(status);
        assertThatThrownBy(() -> new AttendedJob(job, () -> {}).run())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a task failed");
        verify(job, never()).killJob();
    }

    /** Ctrl-C ends a JVM by its shutdown hooks, and interrupts no thread. */
    @Test
    void theEndOfTheProcessKillsTheJobAndThenDeletesWhatItHasLeft() throws Exception {
        List<String> done = new ArrayList<>();
        Job job = job();
        doAnswer(call -> done.add("killed")).when(job).killJob();
        AttendedJob attended = new AttendedJob(job, () -> done.add("deleted"));
        ShutdownHookManager hooks = ShutdownHookManager.get();
        when(job.waitForCompletion(anyBoolean())).thenAnswer(call -> hooks.hasShutdownHook(attended.hook()));
        attended.run();
        assertThat(hooks.hasShutdownHook(attended.hook())).as("of a job that has ended").isFalse();
        assertThat(done).isEmpty();
        attended.hook().run();
        assertThat(done).containsExactly("killed", "deleted");
    }
}
