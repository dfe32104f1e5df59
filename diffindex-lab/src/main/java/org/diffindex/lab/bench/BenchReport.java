package org.diffindex.lab.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a run came to.
 *
 * @param machine what it ran on
 * @param options what was asked for
 * @param seconds how long it took, the start of the cluster included
 * @param results the experiments, in their order
 * @param goals the goals, in their order
 */
record BenchReport(
        Map<String, String> machine,
        BenchOptions options,
        double seconds,
        List<ExperimentResult> results,
        List<Goal> goals) {
    /** Copies the collections. */
    BenchReport {
        machine = Collections.unmodifiableMap(new LinkedHashMap<>(machine));
        results = List.copyOf(results);
        goals = List.copyOf(goals);
    }

    /** Whether every experiment came to its end. */
    boolean isComplete() {
        return results.stream().allMatch(result -> result.failure().isEmpty());
    }
}
