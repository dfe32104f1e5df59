package org.diffindex.lab.bench.report;

import java.io.PrintWriter;
import java.util.ArrayList;
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

    /** Returns all goals, including those without a figure; those relative to the rival come last. */
    List<Goal> goals() {
        List<Goal> goals = new ArrayList<>(Goals.of(results));
        options.rival().ifPresent(rival -> goals.addAll(RivalGoals.of(rival, results)));
        return goals;
    }

    /** Prints the goals as a table, the figures beside those of the rival, if there is one, the failures and the notes. */
    public void print(PrintWriter out) {
        TextTable table = new TextTable("FIGURE", "MEASURED", "GOAL", "", "PLAIN CALLS IN ITS PLACE");
        for (Goal goal : goals()) {
            String note = goal.note().map(text -> " (" + text + ")").orElse("");
            table.row(goal.figure() + note, goal.measuredText(), goal.goalText(), goal.metText(), goal.plainText());
        }
        table.print(out, 1);
        if (options.rival().isPresent()) {
            out.println();
            RivalRatios.of(options, results).print(out);
        }
        for (ExperimentResult result : results) {
            result.failure()
                    .ifPresent(failure ->
                            out.println("Experiment " + result.experiment().name() + " FAILED: " + failure));
            result.notes()
                    .forEach(note ->
                            out.println("Experiment " + result.experiment().name() + ": " + note));
        }
    }
}
