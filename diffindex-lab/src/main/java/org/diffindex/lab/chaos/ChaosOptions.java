package org.diffindex.lab.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.diffindex.model.IndexScheme;

/**
 * What a run is to be like.
 *
 * @param dir the folder of the run
 * @param duration how long the faults last
 * @param schemes the schemes, each with a table of its own
 * @param seed what the faults follow from, and the call queues
 * @param kinds the kinds of fault
 * @param writers clients that write each table
 * @param readers clients that read each table
 * @param rows rows of each table that are written at a time
 * @param writesPerSecond operations of all writers of one table
 * @param readsPerSecond reads of all readers of one table
 * @param regionServers region servers of the cluster
 * @param keep whether to leave the cluster's folder and the history of a run in which all was well
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
