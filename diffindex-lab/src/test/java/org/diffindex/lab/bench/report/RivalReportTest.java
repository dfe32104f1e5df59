package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.lab.bench.experiments.Results.FULL;
import static org.diffindex.lab.bench.experiments.Results.cell;
import static org.diffindex.lab.bench.experiments.Results.result;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.experiments.FakeRival;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.junit.jupiter.api.Test;

/** Tests that a report shows the contenders of a rival and those of Diff-Index beside plain HBase. */
class RivalReportTest {
    private static final ExperimentResult UPDATE = result(
            "update",
            cell(Contender.NO_INDEX, 1, "p50_us", 100, 200, 100),
            cell(FULL, 1, "p50_us", 150, 300, 150),
            cell(FakeRival.PLAIN, 1, "p50_us", 200, 400, 200),
            cell(FakeRival.INDEXED, 1, "p50_us", 600, 1_200, 620));

    private static BenchReport report(BenchOptions options) {
        ExperimentResult scan = result("scan", cell(Contender.NO_INDEX, 1, "p50_us", 9), cell(FULL, 1, "p50_us", 9));
        return new BenchReport(Map.of(), options, 1, List.of(UPDATE, scan));
    }

    private static BenchReport report() {
        return report(Results.optionsAgainst(new FakeRival()));
    }

    private static String printed(BenchReport report) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        report.print(out);
        out.flush();
        return text.toString();
    }

    @Test
    void theGoalsRelativeToTheRivalFollowTheOthers() {
        List<Goal> goals = report().goals();
        assertThat(goals).hasSize(Goals.of(List.of()).size() + 2);
        assertThat(goals.get(goals.size() - 2).figure()).isEqualTo("put p50 / fake");
        assertThat(goals.get(goals.size() - 2).met()).contains(true);
        assertThat(report(Results.options(40_000)).goals()).hasSameSizeAs(Goals.of(List.of()));
    }

    @Test
    void theTextHasTheRatiosOfAllContendersToNoIndex() {
        List<String> lines = printed(report()).lines().toList();
        int title = lines.indexOf(RivalRatios.TITLE + ":");
        assertThat(title).isPositive();
        assertThat(lines.get(title + 1))
                .containsSubsequence("FIGURE", "sync-full", "sync-insert", "fake, no index", "fake, indexed");
        assertThat(lines.get(title + 2).split(" {2,}"))
                .containsExactly("update, load 1.0: p50_us", "1.5", "-", "-", "-", "2", "6");
        assertThat(lines).noneMatch(line -> line.startsWith("scan, "));
        assertThat(printed(report(Results.options(40_000)))).doesNotContain(RivalRatios.TITLE);
    }

    /** The figures of an experiment that failed may be those of wrong answers. */
    @Test
    void thereAreNoRatiosOfAnExperimentThatFailed() {
        ExperimentResult failed =
                new ExperimentResult(UPDATE.experiment(), UPDATE.cells(), Optional.of("an index differs"), List.of());
        BenchOptions options = Results.optionsAgainst(new FakeRival());
        assertThat(RivalRatios.of(options, List.of(UPDATE)).rows()).isNotEmpty();
        assertThat(RivalRatios.of(options, List.of(failed)).rows()).isEmpty();
    }

    @Test
    void theJsonHasTheRatiosTheCellsAndTheName() {
        JsonObject json = JsonParser.parseString(ResultsJson.of(report())).getAsJsonObject();
        assertThat(json.getAsJsonObject("options").get("against").getAsString()).isEqualTo("fake");
        assertThat(json.getAsJsonArray("relative_to_no_index").asList())
                .extracting(JsonElement::getAsJsonObject)
                .anySatisfy(row -> {
                    assertThat(row.get("experiment").getAsString()).isEqualTo("update");
                    assertThat(row.get("value").getAsString()).isEqualTo("p50_us");
                    assertThat(row.get("sync-full").getAsDouble()).isEqualTo(1.5);
                    assertThat(row.get("fake, indexed").getAsDouble()).isEqualTo(6);
                    assertThat(row.has("sync-insert")).isFalse();
                });
        assertThat(json.getAsJsonArray("experiments")
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonArray("cells")
                        .asList())
                .extracting(cell -> cell.getAsJsonObject().get("scheme").getAsString())
                .containsExactly("no index", "sync-full", "fake, no index", "fake, indexed");
        JsonObject without = JsonParser.parseString(ResultsJson.of(report(Results.options(40_000))))
                .getAsJsonObject();
        assertThat(without.has("relative_to_no_index")).isFalse();
        assertThat(without.getAsJsonObject("options").has("against")).isFalse();
    }

    @Test
    void thePageHasTheRatiosAndThePlotsShowTheRival() {
        String page = ReportHtml.of(report());
        assertThat(page).contains("<h2>" + RivalRatios.TITLE, "<td>update, load 1.0: p50_us</td>", "put p50 / fake");
        assertThat(SvgPlot.draw(Chart.of(UPDATE.experiment().plots().get(1), UPDATE)))
                .isNotEmpty();
        assertThat(ReportHtml.of(report(Results.options(40_000)))).doesNotContain(RivalRatios.TITLE);
    }
}
