package org.diffindex.mapreduce;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Mapper;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.tasks.Retries;

/** Backfills one range of base rows, by calls to the regions that hold them. */
final class BackfillMapper extends Mapper<NullWritable, NullWritable, NullWritable, NullWritable> {
    /** The configuration key for the milliseconds for which a call may fail before the attempt of a task does. */
    static final String RETRY_MS_KEY = "diffindex.mapreduce.retry.ms";

    private static final int DEFAULT_RETRY_MS = 300_000;

    /** Counters of a job that builds; those of failed attempts do not count. */
    enum Counted {
        ROWS_READ,
        ENTRIES_WRITTEN,
        ROWS_LEFT_OUT
    }

    @Override
    public void run(Context context) throws IOException, InterruptedException {
        Configuration conf = context.getConfiguration();
        try (Connection connection = ConnectionFactory.createConnection(conf)) {
            RangeSplit split = (RangeSplit) context.getInputSplit();
            BuildService service = BuildService.of(connection, IndexOfJob.in(conf), BuildJob.nameIn(conf));
            MapperGate.Orders orders = () -> service.status(split.range().start());
            Retries retries = new Retries(
                    conf.getInt(RETRY_MS_KEY, DEFAULT_RETRY_MS),
                    () -> requireDefined(connection, IndexOfJob.in(conf)),
                    message -> context.progress());
            MapperGate gate = new MapperGate(
                    () -> retries.get(orders::read),
                    BuildJob.mappersIn(conf),
                    context::progress,
                    System::nanoTime,
                    time -> TimeUnit.NANOSECONDS.sleep(time.toNanos()));
            int rpcTimeout = conf.getInt(HConstants.HBASE_RPC_TIMEOUT_KEY, HConstants.DEFAULT_HBASE_RPC_TIMEOUT);
            new SplitBackfill(
                            service,
                            gate,
                            retries,
                            page -> count(context, page),
                            BuildJob.rowsOfAPageIn(conf),
                            Math.max(1, rpcTimeout / 4),
                            System::nanoTime)
                    .run(split.range());
        }
    }

    /**
     * Requires that the table still has the index. A region that was opened without it cannot tell whether it is dropped or not
     * yet created.
     */
    static void requireDefined(Connection connection, IndexOfJob index) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            if (!IndexDefinitions.defines(admin.getDescriptor(index.table()), index.name(), index.id())) {
                throw new DoNotRetryIOException("The " + index + " was dropped, disabled or built anew; the job ends");
            }
        } catch (TableNotFoundException e) {
            throw new DoNotRetryIOException("The table of the " + index + " was deleted; the job ends", e);
        }
    }

    private static void count(Context context, FillResponse page) {
        context.progress();
        context.getCounter(Counted.ROWS_READ).increment(page.getRowsRead());
        context.getCounter(Counted.ENTRIES_WRITTEN).increment(page.getEntries());
        context.getCounter(Counted.ROWS_LEFT_OUT).increment(page.getLeftOut());
    }
}
