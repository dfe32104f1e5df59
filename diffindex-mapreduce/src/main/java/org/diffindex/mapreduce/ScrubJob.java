package org.diffindex.mapreduce;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.ScrubReport;
import org.diffindex.verify.Scrubber;

/**
 * Compares an index with its table by a MapReduce job, with a mapper for each region of both, and repairs it on request. The
 * report is that of a {@link Scrubber}. Each row and entry is looked up in the other table, so that the job costs more
 * reads than a scrub by one process.
 */
public final class ScrubJob {
    private ScrubJob() {}

    /**
     * Runs the job, and returns when it has ended. What it finds goes through a folder in the user's home on the engine's file
     * system, which is deleted.
     *
     * @param conf of the cluster and of the engine
     * @param options the threads have no effect
     * @param maps how many mappers run at a time
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the index is BUILDING; nothing was compared
     * @throws IOException if the job has failed; repairs made before are complete
     */
    public static ScrubReport run(
            Connection connection, Configuration conf, IndexDefinition index, ScrubOptions options, int maps)
            throws IOException {
        long start = System.nanoTime();
        Scrubber.requireComplete(connection, index);
        FileSystem files = FileSystem.get(conf);
        Path folder = new Path(
                files.getHomeDirectory(), ".diffindex-scrub-" + Long.toHexString(new SecureRandom().nextLong()));
        try {
            await(create(conf, index, options, maps, folder));
            return report(files, folder, new PartReports(index, options.samples()), start);
        } finally {
            files.delete(folder, true);
        }
    }

    private static Job create(Configuration conf, IndexDefinition index, ScrubOptions options, int maps, Path folder)
            throws IOException {
        Job job = Jobs.create(
                conf,
                "diffindex scrub " + index.table() + " " + index.name(),
                IndexOfJob.of(index),
                maps,
                TableInput.class,
                ScrubMapper.class,
                TextOutputFormat.class);
        job.setMapOutputValueClass(Text.class);
        FileOutputFormat.setOutputPath(job, folder);
        ScrubSettings.enter(options, job.getConfiguration());
        TableMapReduceUtil.addDependencyJarsForClasses(job.getConfiguration(), classesOf(index));
        return job;
    }

    /** Returns the users' classes that decode the values of an index. */
    static Class<?>[] classesOf(IndexDefinition index) {
        return index.readColumns().stream()
                .flatMap(column -> ColumnTypes.classesOf(column.type()).stream())
                .distinct()
                .toArray(Class<?>[]::new);
    }

    private static void await(Job job) throws IOException {
        try {
            if (!job.waitForCompletion(false)) {
                throw new IOException("The job " + job.getJobID() + " has failed: "
                        + job.getStatus().getFailureInfo());
            }
        } catch (ClassNotFoundException e) {
            throw new IOException("The job could not be submitted: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted; the job goes on").initCause(e);
        }
    }

    private static ScrubReport report(FileSystem files, Path folder, PartReports parts, long start) throws IOException {
        for (FileStatus file : files.listStatus(folder, path -> path.getName().startsWith("part-"))) {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(files.open(file.getPath()), StandardCharsets.UTF_8))) {
                lines.lines().forEach(parts::add);
            }
        }
        return parts.sum(Duration.ofNanos(System.nanoTime() - start));
    }
}
