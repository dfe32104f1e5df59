package org.diffindex.lab.bench.statistics;

import java.util.List;

/**
 * The texts of a report about an experiment, in addition to its figures.
 *
 * @param name the name on the command line and in results.json
 * @param title the title, a few words on what the experiment measures
 * @param source the place in the paper, such as {@code figure 7}, or a note that the experiment is beyond the paper
 * @param explanation a few sentences on how to read the figures
 * @param plots the plots of its figures
 * @param columns the names of the values that its table shows; the report leaves out values that were not measured
 */
public record ExperimentDescription(
        String name, String title, String source, String explanation, List<Plot> plots, List<String> columns) {
    /** Copies the lists. */
    public ExperimentDescription {
        plots = List.copyOf(plots);
        columns = List.copyOf(columns);
    }
}
