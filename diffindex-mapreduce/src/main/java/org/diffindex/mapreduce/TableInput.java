package org.diffindex.mapreduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.diffindex.model.IndexDefinition;
import org.diffindex.tasks.KeyRange;

/** All rows of the base table and of the index, divided where regions start. */
final class TableInput extends RangeInput {
    @Override
    public List<InputSplit> getSplits(JobContext context) throws IOException {
        Configuration conf = context.getConfiguration();
        IndexOfJob index = IndexOfJob.in(conf);
        List<InputSplit> splits = new ArrayList<>();
        try (Connection connection = ConnectionFactory.createConnection(conf)) {
            splits.addAll(RangeSplit.of(connection, index.table(), List.of(KeyRange.ALL)));
            splits.addAll(RangeSplit.of(
                    connection, IndexDefinition.indexTable(index.table(), index.name()), List.of(KeyRange.ALL)));
        }
        return splits;
    }
}
