package org.diffindex.lab.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.diffindex.model.IndexScheme;

/**
 * The options of a run.
 *
 * @param dir the folder of the run
 * @param duration the time during which faults are injected
 * @param schemes the schemes, each with a table of its own
 * @param seed the seed that determines the faults and the call queues
 * @param kinds the kinds of fault
 * @param writers the number of writers per table
 * @param readers the number of readers per table
 * @param rows the number of rows per table that are in use at any time
 * @param writesPerSecond the rate of all writers of a table together, see {@link Pace}
 * @param readsPerSecond the rate of all readers of a table together, see {@link Pace}
 * @param regionServers the number of region servers
 * @param schemeChanges whether the schemes of indexes are changed
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
        boolean schemeChanges,
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
