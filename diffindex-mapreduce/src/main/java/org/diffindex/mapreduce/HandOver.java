package org.diffindex.mapreduce;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/**
 * The output of a job that builds an index: none. The job takes the build over when it begins to run, not when it is submitted: a
 * job that cannot be submitted, or waits for the engine, keeps nobody from building. Its commit hands the build over to the master,
 * which makes the index ACTIVE; so it need not be known who started the job, or whether that process still runs.
 */
final class HandOver extends OutputFormat<NullWritable, NullWritable> {
    @Override
    public RecordWriter<NullWritable, NullWritable> getRecordWriter(TaskAttemptContext context) {
        return new NullOutputFormat<NullWritable, NullWritable>().getRecordWriter(context);
    }

    @Override
    public void checkOutputSpecs(JobContext context) {}

    @Override
    public OutputCommitter getOutputCommitter(TaskAttemptContext context) {
        return new Committer();
    }

    /** Begins and ends the job's claim. */
    static final class Committer extends OutputCommitter {
        @Override
        public void setupJob(JobContext context) throws IOException {
            Configuration conf = context.getConfiguration();
            try (Connection connection = ConnectionFactory.createConnection(conf)) {
                service(connection, conf).begin(BuildJob.changesIn(conf), GapInput.rangesIn(conf));
            }
        }

        /** Ends the claim when all tasks have succeeded. */
        @Override
        public void commitJob(JobContext context) throws IOException {
            Configuration conf = context.getConfiguration();
            try (Connection connection = ConnectionFactory.createConnection(conf)) {
                service(connection, conf).end();
            }
        }

        private static BuildService service(Connection connection, Configuration conf) {
            return BuildService.of(connection, IndexOfJob.in(conf), BuildJob.nameIn(conf));
        }

        @Override
        public boolean isCommitJobRepeatable(JobContext context) {
            return true;
        }

        @Override
        public void setupTask(TaskAttemptContext context) {}

        @Override
        public boolean needsTaskCommit(TaskAttemptContext context) {
            return false;
        }

        @Override
        public void commitTask(TaskAttemptContext context) {}

        @Override
        public void abortTask(TaskAttemptContext context) {}
    }
}
