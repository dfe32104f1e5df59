package org.diffindex.lab.bench.compare;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A report that an earlier run wrote. Immutable.
 *
 * @param file its results.json
 * @param facts the facts of the machine and the options, by name, as text
 * @param goals its goals
 * @param experiments its experiments, in the order in which they ran
 */
record RecordedRun(
        Path file, Map<String, String> facts, List<RecordedGoal> goals, List<RecordedExperiment> experiments) {
    /** Copies the collections. */
    RecordedRun {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        goals = List.copyOf(goals);
        experiments = List.copyOf(experiments);
    }

    /** Returns whether an experiment of that name was run and completed. */
    boolean completed(String experiment) {
        return completed().stream().anyMatch(each -> each.name().equals(experiment));
    }

    /** Returns whether an experiment of that name failed. */
    boolean failed(String experiment) {
        return failed().stream().anyMatch(each -> each.name().equals(experiment));
    }

    /** Returns the name of the other system that was measured in the same rounds; empty if there was none. */
    Optional<String> rival() {
        return Optional.ofNullable(facts.get("against"));
    }

    /** Returns the experiments that completed. */
    List<RecordedExperiment> completed() {
        return experiments.stream()
                .filter(experiment -> experiment.failure().isEmpty())
                .toList();
    }

    /** Returns the experiments that failed. */
    List<RecordedExperiment> failed() {
        return experiments.stream()
                .filter(experiment -> experiment.failure().isPresent())
                .toList();
    }
}
