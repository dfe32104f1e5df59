package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.lab.bench.experiments.Experiment;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.experiments.PlainWork;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class ReportTest {
    private static final String NASTY = "<script>alert(\"1\" & '2')</script>";

    /** Returns a result of every experiment, with values for all that its plots and tables show. */
    private static List<ExperimentResult> all(int rounds) {
        List<ExperimentResult> results = new ArrayList<>();
        for (String name : Experiments.names()) {
            Experiment experiment = Results.experiment(name);
            List<CellResult> cells = new ArrayList<>();
            for (BenchCell cell : experiment.cells()) {
                Measurement measurement = Measurement.empty();
                for (Plot plot : experiment.description().plots()) {
                    measurement = measurement.with(plot.y().value(), 10 + cell.amount() + cells.size());
                    if (plot.x().isPresent()) {
                        measurement = measurement.with(plot.x().get().value(), 100 * cell.amount() + 1);
                    }
                }
                cells.add(new CellResult(cell, Collections.nCopies(rounds, measurement)));
            }
            results.add(new ExperimentResult(experiment.description(), cells, Optional.empty()));
        }
        return results;
    }

    private static BenchReport report(List<ExperimentResult> results) {
        return new BenchReport(Map.of("cpu", NASTY), Results.options(40_000), 244.6, results);
    }

    private static Document parsed(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void escapesCharactersWithAMeaningInMarkup() {
        assertThat(Markup.escape("a < b && \"c\" > 'd'"))
                .isEqualTo("a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
    }

    @Test
    void thePageContainsEveryPlotLoadsNothingAndEscapesAllText() {
        String page = ReportHtml.of(report(all(2)));
        Stream<Plot> plots =
                Experiments.names().stream().flatMap(name -> Results.experiment(name).description().plots().stream());
        assertThat(plots).allSatisfy(plot -> assertThat(page)
                .contains("<figure id=\"" + plot.name() + "\">", Markup.escape(plot.title())));
        assertThat(page).doesNotContain("<script", "src=", "<link", "url(").contains(Markup.escape(NASTY));
        assertThat(page.indexOf(">Goals<")).isLessThan(page.indexOf("<figure"));
        assertThat(page).contains("This was a quick run");
    }

    @Test
    void everyPlotIsXmlWithALineOrPointsAndALegend() throws Exception {
        for (ExperimentResult result : all(1)) {
            for (Plot plot : result.experiment().plots()) {
                Document svg = parsed(SvgPlot.draw(Chart.of(plot, result)));
                assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
                long contenders = result.cells().stream()
                        .map(cell -> cell.cell().contender())
                        .distinct()
                        .count();
                // One point for each cell, and one for each contender in the legend.
                assertThat(svg.getElementsByTagName("circle").getLength())
                        .as(plot.name())
                        .isEqualTo((int) (result.cells().size() + contenders));
                assertThat(svg.getElementsByTagName("polyline").getLength())
                        .as(plot.name())
                        .isEqualTo(plot.x().isPresent() ? (int) contenders : 0);
            }
        }
    }

    @Test
    void aPlotWithoutValuesStatesThatNothingWasMeasured() throws Exception {
        ExperimentResult nothing =
                new ExperimentResult(Results.experiment("read").description(), List.of(), Optional.of("x"));
        for (Plot plot : nothing.experiment().plots()) {
            assertThat(parsed(SvgPlot.draw(Chart.of(plot, nothing)))
                            .getDocumentElement()
                            .getTextContent())
                    .contains("Nothing was measured");
        }
    }

    @Test
    void titlesAndLabelsAreEscapedInPlots() throws Exception {
        Plot plot = Plot.byLoad("x", NASTY, Plot.Quantity.linear("v", NASTY));
        ExperimentResult result = Results.result("batch", Results.cell(Contender.NO_INDEX, 1, "v", 3));
        String svg = SvgPlot.draw(Chart.of(plot, result));
        assertThat(parsed(svg).getElementsByTagName("script").getLength()).isZero();
        assertThat(parsed(svg).getDocumentElement().getTextContent()).contains(NASTY);
    }

    @Test
    void theJsonHasRoundsMediansAndGoals() {
        ExperimentResult update = Results.result(
                "update",
                Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 110, 100),
                Results.cell(Results.FULL, 1, "p50_us", 330, 330, 330));
        JsonObject json =
                JsonParser.parseString(ResultsJson.of(report(List.of(update)))).getAsJsonObject();
        JsonObject cell = json.getAsJsonArray("experiments")
                .get(0)
                .getAsJsonObject()
                .getAsJsonArray("cells")
                .get(1)
                .getAsJsonObject();
        assertThat(cell.get("scheme").getAsString()).isEqualTo("sync-full");
        assertThat(cell.getAsJsonObject("median").get("p50_us").getAsDouble()).isEqualTo(330);
        assertThat(cell.getAsJsonObject("highest").get("p50_us").getAsDouble()).isEqualTo(330);
        assertThat(cell.getAsJsonArray("rounds")).hasSize(3);
        List<JsonObject> goals = json.getAsJsonArray("goals").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .toList();
        assertThat(goals).allSatisfy(goal -> assertThat(goal.keySet()).contains("figure", "measured", "goal", "met"));
        assertThat(goals.get(1).get("measured").getAsDouble()).isEqualTo(3.3);
        assertThat(goals.get(1).get("met").getAsBoolean()).isFalse();
        assertThat(goals.get(0).get("measured").isJsonNull()).isTrue();
        assertThat(goals.get(0).get("met").isJsonNull()).isTrue();
        assertThat(json.getAsJsonObject("machine").get("cpu").getAsString()).isEqualTo(NASTY);
    }

    @Test
    void reportsPlainCallsBesideTheGoalAndNotAsABound() {
        ExperimentResult plain = Results.result(
                "plain",
                Results.measured(PlainWork.BATCH.cell(1), "p50_us", 100, 100, 100),
                Results.measured(PlainWork.READS_BATCH_ENTRIES.cell(1), "p50_us", 170, 170, 170));
        String text = "Gets, batch, entries: 1.7";
        BenchReport report = report(List.of(plain));
        assertThat(ReportHtml.of(report)).contains("plain calls in its place", "This ratio is not a bound", text);
        List<JsonObject> goals =
                JsonParser.parseString(ResultsJson.of(report))
                        .getAsJsonObject()
                        .getAsJsonArray("goals")
                        .asList()
                        .stream()
                        .map(JsonElement::getAsJsonObject)
                        .filter(goal -> goal.has("plain"))
                        .toList();
        assertThat(goals).singleElement().satisfies(goal -> {
            assertThat(goal.get("figure").getAsString()).startsWith("1,000-row batches");
            assertThat(goal.get("plain").getAsDouble()).isEqualTo(1.7);
            assertThat(goal.get("plain_text").getAsString()).isEqualTo(text);
        });
    }

    @Test
    void namesAFailedExperimentInPageAndJson() {
        BenchReport report = report(List.of(new ExperimentResult(
                Results.experiment("recovery").description(), List.of(), Optional.of("it <broke>"))));
        assertThat(report.isComplete()).isFalse();
        assertThat(ReportHtml.of(report)).contains("Failed", "it &lt;broke&gt;");
        assertThat(ResultsJson.of(report)).contains("it <broke>");
    }
}
