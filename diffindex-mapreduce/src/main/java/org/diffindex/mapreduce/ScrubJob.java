package org.diffindex.mapreduce;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.JudgedIndex;
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
     * system, which only that user may read, and which is deleted. The job ends with this process, unless that is killed.
     *
     * @param conf of the cluster and of the engine
     * @param options the threads have no effect
     * @param maps how many mappers run at a time
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if the index is BUILDING; nothing was compared
     * @throws InterruptedIOException if the thread is interrupted; the job was killed, unless the message says otherwise
     * @throws IOException if the job has failed, or not all ranges were compared; repairs made before are complete
     */
    public static ScrubReport run(
            Connection connection, Configuration conf, IndexDefinition index, ScrubOptions options, int maps)
            throws IOException {
        long start = System.nanoTime();
        JudgedIndex judged = JudgedIndex.of(connection, index);
        try (ScrubFolder folder = ScrubFolder.create(conf)) {
            Job job = create(conf, judged.definition(), options, maps, folder.output());
            new AttendedJob(job, folder).run();
            PartReports reports = new PartReports(judged.definition(), options.samples());
            requireAll(folder.read(reports), job.getConfiguration().getInt(MRJobConfig.NUM_MAPS, 0));
            return reports.sum(Duration.ofNanos(System.nanoTime() - start)).whileChangingTo(judged.changingTo());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // not before: the calls that delete the folder would fail
            throw (IOException) new InterruptedIOException(e.getMessage()).initCause(e);
        }
    }

    /**
     * Requires the report of each range.
     *
     * @param ranges how many ranges the job was divided into, and so how many mappers
     */
    static void requireAll(int reports, int ranges) throws IOException {
        if (reports != ranges) {
            throw new IOException("The job has ended with the reports of " + reports + " of " + ranges
                    + " ranges of rows, so that nothing is known of the others; repairs made before are complete. The engine"
                    + " lets mappers fail if its settings make mapreduce.map.failures.maxpercent final; scrub again, or"
                    + " without --mapreduce");
        }
    }

    static Job create(Configuration conf, IndexDefinition index, ScrubOptions options, int maps, Path folder)
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
        FileOutputFormat.setCompressOutput(job, false);
        ScrubSettings.enter(options, index.scheme(), job.getConfiguration());
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
}
