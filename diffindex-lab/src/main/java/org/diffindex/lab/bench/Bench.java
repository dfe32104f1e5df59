package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.cluster.LocalCluster;

/**
 * What the experiments of a run share.
 *
 * @param cluster runs
 * @param connection to that cluster
 * @param options what is asked for
 * @param tables the contenders' tables
 */
record Bench(LocalCluster cluster, Connection connection, BenchOptions options, BenchTables tables) {
    private static final ExecutorService CALLER = MoreExecutors.newDirectExecutorService();

    /** What a client chooses by: the same for all contenders, another one in each round and for each client. */
    Random random(String experiment, String load, int round, int thread) {
        return new Random(Objects.hash(options.seed(), experiment, load, round, thread));
    }

    /** Clients that give a table's items new titles, each item of one client's alone. */
    Load.Clients updates(BenchTable table, String experiment, String load, int clients, int round) {
        return thread -> {
            Random random = random(experiment, load, round, thread);
            return new UpdateClient(connection, table, ItemChoice.even(table, clients, thread, random), random);
        };
    }

    /** Clients that read single items. */
    Load.Clients reads(
            BenchTable table, Projection projection, String experiment, String load, int clients, int round) {
        return thread -> {
            Random random = random(experiment, load, round, thread);
            return new ReadClient(connection, table, projection, ItemChoice.even(table, clients, thread, random));
        };
    }

    /** A table whose scans make their calls as those of a read by index do, on the thread that waits for them. */
    Table scanned(TableName table) throws IOException {
        return connection.getTable(table, CALLER);
    }

    /** The measurement of writes, with the time until the indexes have all of them. */
    Measurement drained(Load.Done done, BenchTable table) throws IOException {
        double writing = done.secondsUntilNow();
        if (table.contender().isAsynchronous()) {
            table.drain(connection);
        }
        double seconds = done.secondsUntilNow();
        return Measurement.of(done, seconds).with("drain_s", seconds - writing);
    }
}
