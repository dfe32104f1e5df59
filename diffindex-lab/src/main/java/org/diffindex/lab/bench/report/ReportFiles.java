package org.diffindex.lab.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.output.ResultFile;

/** The files of a report in its folder: results.json, report.html, and an SVG for each plot. */
public final class ReportFiles {
    private static final String RESULTS = "results.json";

    private final Path folder;

    public ReportFiles(Path folder) {
        this.folder = folder;
    }

    /** Returns the path of the results of a report, given it or the folder of the report. */
    public static Path resultsAt(Path fileOrFolder) {
        return Files.isDirectory(fileOrFolder) ? fileOrFolder.resolve(RESULTS) : fileOrFolder;
    }

    /** Returns the path of the HTML page. */
    public Path page() {
        return folder.resolve("report.html");
    }

    private ResultFile results() {
        return new ResultFile(folder.resolve(RESULTS));
    }

    /** Creates the folder and checks, before the run starts, that the files can be written. */
    public void check() throws IOException {
        Files.createDirectories(folder);
        results().check();
        new ResultFile(page()).check();
    }

    /** Writes all files, replacing those of an earlier run. */
    public void write(BenchReport report) throws IOException {
        results().write(ResultsJson.of(report));
        for (ExperimentResult result : report.results()) {
            for (Plot plot : result.experiment().plots()) {
                new ResultFile(folder.resolve(plot.name() + ".svg")).write(SvgPlot.draw(Chart.of(plot, result)));
            }
        }
        new ResultFile(page()).write(ReportHtml.of(report));
    }
}
