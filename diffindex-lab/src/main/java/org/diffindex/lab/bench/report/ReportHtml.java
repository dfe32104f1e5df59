package org.diffindex.lab.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Spread;
import org.diffindex.lab.output.ReadableText;

/** The report as one self-contained HTML page: the goals, the machine, then each experiment. */
final class ReportHtml {
    private static final String STYLE = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
            + "padding:0 1rem;color:#222;background:#fff}h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem}"
            + "table{border-collapse:collapse;margin:1rem 0}th,td{padding:.25rem .7rem;border-bottom:1px solid #8884;"
            + "text-align:left}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
            + "td.n,.met,.missed{white-space:nowrap}td.figure{min-width:16rem}"
            + ".met{color:#087a3c;font-weight:600}.missed{color:#b3261e;font-weight:600}.small{font-size:.85rem;opacity:.8}"
            + ".wide{overflow-x:auto}@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}"
            + ".met{color:#5fd08d}.missed{color:#ff8a80}}";

    private final BenchReport report;
    private final StringBuilder html = new StringBuilder();

    private ReportHtml(BenchReport report) {
        this.report = report;
    }

    /** Returns the whole page. */
    static String of(BenchReport report) {
        return new ReportHtml(report).page();
    }

    private String page() {
        html.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append(
                        "<meta name=\"viewport\" content=\"width=device-width\"><title>Diff-Index benchmark</title><style>")
                .append(STYLE)
                .append("</style></head><body>\n<h1>Diff-Index benchmark</h1>\n");
        paragraph(introduction());
        goals();
        if (report.options().rival().isPresent()) {
            rivalRatios();
        }
        facts();
        report.results().forEach(this::experiment);
        return html.append("</body></html>\n").toString();
    }

    private String introduction() {
        String length = ReadableText.duration(report.seconds());
        String quick = report.options().quick()
                ? "This was a quick run: few rows and short rounds. Its figures show orders of magnitude only. "
                : "";
        return quick + "The run took " + length
                + ". Figures are medians over rounds in which the contenders took turns, with"
                + " the lowest and the highest round in parentheses or as whiskers; ratios are taken within each round.";
    }

    private void goals() {
        heading("Goals");
        if (report.goals().stream().anyMatch(goal -> goal.plain().isPresent())) {
            paragraph("Next to some figures is the same ratio for clients that make plain calls in place of the index."
                    + " This ratio is not a bound: an index can be better or worse.");
        }
        List<List<String>> rows = new ArrayList<>();
        for (Goal goal : report.goals()) {
            String css = goal.met().map(met -> met ? "met" : "missed").orElse("");
            rows.add(List.of(
                    "<td class=\"figure\">" + Markup.escape(goal.figure())
                            + goal.note()
                                    .map(note -> " <span class=\"small\">(" + Markup.escape(note) + ")</span>")
                                    .orElse("")
                            + "</td>",
                    cell(goal.measuredText()),
                    cell(goal.goalText()),
                    cell(goal.plainText()),
                    "<td class=\"" + css + "\">" + Markup.escape(goal.metText()) + "</td>"));
        }
        table(
                List.of(
                        "<th>figure</th>",
                        "<th>measured</th>",
                        "<th>goal</th>",
                        "<th>plain calls in its place</th>",
                        "<th></th>"),
                rows);
    }

    private void rivalRatios() {
        heading(RivalRatios.TITLE);
        RivalRatios ratios = RivalRatios.of(report.options(), report.results());
        List<String> headings = new ArrayList<>(List.of("<th>figure</th>"));
        ratios.contenders()
                .forEach(contender -> headings.add("<th class=\"n\">" + Markup.escape(contender.label()) + "</th>"));
        List<List<String>> rows = new ArrayList<>();
        for (RivalRatios.Row ratio : ratios.rows()) {
            List<String> row = new ArrayList<>(List.of(cell(ratio.figure())));
            ratio.ratios().forEach(each -> row.add(each.map(ReportHtml::number).orElse("<td></td>")));
            rows.add(row);
        }
        table(headings, rows);
    }

    private void facts() {
        heading("Machine, versions and options");
        List<List<String>> rows = new ArrayList<>();
        for (Map.Entry<String, String> fact : report.machine().entrySet()) {
            rows.add(List.of(cell(fact.getKey()), cell(fact.getValue())));
        }
        BenchOptions options = report.options();
        rows.add(List.of(cell("rows of each table"), cell("%,d".formatted(options.rows()))));
        rows.add(List.of(
                cell("measured"),
                cell("%s s for each cell in a round, %d rounds at most"
                        .formatted(ReadableText.number(options.seconds()), options.rounds()))));
        rows.add(List.of(cell("seed"), cell(Long.toString(options.seed()))));
        table(List.of("<th>fact</th>", "<th></th>"), rows);
    }

    private void experiment(ExperimentResult result) {
        ExperimentDescription experiment = result.experiment();
        heading(experiment.title());
        html.append("<p class=\"small\">")
                .append(Markup.escape(experiment.name() + ": " + experiment.source()))
                .append("</p>\n");
        paragraph(experiment.explanation());
        result.failure().ifPresent(failure -> html.append("<p class=\"missed\">Failed; figures until then are shown: ")
                .append(Markup.escape(failure))
                .append("</p>\n"));
        result.notes().forEach(this::paragraph);
        for (Plot plot : experiment.plots()) {
            html.append("<figure id=\"").append(Markup.escape(plot.name())).append("\">\n");
            html.append(SvgPlot.draw(Chart.of(plot, result))).append("</figure>\n");
        }
        cells(result);
    }

    private void cells(ExperimentResult result) {
        List<String> columns = result.experiment().columns().stream()
                .filter(column -> result.cells().stream()
                        .anyMatch(cell -> cell.spread(column).isPresent()))
                .toList();
        List<String> headings = new ArrayList<>(List.of("<th>load</th>", "<th>scheme</th>"));
        columns.forEach(column -> headings.add("<th class=\"n\">" + Markup.escape(column) + "</th>"));
        headings.add("<th class=\"n\">rounds</th>");
        List<List<String>> rows = new ArrayList<>();
        for (CellResult cell : result.cells()) {
            List<String> row = new ArrayList<>(List.of(
                    cell(cell.cell().load()), cell(cell.cell().contender().label())));
            for (String column : columns) {
                row.add(cell.spread(column).map(ReportHtml::number).orElse("<td></td>"));
            }
            row.add(number(Integer.toString(cell.rounds().size())));
            rows.add(row);
        }
        table(headings, rows);
    }

    private void heading(String text) {
        html.append("<h2>").append(Markup.escape(text)).append("</h2>\n");
    }

    private void paragraph(String text) {
        html.append("<p>").append(Markup.escape(text)).append("</p>\n");
    }

    private static String cell(String text) {
        return "<td>" + Markup.escape(text) + "</td>";
    }

    private static String number(String text) {
        return "<td class=\"n\">" + Markup.escape(text) + "</td>";
    }

    /** Returns a cell with the median, and the range of the rounds below it. */
    private static String number(Spread spread) {
        String range = spread.lowest() == spread.highest()
                ? ""
                : "<br><span class=\"small\">" + ReadableText.number(spread.lowest()) + " to "
                        + ReadableText.number(spread.highest()) + "</span>";
        return "<td class=\"n\">" + ReadableText.number(spread.median()) + range + "</td>";
    }

    /** Appends a table whose cells are HTML elements. */
    private void table(List<String> headings, List<List<String>> rows) {
        html.append("<div class=\"wide\"><table><thead><tr>");
        headings.forEach(html::append);
        html.append("</tr></thead><tbody>\n");
        for (List<String> row : rows) {
            html.append("<tr>");
            row.forEach(html::append);
            html.append("</tr>\n");
        }
        html.append("</tbody></table></div>\n");
    }
}
