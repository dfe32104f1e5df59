package org.diffindex.cli.bench;

import java.io.IOException;
import java.util.Objects;
import java.util.Random;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.cluster.LocalCluster;

/**
 * What the experiments of a run share.
 *
 * @param cluster runs
 * @param connection to that cluster
 * @param options what is asked for
 * @param tables the contenders' tables
 */
record Bench(LocalCluster cluster, Connection connection, BenchOptions options, BenchTables tables) {
    /** What a client chooses by: the same for all contenders, another one in each round and for each client. */
    Random random(String experiment, String load, int round, int thread) {
        return new Random(Objects.hash(options.seed(), experiment, load, round, thread));
    }

    /** The measurement of writes, with the time until the indexes have all of them. */
    Measurement drained(Load.Done done, BenchTable table) throws IOException {
        double writing = done.secondsUntilNow();
        if (table.contender().isAsynchronous()) {
            table.drain(connection);
        }
        double seconds = done.secondsUntilNow();
        return Measurement.of(done.nanos(), seconds).with("drain_s", seconds - writing);
    }
}
