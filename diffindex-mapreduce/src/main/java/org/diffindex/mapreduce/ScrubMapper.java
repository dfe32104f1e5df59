package org.diffindex.mapreduce;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.diffindex.client.IndexGenerations;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.RangeScrub;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.ScrubReport;

/** Compares one range of the base table or of the index, and writes what it finds. */
final class ScrubMapper extends Mapper<NullWritable, NullWritable, NullWritable, Text> {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
        Configuration conf = context.getConfiguration();
        RangeSplit split = (RangeSplit) context.getInputSplit();
        ScrubOptions options = ScrubSettings.in(conf);
        try (Connection connection = ConnectionFactory.createConnection(conf)) {
            IndexDefinition index =
                    definition(connection, IndexOfJob.in(conf)).withScheme(ScrubSettings.schemeIn(conf));
            ScrubReport report = split.table().equals(index.table())
                    ? RangeScrub.ofBase(connection, index, split.range(), options, context::progress)
                    : RangeScrub.ofIndex(connection, index, split.range(), options, context::progress);
            context.write(NullWritable.get(), new Text(PartReports.toJson(report)));
        }
    }

    private static IndexDefinition definition(Connection connection, IndexOfJob named) throws IOException {
        IndexDefinition index = IndexGenerations.of(connection, named.table()).get(named.name());
        if (index == null || !index.id().equals(named.id())) {
            throw new DoNotRetryIOException(
                    "The " + named + " was dropped, disabled or created again; nothing was compared");
        }
        return index;
    }
}
