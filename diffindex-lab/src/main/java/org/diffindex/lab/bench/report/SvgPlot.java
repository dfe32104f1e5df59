package org.diffindex.lab.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.lab.output.ReadableText;
import org.diffindex.model.IndexScheme;

/**
 * Draws a chart as SVG: axes with units, a line with points per series over numbers, points side by side over
 * categories, whiskers from the lowest to the highest round, and a legend. It adapts to light and dark backgrounds, and
 * is self-contained.
 */
final class SvgPlot {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 420;
    private static final int LEFT = 76;
    private static final int RIGHT = 170;
    private static final int TOP = 44;
    private static final int BOTTOM = 60;
    private static final int POINT = 4;
    private static final double CATEGORY_SHARE = 0.6;

    /**
     * The palette of Okabe and Ito, which color-blind readers can distinguish, after the color of the text; a gray in
     * place of its yellow, which is hard to see on white.
     */
    private static final List<String> COLORS =
            List.of("currentColor", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#888888");

    private static final List<String> DASHES = List.of("6 4", "none", "none", "none", "none", "none", "none", "none");

    /** The labels whose colors are the same in all plots. */
    private static final List<String> ORDER =
            Contender.withNoIndex(Arrays.stream(IndexScheme.values())
                            .map(Contender::of)
                            .toList())
                    .stream()
                    .map(Contender::label)
                    .toList();

    private static final String STYLE = "<style>.plot{color:#222;font:12px system-ui,sans-serif}"
            + ".plot text{fill:currentColor}.plot .grid{stroke:currentColor;stroke-opacity:.15}"
            + ".plot .axis{stroke:currentColor}.plot .title{font-size:15px;font-weight:600}"
            + "@media(prefers-color-scheme:dark){.plot{color:#ddd}}</style>";

    private final Chart chart;
    private final Axis x;
    private final Axis y;
    private final StringBuilder svg = new StringBuilder();

    private SvgPlot(Chart chart) {
        this.chart = chart;
        this.x = chart.plot()
                .x()
                .map(quantity -> axis(quantity, points().mapToDouble(Chart.Point::x)))
                .orElseGet(() -> new Axis(-0.5, Math.max(1, chart.categories().size()) - 0.5, false));
        this.y = axis(
                chart.plot().y(),
                points().flatMapToDouble(point -> DoubleStream.of(
                        point.y().lowest(), point.y().median(), point.y().highest())));
    }

    /** Returns the SVG of a chart, one element. */
    static String draw(Chart chart) {
        return new SvgPlot(chart).draw();
    }

    private Stream<Chart.Point> points() {
        return chart.series().stream().flatMap(series -> series.points().stream());
    }

    private static Axis axis(Quantity quantity, DoubleStream values) {
        return quantity.logarithmic() ? Axis.log(values) : Axis.linear(values);
    }

    private String draw() {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\""
                        + " height=\"%d\" style=\"max-width:100%%;height:auto\" aria-label=\"%s\">",
                WIDTH, HEIGHT, WIDTH, HEIGHT, title());
        svg.append(STYLE);
        add("<text class=\"title\" x=\"%d\" y=\"24\">%s</text>", LEFT, title());
        if (points().findAny().isEmpty()) {
            add("<text x=\"%d\" y=\"%d\">Nothing was measured.</text>", LEFT, HEIGHT / 2);
        } else {
            yAxis();
            xAxis();
            for (int i = 0; i < chart.series().size(); i++) {
                series(chart.series().get(i), i);
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private String title() {
        return Markup.escape(chart.plot().title());
    }

    private void yAxis() {
        for (double tick : y.ticks()) {
            double at = py(tick);
            add("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, WIDTH - RIGHT, at, at);
            add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", LEFT - 8, at + 4, ReadableText.number(tick));
        }
        add("<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", LEFT, LEFT, TOP, HEIGHT - BOTTOM);
        int middle = (TOP + HEIGHT - BOTTOM) / 2;
        add(
                "<text x=\"16\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\">%s</text>",
                middle, middle, Markup.escape(chart.plot().y().label()));
    }

    private void xAxis() {
        int bottom = HEIGHT - BOTTOM;
        if (chart.plot().x().isPresent()) {
            for (double tick : x.ticks()) {
                add(
                        "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
                        px(tick), px(tick), TOP, bottom);
                xLabel(px(tick), ReadableText.number(tick));
            }
            add(
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                    (LEFT + WIDTH - RIGHT) / 2,
                    HEIGHT - 16,
                    Markup.escape(chart.plot().x().get().label()));
        } else {
            for (int i = 0; i < chart.categories().size(); i++) {
                xLabel(px(i), Markup.escape(chart.categories().get(i)));
            }
        }
        add("<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", LEFT, WIDTH - RIGHT, bottom, bottom);
    }

    private void xLabel(double at, String escaped) {
        add("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", at, HEIGHT - BOTTOM + 18, escaped);
    }

    private void series(Chart.Series series, int number) {
        int known = ORDER.indexOf(series.label());
        int style = (known >= 0 ? known : number) % COLORS.size();
        String color = COLORS.get(style);
        String dashes = DASHES.get(style);
        if (chart.categories().isEmpty()) {
            StringBuilder line = new StringBuilder();
            series.points()
                    .forEach(point -> line.append(String.format(
                            Locale.ROOT,
                            "%.1f,%.1f ",
                            px(point.x()),
                            py(point.y().median()))));
            add(
                    "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"%s\"/>",
                    color, dashes, line.toString().trim());
        }
        double offset = offset(number);
        for (Chart.Point point : series.points()) {
            double at = px(point.x() + offset);
            add(
                    "<line stroke=\"%s\" stroke-opacity=\".6\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                    color, at, at, py(point.y().lowest()), py(point.y().highest()));
            add(
                    "<circle fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>%s: %s (%s to %s)</title></circle>",
                    color,
                    at,
                    py(point.y().median()),
                    POINT,
                    Markup.escape(series.label()),
                    ReadableText.number(point.y().median()),
                    ReadableText.number(point.y().lowest()),
                    ReadableText.number(point.y().highest()));
        }
        int top = TOP + 10 + number * 22;
        int left = WIDTH - RIGHT + 18;
        add(
                "<line stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>",
                color, dashes, left, left + 24, top, top);
        add("<circle fill=\"%s\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>", color, left + 12, top, POINT);
        add("<text x=\"%d\" y=\"%d\">%s</text>", left + 32, top + 4, Markup.escape(series.label()));
    }

    /**
     * Returns the offset of a series from the center of its category, as a share of the distance between categories.
     */
    private double offset(int number) {
        if (chart.plot().x().isPresent() || chart.series().size() == 1) {
            return 0;
        }
        return CATEGORY_SHARE * ((double) number / (chart.series().size() - 1) - 0.5);
    }

    private double px(double value) {
        return LEFT + x.place(value) * (WIDTH - LEFT - RIGHT);
    }

    private double py(double value) {
        return HEIGHT - BOTTOM - y.place(value) * (HEIGHT - TOP - BOTTOM);
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
