package org.diffindex.lab.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.diffindex.lab.output.ResultFile;

/** The files of a report in its folder: results.json, report.html, and an SVG for each plot. */
final class ReportFiles {
    private final Path folder;

    ReportFiles(Path folder) {
        this.folder = folder;
    }

    Path page() {
        return folder.resolve("report.html");
    }

    private ResultFile results() {
        return new ResultFile(folder.resolve("results.json"));
    }

    /** Makes the folder, and looks, before minutes are spent, whether it can be written. */
    void check() throws IOException {
        Files.createDirectories(folder);
        results().check();
        new ResultFile(page()).check();
    }

    /** Writes all files; those of an earlier run are replaced. */
    void write(BenchReport report) throws IOException {
        results().write(ResultsJson.of(report));
        for (ExperimentResult result : report.results()) {
            for (Plot plot : result.experiment().plots()) {
                new ResultFile(folder.resolve(plot.name() + ".svg")).write(SvgPlot.draw(Chart.of(plot, result)));
            }
        }
        new ResultFile(page()).write(ReportHtml.of(report));
    }
}
