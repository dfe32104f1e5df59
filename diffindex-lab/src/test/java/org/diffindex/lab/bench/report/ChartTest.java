package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.lab.bench.experiments.Results.FULL;

import java.util.List;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.lab.bench.statistics.Spread;
import org.junit.jupiter.api.Test;

class ChartTest {
    private static final Quantity LATENCY = Quantity.millis(Measurement.P50, "ms");

    private static CellResult cell(Contender contender, double clients, double micros, double perSecond) {
        Measurement round = Measurement.empty().with(Measurement.P50, micros).with(Measurement.PER_SECOND, perSecond);
        return new CellResult(new BenchCell(contender, clients + " clients", clients), List.of(round));
    }

    private static Spread ms(double value) {
        return Spread.of(List.of(value));
    }

    private final ExperimentResult update = Results.result(
            "update",
            cell(Contender.NO_INDEX, 1, 1_000, 900),
            cell(FULL, 1, 2_000, 450),
            cell(Contender.NO_INDEX, 8, 3_000, 2_600));

    @Test
    void overAValueEachContenderIsASeriesInTheOrderOfItsLoads() {
        Chart chart = Chart.of(Plot.of("p", "t", Quantity.linear(Measurement.PER_SECOND, "puts"), LATENCY), update);
        assertThat(chart.categories()).isEmpty();
        assertThat(chart.series())
                .containsExactly(
                        new Chart.Series(
                                "no index", List.of(new Chart.Point(900, ms(1)), new Chart.Point(2_600, ms(3)))),
                        new Chart.Series("sync-full", List.of(new Chart.Point(450, ms(2)))));
    }

    @Test
    void byLoadThePointsAreAtTheNumberOfTheirCategory() {
        Chart chart = Chart.of(Plot.byLoad("p", "t", LATENCY), update);
        assertThat(chart.categories()).containsExactly("1.0 clients", "8.0 clients");
        assertThat(chart.series().get(0).points()).extracting(Chart.Point::x).containsExactly(0.0, 1.0);
        assertThat(chart.series().get(1).points()).extracting(Chart.Point::x).containsExactly(0.0);
    }

    @Test
    void bothAxesConvertTheirUnits() {
        Quantity micros = new Quantity(Measurement.P50, "s", 1e-6, false);
        Chart chart = Chart.of(Plot.of("p", "t", micros, LATENCY), update);
        assertThat(chart.series().get(1).points()).containsExactly(new Chart.Point(0.002, ms(2)));
    }

    @Test
    void aCellWithoutAValueHasNoPointAndAContenderWithoutPointsNoSeries() {
        ExperimentResult partly = Results.result(
                "update", cell(Contender.NO_INDEX, 1, 1_000, 900), Results.cell(FULL, 1, Measurement.P50, 2_000));
        Chart chart = Chart.of(Plot.of("p", "t", Quantity.linear(Measurement.PER_SECOND, "puts"), LATENCY), partly);
        assertThat(chart.series()).extracting(Chart.Series::label).containsExactly("no index");
    }
}
