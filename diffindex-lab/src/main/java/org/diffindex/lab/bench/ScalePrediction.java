package org.diffindex.lab.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.bench.ServiceDemands.Part;
import org.diffindex.model.IndexScheme;

/**
 * What the cost model of docs/scale.md says of a cluster of some size: the processor time that one row takes of all its region
 * servers together, of the machine that the parts were measured on.
 *
 * @param servers region servers, on each of which there is as much of the table and of its index
 * @param contender the index
 * @param putMicros of a row that is put alone
 * @param putCalls the index calls of that row
 * @param batchMicros of a row in a client's batch of {@link BatchExperiment#BATCH}
 * @param batchCalls the index calls of that row
 */
record ScalePrediction(
        int servers, Contender contender, double putMicros, double putCalls, double batchMicros, double batchCalls) {
    /** As many as the bench has, as many as the paper has, and more. */
    static final List<Integer> SERVERS = List.of(BenchTables.REGIONS, 8, 40, 200, 1_000);

    /** Rows in a second that a region has when its AUQ is spoken of. */
    static final double QUEUED_ROWS_PER_SECOND = 1_000;

    /** All sizes, at each of them no index and the schemes; a session costs the servers what async-simple does. */
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
        double rows = BatchExperiment.BATCH;
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

    /** The share of the entries that are not on the row's own server; calls to that are taken to be free. */
    private static double remote(int servers) {
        return (servers - 1.0) / servers;
    }
}
