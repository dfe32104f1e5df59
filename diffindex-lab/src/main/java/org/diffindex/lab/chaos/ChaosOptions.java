package org.diffindex.lab.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.diffindex.model.IndexScheme;

/**
 * The options of a run.
 *
 * @param dir the folder of the run
 * @param duration how long faults are injected
 * @param schemes the schemes, each with a table of its own
 * @param seed determines the faults and the call queues
 * @param kinds the kinds of fault
 * @param writers writers per table
 * @param readers readers per table
 * @param rows rows per table that are in use at any time
 * @param writesPerSecond write operations of all writers of a table
 * @param readsPerSecond reads of all readers of a table
 * @param regionServers region servers of the cluster
 * @param keep whether to keep the cluster's folder and the history after a clean run
 */
record ChaosOptions(
        Path dir,
        Duration duration,
        List<IndexScheme> schemes,
        long seed,
        List<FaultKind> kinds,
        int writers,
        int readers,
        int rows,
        int writesPerSecond,
        int readsPerSecond,
        int regionServers,
        boolean keep) {
    /** Copies the lists. */
    ChaosOptions {
        schemes = List.copyOf(schemes);
        kinds = List.copyOf(kinds);
    }

    CallQueues callQueues() {
        return CallQueues.of(seed);
    }

    Path clusterDir() {
        return dir.resolve("cluster");
    }

    Path history() {
        return dir.resolve("history.jsonl");
    }

    Path report() {
        return dir.resolve("chaos.json");
    }
}
