package org.diffindex.lab.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** All experiments by their names, in the order in which they run: what disturbs the cluster most comes last. */
final class Experiments {
    private static final Map<String, Function<Bench, Experiment>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("update", UpdateExperiment::even);
        ALL.put("update-rate", RateExperiment::updates);
        ALL.put("read", ReadExperiment::titles);
        ALL.put("read-rows", ReadExperiment::rows);
        ALL.put("read-rate", RateExperiment::reads);
        ALL.put("range", RangeExperiment::new);
        ALL.put("staleness", StalenessExperiment::new);
        ALL.put("batch", BatchExperiment::new);
        ALL.put("plain", PlainExperiment::new);
        ALL.put("indexes", IndexesExperiment::new);
        ALL.put("skewed", UpdateExperiment::skewed);
        ALL.put("scan", ScanExperiment::new);
        ALL.put("flush", FlushExperiment::new);
        ALL.put("heap", HeapExperiment::new);
        ALL.put("recovery", RecoveryExperiment::new);
    }

    private Experiments() {}

    static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /**
     * The names that are asked for, in the order in which they run.
     *
     * @throws IllegalArgumentException if one of them is no experiment's; the message says which there are
     */
    static List<String> inOrder(List<String> asked) {
        for (String name : asked) {
            if (!ALL.containsKey(name)) {
                throw new IllegalArgumentException("No experiment is called '" + name + "'; the experiments are "
                        + String.join(", ", ALL.keySet()));
            }
        }
        return ALL.keySet().stream().filter(asked::contains).toList();
    }

    /** The experiments that the options ask for. */
    static List<Experiment> of(Bench bench) {
        return bench.options().experiments().stream()
                .map(name -> ALL.get(name).apply(bench))
                .toList();
    }
}
