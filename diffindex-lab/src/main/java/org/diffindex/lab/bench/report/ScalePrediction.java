package org.diffindex.lab.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.bench.experiments.BenchTables;
import org.diffindex.lab.bench.experiments.GoalLoads;
import org.diffindex.lab.bench.report.ServiceDemands.Part;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexScheme;

/**
 * The prediction of the cost model of docs/scale.md for a cluster of some size: the CPU time that writing one row takes
 * on all region servers together, on machines like the one on which the service demands were measured.
 *
 * @param servers the number of region servers, each with an equal share of the table and of its index
 * @param contender the index
 * @param putMicros the CPU time of a row put alone, in microseconds
 * @param putCalls the number of index calls for that row
 * @param batchMicros the CPU time of a row in a client's batch of {@link GoalLoads#BATCH_ROWS}, in microseconds
 * @param batchCalls the number of index calls for that row
 */
record ScalePrediction(
        int servers, Contender contender, double putMicros, double putCalls, double batchMicros, double batchCalls) {
    /** The cluster sizes: that of the bench, those of the paper, and larger ones. */
    static final List<Integer> SERVERS = List.of(BenchTables.REGIONS, 8, 40, 200, 1_000);

    /** The assumed rate of writes per region, in rows per second, which determines the batches of the AUQ. */
    static final double QUEUED_ROWS_PER_SECOND = 1_000;

    /**
     * Returns predictions for each size: no index and the schemes; async-session costs the servers as much as
     * async-simple.
     */
    static List<ScalePrediction> of(ServiceDemands demands) {
        List<ScalePrediction> all = new ArrayList<>();
        for (int servers : SERVERS) {
            all.add(of(demands, servers, Contender.NO_INDEX, 0, 0));
            all.add(of(demands, servers, Contender.of(IndexScheme.SYNC_FULL), 1, 2));
            all.add(of(demands, servers, Contender.of(IndexScheme.SYNC_INSERT), 0, 1));
            all.add(of(demands, servers, Contender.of(IndexScheme.ASYNC_SIMPLE), 1, 2));
        }
        return all;
    }

    private static ScalePrediction of(
            ServiceDemands demands, int servers, Contender contender, double reads, double entries) {
        Map<Part, Double> micros = demands.micros();
        double row = micros.get(Part.ROW) + reads * micros.get(Part.BASE_READ) + entries * micros.get(Part.ENTRY);
        double indexCall = micros.get(Part.INDEX_CALL) * remote(servers) / remote(BenchTables.REGIONS);
        double putCalls = contender.isAsynchronous()
                ? FanOut.ofQueuedRow(QUEUED_ROWS_PER_SECOND, entries, servers)
                : FanOut.reached(entries, servers);
        double rows = GoalLoads.BATCH_ROWS;
        double batchCalls = FanOut.ofBatch(rows, entries, servers) / rows;
        double clientCalls = FanOut.reached(rows, servers) / rows;
        return new ScalePrediction(
                servers,
                contender,
                micros.get(Part.CLIENT_CALL) + row + putCalls * indexCall,
                putCalls,
                clientCalls * micros.get(Part.CLIENT_CALL) + row + batchCalls * indexCall,
                batchCalls);
    }

    /** Returns the share of the entries that are not on their row's server; calls to the same server count as free. */
    private static double remote(int servers) {
        return (servers - 1.0) / servers;
    }
}
