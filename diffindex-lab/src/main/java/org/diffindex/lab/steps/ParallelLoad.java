package org.diffindex.lab.steps;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/**
 * Loads rows into a table in batches, from several threads. The order of the batches is shuffled, so that every region
 * is busy throughout. Immutable.
 *
 * @param threads the number of threads
 * @param batchSize the number of rows per call
 * @param seed the seed of the order of the batches
 */
public record ParallelLoad(int threads, int batchSize, long seed) {
    /** Supplies the rows. */
    @FunctionalInterface
    public interface Rows {
        /**
         * Returns the rows from position {@code from}, inclusive, to {@code to}, exclusive. Called by several threads.
         */
        List<Put> between(int from, int to);
    }

    /** Loads batches. */
    @FunctionalInterface
    public interface Batches {
        /**
         * Loads the rows from position {@code from}, inclusive, to {@code to}, exclusive. Called by several threads.
         */
        void load(int from, int to) throws IOException;
    }

    /** Loads the rows at positions 0 to {@code count} - 1; returns when all are acknowledged. */
    public void into(Connection connection, TableName table, int count, Rows rows) throws IOException {
        run(count, (from, to) -> {
            try (Table target = connection.getTable(table)) {
                target.put(rows.between(from, to));
            }
        });
    }

    /** Loads the batches of the rows at positions 0 to {@code count} - 1; returns when all are loaded. */
    public void run(int count, Batches batches) throws IOException {
        List<Callable<Void>> steps = new ArrayList<>();
        for (int from = 0; from < count; from += batchSize) {
            int first = from;
            steps.add(() -> {
                batches.load(first, Math.min(count, first + batchSize));
                return null;
            });
        }
        Collections.shuffle(steps, new Random(seed));
        Parallel.run(threads, steps);
    }
}
