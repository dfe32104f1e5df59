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
 * The output of a job that builds an index: none. Its commit hands the build over to the master, which makes the index
 * ACTIVE; so it need not be known who started the job, or whether that process still runs.
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

    /** Ends the job's claim when all tasks have succeeded. */
    static final class Committer extends OutputCommitter {
        @Override
        public void setupJob(JobContext context) {}

        @Override
        public void commitJob(JobContext context) throws IOException {
            Configuration conf = context.getConfiguration();
            try (Connection connection = ConnectionFactory.createConnection(conf)) {
                BuildService.of(connection, IndexOfJob.in(conf), BuildJob.nameIn(conf))
                        .end();
            }
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
