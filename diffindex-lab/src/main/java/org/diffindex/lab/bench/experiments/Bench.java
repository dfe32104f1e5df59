package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.lab.bench.statistics.Measurement;

/**
 * The objects that the experiments of a run share.
 *
 * @param cluster a running cluster
 * @param connection a connection to it
 * @param options the options of the run
 * @param tables the tables of the contenders
 */
public record Bench(LocalCluster cluster, Connection connection, BenchOptions options, BenchTables tables) {
    /**
     * The session timeout of the region servers: the time for which a server may be silent before it is considered
     * dead.
     */
    public static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

    private static final ExecutorService CALLER = MoreExecutors.newDirectExecutorService();

    /** Returns the source of a client's choices: the same for all contenders, different for each round and client. */
    Random random(String experiment, String load, int round, int thread) {
        return new Random(Objects.hash(options.seed(), experiment, load, round, thread));
    }

    /** Returns clients that update the titles of a table's items; no two clients share an item. */
    Load.Clients updates(BenchTable table, String experiment, String load, int clients, int round) {
        return updates(table, ItemChoice::even, experiment, load, clients, round);
    }

    /** Returns clients that update the titles of the items that they choose. */
    Load.Clients updates(BenchTable table, ItemChoice choice, String experiment, String load, int clients, int round) {
        return thread -> {
            Random random = random(experiment, load, round, thread);
            return new UpdateClient(connection, table, choice.of(table, clients, thread, random), random);
        };
    }

    /** Returns clients that read single items. */
    Load.Clients reads(
            BenchTable table, Projection projection, String experiment, String load, int clients, int round) {
        return thread -> {
            Random random = random(experiment, load, round, thread);
            return table.reader(connection, projection, ItemChoice.even(table, clients, thread, random));
        };
    }

    /** Returns a table whose scans make their calls on the calling thread, as a read by index does. */
    Table scanned(TableName table) throws IOException {
        return connection.getTable(table, CALLER);
    }

    /**
     * Drains the indexes of an asynchronous contender, and returns the measurement; its throughput includes the time to
     * drain.
     */
    Measurement drained(Load.Done done, BenchTable table) throws IOException {
        double writing = done.secondsUntilNow();
        if (table.contender().isAsynchronous()) {
            table.drain(connection);
        }
        double seconds = done.secondsUntilNow();
        return done.measurement(seconds).with(Measurement.DRAIN, seconds - writing);
    }
}
