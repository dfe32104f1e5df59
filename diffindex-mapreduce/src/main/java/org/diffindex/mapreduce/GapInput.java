package org.diffindex.mapreduce;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.diffindex.tasks.KeyRange;

/**
 * The rows that the build of an index has not backfilled yet, divided where regions start. If there are none, one mapper finds
 * nothing to do, since Hadoop's engines differ in what they make of a job without one.
 */
final class GapInput extends RangeInput {
    private static final String RANGES = "diffindex.mapreduce.ranges";

    /** Enters into the job's configuration, which is stored after this, into how many ranges the job is divided. */
    @Override
    public List<InputSplit> getSplits(JobContext context) throws IOException {
        Configuration conf = context.getConfiguration();
        IndexOfJob index = IndexOfJob.in(conf);
        try (Connection connection = ConnectionFactory.createConnection(conf)) {
            BuildService service = BuildService.of(connection, index, BuildJob.nameIn(conf));
            List<KeyRange> gaps = service.gaps(KeyRange.ALL);
            List<RangeSplit> splits =
                    RangeSplit.of(connection, index.table(), gaps.isEmpty() ? List.of(KeyRange.ALL) : gaps);
            conf.setInt(RANGES, gaps.isEmpty() ? 0 : splits.size());
            return List.copyOf(splits);
        }
    }

    /** Returns into how many ranges a job that was submitted is divided. */
    static int rangesIn(Configuration conf) {
        return conf.getInt(RANGES, 0);
    }
}
