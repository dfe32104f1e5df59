package org.diffindex.lab.bench.compare;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;

/** What changed between two reports, for people and for programs. */
public final class ReportComparison {
    private final Comparison comparison;

    private ReportComparison(Comparison comparison) {
        this.comparison = comparison;
    }

    /**
     * Compares the reports in two results.json.
     *
     * @throws IOException if a file cannot be read or is no report; the message names the file and says what is wrong
     */
    public static ReportComparison of(Path a, Path b) throws IOException {
        return new ReportComparison(Comparison.of(ResultsReader.read(a), ResultsReader.read(b)));
    }

    /** Prints the changes as a table, after the differences of the runs and before a summary. */
    public void print(PrintWriter out) {
        new ComparisonText(comparison, out).print();
    }

    /** Returns the changes, the differences of the runs and the summary as a JSON object. */
    public String json() {
        return ComparisonJson.of(comparison);
    }

    /**
     * Returns whether nothing of the reports could be compared: no figure, no goal, and no experiment that completed in
     * the first failed in the second.
     */
    public boolean isEmpty() {
        return comparison.isEmpty();
    }

    /**
     * Returns whether a figure or a goal of the second report is worse beyond the spread of the rounds, or an experiment
     * failed in it that completed in the first.
     */
    public boolean hasWorse() {
        return comparison.hasWorse();
    }
}
