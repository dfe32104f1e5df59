package org.diffindex.lab.bench.report;

import java.io.PrintWriter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.output.TextTable;

/**
 * The outcome of a run.
 *
 * @param machine facts of the machine and the build, by name
 * @param options the options of the run
 * @param seconds the time that it took, the start of the cluster included
 * @param results the results of the experiments, in the order in which they ran
 */
public record BenchReport(
        Map<String, String> machine, BenchOptions options, double seconds, List<ExperimentResult> results) {
    /** Copies the collections. */
    public BenchReport {
        machine = Collections.unmodifiableMap(new LinkedHashMap<>(machine));
        results = List.copyOf(results);
    }

    /** Returns whether every experiment completed. */
    public boolean isComplete() {
        return results.stream().allMatch(result -> result.failure().isEmpty());
    }

    /** Returns all goals, including those without a figure. */
    List<Goal> goals() {
        return Goals.of(results);
    }

    /** Prints the goals as a table, followed by the failures. */
    public void print(PrintWriter out) {
        TextTable table = new TextTable("FIGURE", "MEASURED", "GOAL", "", "PLAIN CALLS IN ITS PLACE");
        for (Goal goal : goals()) {
            String note = goal.note().map(text -> " (" + text + ")").orElse("");
            table.row(goal.figure() + note, goal.measuredText(), goal.goalText(), goal.metText(), goal.plainText());
        }
        table.print(out, 1);
        for (ExperimentResult result : results) {
            result.failure()
                    .ifPresent(failure ->
                            out.println("Experiment " + result.experiment().name() + " FAILED: " + failure));
        }
    }
}
