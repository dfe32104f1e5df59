package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.lab.bench.statistics.Spread;
import org.junit.jupiter.api.Test;

/** Tests where points and whiskers are drawn. */
class SvgPlotTest {
    private static final Pattern POINT = Pattern.compile("<circle [^>]*cx=\"([\\d.]+)\" cy=\"([\\d.]+)\"[^>]*><title>");
    private static final Pattern WHISKER = Pattern.compile(
            "stroke-opacity=\"\\.6\" x1=\"([\\d.]+)\" x2=\"[\\d.]+\" y1=\"([\\d.]+)\" y2=\"([\\d.]+)\"");

    /** The coordinates of the plotting area in the drawing. */
    private static final double LEFT = 76;

    private static final double RIGHT = 760 - 170;
    private static final double TOP = 44;
    private static final double BOTTOM = 420 - 60;

    private static Spread spread(double median, double lowest, double highest) {
        return new Spread(median, lowest, highest, 2, Optional.empty());
    }

    private static Chart overNumbers(Chart.Point... points) {
        Plot plot = Plot.of("p", "t", Quantity.linear("x", "x"), Quantity.linear("y", "y"));
        return new Chart(plot, List.of(), List.of(new Chart.Series("sync-full", List.of(points))));
    }

    private static List<double[]> found(Pattern pattern, Chart chart) {
        List<double[]> all = new ArrayList<>();
        Matcher matcher = pattern.matcher(SvgPlot.draw(chart));
        while (matcher.find()) {
            double[] numbers = new double[matcher.groupCount()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Double.parseDouble(matcher.group(i + 1));
            }
            all.add(numbers);
        }
        return all;
    }

    @Test
    void theOriginIsAtTheBottomLeftAndTheLargestValuesAtTheTopRight() {
        List<double[]> points = found(
                POINT, overNumbers(new Chart.Point(0, spread(0, 0, 0)), new Chart.Point(100, spread(50, 50, 50))));
        assertThat(points.get(0)).containsExactly(new double[] {LEFT, BOTTOM}, within(0.1));
        assertThat(points.get(1)).containsExactly(new double[] {RIGHT, TOP}, within(0.1));
    }

    @Test
    void aWhiskerReachesFromTheLowestToTheHighestRound() {
        Chart chart = overNumbers(new Chart.Point(100, spread(50, 25, 100)));
        double height = BOTTOM - TOP;
        assertThat(found(WHISKER, chart).get(0))
                .containsExactly(new double[] {RIGHT, BOTTOM - height / 4, TOP}, within(0.1));
        assertThat(found(POINT, chart).get(0)).containsExactly(new double[] {RIGHT, BOTTOM - height / 2}, within(0.1));
    }

    @Test
    void drawsContendersSideBySideInTheirCategory() {
        Plot plot = Plot.byLoad("p", "t", Quantity.linear("y", "y"));
        List<Chart.Point> points = List.of(new Chart.Point(0, spread(1, 1, 1)), new Chart.Point(1, spread(1, 1, 1)));
        Chart chart = new Chart(
                plot,
                List.of("a", "b"),
                List.of(new Chart.Series("no index", points), new Chart.Series("sync-full", points)));
        double category = (RIGHT - LEFT) / 2;
        List<double[]> at = found(POINT, chart);
        assertThat(at).extracting(point -> point[0] < LEFT + category).containsExactly(true, false, true, false);
        assertThat(at.get(2)[0] - at.get(0)[0]).as("the series of one category").isCloseTo(0.6 * category, within(0.1));
        assertThat(SvgPlot.draw(chart)).doesNotContain("<polyline").contains(">a<", ">b<");
    }

    @Test
    void theLineJoinsTheMedians() {
        String svg = SvgPlot.draw(
                overNumbers(new Chart.Point(0, spread(0, 0, 0)), new Chart.Point(100, spread(50, 25, 50))));
        assertThat(svg).contains("points=\"%.1f,%.1f %.1f,%.1f\"".formatted(LEFT, BOTTOM, RIGHT, TOP));
    }

    @Test
    void aSchemeHasTheSameColorInEveryPlot() {
        String alone = SvgPlot.draw(overNumbers(new Chart.Point(1, spread(1, 1, 1))));
        Plot plot = Plot.byLoad("p", "t", Quantity.linear("y", "y"));
        List<Chart.Point> point = List.of(new Chart.Point(0, spread(1, 1, 1)));
        String third = SvgPlot.draw(new Chart(
                plot,
                List.of("a"),
                List.of(
                        new Chart.Series("async-simple", point),
                        new Chart.Series("no index", point),
                        new Chart.Series("sync-full", point))));
        Pattern color = Pattern.compile("<circle fill=\"([^\"]+)\"[^>]*><title>sync-full");
        Matcher one = color.matcher(alone);
        Matcher other = color.matcher(third);
        assertThat(one.find() && other.find()).isTrue();
        assertThat(one.group(1)).isEqualTo(other.group(1)).startsWith("#");
    }
}
