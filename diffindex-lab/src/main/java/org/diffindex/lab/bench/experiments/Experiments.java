package org.diffindex.lab.bench.experiments;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** All experiments by name, in the order in which they run: the experiments that disturb the cluster most come last. */
public final class Experiments {
    private static final Map<String, Function<Bench, Experiment>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("update", UpdateExperiment::even);
        ALL.put("update-rate", RateExperiment::updates);
        ALL.put("read", ReadExperiment::titles);
        ALL.put("read-rows", ReadExperiment::rows);
        ALL.put("read-rate", RateExperiment::reads);
        ALL.put("rewritten", RewrittenExperiment::new);
        ALL.put("range", RangeExperiment::new);
        ALL.put("staleness", StalenessExperiment::new);
        ALL.put("batch", BatchExperiment::new);
        ALL.put("plain", PlainExperiment::new);
        ALL.put("indexes", IndexesExperiment::new);
        ALL.put("skewed", UpdateExperiment::skewed);
        ALL.put("scan", ScanExperiment::new);
        ALL.put("backfill", BackfillExperiment::new);
        ALL.put("flush", FlushExperiment::new);
        ALL.put("heap", HeapExperiment::new);
        ALL.put("recovery", RecoveryExperiment::new);
    }

    private Experiments() {}

    /** Returns the names of all experiments. */
    public static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /**
     * Returns the distinct names of experiments in the order in which they run.
     *
     * @throws IllegalArgumentException if there is no experiment of such a name; the message lists the names
     */
    public static List<String> inOrder(List<String> asked) {
        for (String name : asked) {
            if (!ALL.containsKey(name)) {
                throw new IllegalArgumentException("No experiment is called '" + name + "'; the experiments are "
                        + String.join(", ", ALL.keySet()));
            }
        }
        return ALL.keySet().stream().filter(asked::contains).toList();
    }

    /** Returns whether any experiment that the options select has something to measure with them. */
    public static boolean haveCells(BenchOptions options) {
        return of(new Bench(null, null, options, null)).stream()
                .anyMatch(experiment -> !experiment.cells().isEmpty());
    }

    /** Creates the experiments that the options select. */
    public static List<Experiment> of(Bench bench) {
        return bench.options().experiments().stream()
                .map(name -> ALL.get(name).apply(bench))
                .toList();
    }
}
