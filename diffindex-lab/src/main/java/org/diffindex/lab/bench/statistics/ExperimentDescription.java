package org.diffindex.lab.bench.statistics;

import java.util.List;

/**
 * The texts of a report about an experiment, in addition to its figures.
 *
 * @param name identifies the experiment on the command line and in results.json
 * @param title what it measures, in a few words
 * @param source where the paper has it, such as {@code figure 7}, or that it is beyond the paper
 * @param explanation how to read its figures, in a few sentences
 * @param plots the plots of its figures
 * @param columns the names of the values that its table shows; the report leaves out those that were not measured
 */
public record ExperimentDescription(
        String name, String title, String source, String explanation, List<Plot> plots, List<String> columns) {
    /** Copies the lists. */
    public ExperimentDescription {
        plots = List.copyOf(plots);
        columns = List.copyOf(columns);
    }
}
