package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.bench.rivals.ItemRow;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.steps.Interruption;
import org.diffindex.model.IndexDefinition;
import org.diffindex.ycsb.Items;

/**
 * A table of items that pass their titles on: with each rewriting every item takes the title of the item after it. So at
 * any time every title is that of exactly one item, and under a scheme that leaves stale entries there is one for each
 * earlier item of the title. For one thread.
 */
final class RewrittenTable extends BenchTable {
    private static final int BATCH = 1_000;

    private static final Duration LONGEST_CLEAN_UP = Duration.ofSeconds(30);
    private static final long POLL_MS = 100;

    private int rewritings;

    /** Creates an object for a table that need not exist yet. */
    RewrittenTable(Contender contender, int rows) {
        super(contender, "_rewritten", rows, 1, BenchTables.REGIONS);
    }

    @Override
    byte[] title(int item) {
        return Bytes.toBytes(titleText(item));
    }

    @Override
    String titleText(int item) {
        return Items.title((item + rewritings) % rows(), 0);
    }

    /** Writes all rows that many times, in batches, each time with other titles. */
    void rewrite(Connection connection, int times, Random random) throws IOException {
        for (int time = 0; time < times; time++) {
            rewritings++;
            for (int from = 0; from < rows(); from += BATCH) {
                List<ItemRow> batch = new ArrayList<>(BATCH);
                IntStream.range(from, Math.min(from + BATCH, rows())).forEach(item -> batch.add(rowOf(item, random)));
                write(connection, batch);
            }
        }
        drain(connection);
    }

    /** Waits until each item has one entry, or {@link #LONGEST_CLEAN_UP} has passed. */
    void awaitCleanUp(Connection connection) throws IOException {
        long begin = System.nanoTime();
        for (IndexDefinition index : definitions()) {
            try (Table entries = connection.getTable(index.indexTable())) {
                while (RowCount.of(entries) > rows() && System.nanoTime() - begin < LONGEST_CLEAN_UP.toNanos()) {
                    Thread.sleep(POLL_MS);
                }
            } catch (InterruptedException e) {
                throw Interruption.of(e);
            }
        }
    }

    private ItemRow rowOf(int item, Random random) {
        ItemRow row = row(item, rewritings, random);
        return new ItemRow(row.key(), titleText(item), row.price(), row.fillers());
    }
}
