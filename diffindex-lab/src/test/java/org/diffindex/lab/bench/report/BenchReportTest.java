package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchReportTest {
    @TempDir
    Path dir;

    private static BenchReport report(ExperimentResult... results) {
        return new BenchReport(Map.of(), Results.options(2_000), 1, List.of(results));
    }

    private static final ExperimentResult UPDATE = Results.result(
            "update",
            Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 100, 100),
            Results.cell(Results.INSERT, 1, "p50_us", 120, 120, 120));

    private static final ExperimentResult FAILED =
            new ExperimentResult(Results.experiment("scan").description(), List.of(), Optional.of("no region server"));

    private static List<String> printed(BenchReport report) {
        StringWriter out = new StringWriter();
        report.print(new PrintWriter(out, true));
        return out.toString().lines().toList();
    }

    @Test
    void printsALineForEachGoal() {
        List<String> lines = printed(report(UPDATE));
        assertThat(lines).hasSize(1 + report(UPDATE).goals().size());
        assertThat(lines.get(1))
                .startsWith("put p50, 1 client, sync-insert / no index")
                .contains(" 1.2 ", "at most 1.3", "met");
        assertThat(lines.get(2)).contains("sync-full", "not measured", "-");
    }

    @Test
    void printsTheNoteOfAGoalBesideItsFigure() {
        ExperimentResult two = Results.result(
                "update",
                Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 100),
                Results.cell(Results.INSERT, 1, "p50_us", 120, 120));
        assertThat(printed(report(two)).get(1)).contains("sync-insert / no index (fewer than 3 rounds)");
    }

    @Test
    void namesTheExperimentsThatFailed() {
        BenchReport report = report(UPDATE, FAILED);
        assertThat(printed(report)).endsWith("Experiment scan FAILED: no region server");
        assertThat(report.isComplete()).isFalse();
        assertThat(report(UPDATE).isComplete()).isTrue();
    }

    @Test
    void saysWhatMakesFiguresLessCertainEverywhere() {
        BenchReport report = report(new ExperimentResult(
                UPDATE.experiment(), UPDATE.cells(), Optional.empty(), List.of("2 turns <beside> compactions")));
        assertThat(printed(report)).endsWith("Experiment update: 2 turns <beside> compactions");
        assertThat(ReportHtml.of(report)).contains("<p>2 turns &lt;beside&gt; compactions</p>");
        assertThat(ResultsJson.of(report)).contains("\"notes\": [\n        \"2 turns <beside> compactions\"");
        assertThat(ResultsJson.of(report(UPDATE))).doesNotContain("notes");
        assertThat(report.isComplete()).isTrue();
    }

    @Test
    void writesAPageTheResultsAndEveryPlot() throws IOException {
        ReportFiles files = new ReportFiles(dir.resolve("new/folder"));
        files.check();
        files.write(report(UPDATE));
        try (var written = Files.list(dir.resolve("new/folder"))) {
            assertThat(written.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("report.html", "results.json", "update.svg", "update-p99.svg");
        }
        assertThat(files.page()).content().contains("<figure id=\"update-p99\">");
    }

    @Test
    void refusesAFolderThatCannotHoldAReport() throws IOException {
        Files.createDirectories(dir.resolve("report.html"));
        assertThatThrownBy(() -> new ReportFiles(dir).check())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is a folder");
    }
}
