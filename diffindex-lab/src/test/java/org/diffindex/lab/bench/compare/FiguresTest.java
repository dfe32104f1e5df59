package org.diffindex.lab.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.lab.bench.compare.Runs.experiment;
import static org.diffindex.lab.bench.compare.Runs.run;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import org.diffindex.lab.bench.compare.FigureName.Basis;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.experiments.PlainWork;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Spread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FiguresTest {
    private static Map<FigureName, Spread> figures(RecordedExperiment experiment) {
        Map<FigureName, Spread> spreads = new LinkedHashMap<>();
        Figures.of(run(experiment)).forEach((name, figure) -> spreads.put(name, figure.spread()));
        return spreads;
    }

    private static RequestedRates rates(CellResult... cells) {
        Collection<Figure> figures =
                Figures.of(run(experiment("update-rate", cells))).values();
        assertThat(figures).hasSize(1);
        return figures.iterator().next().rates();
    }

    @Test
    void aFigureIsTheRatioToNoIndexUnderTheSameLoadInTheSameRound() {
        Map<FigureName, Spread> figures = figures(experiment(
                "update",
                Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 200, 400),
                Results.cell(Results.FULL, 1, "p50_us", 200, 400, 800),
                Results.cell(Contender.NO_INDEX, 8, "p50_us", 1, 1, 1),
                Results.cell(Results.FULL, 8, "p50_us", 5, 5, 5)));
        assertThat(figures)
                .containsExactly(
                        Map.entry(
                                new FigureName("update", "load 1.0", "sync-full", ComparedValue.P50, Basis.NO_INDEX),
                                Spread.of(List.of(2.0, 2.0, 2.0))),
                        Map.entry(
                                new FigureName("update", "load 8.0", "sync-full", ComparedValue.P50, Basis.NO_INDEX),
                                Spread.of(List.of(5.0, 5.0, 5.0))));
    }

    @Test
    void aRoundThatNoIndexLacksIsLeftOut() {
        assertThat(figures(experiment(
                                "update",
                                Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 100),
                                Results.cell(Results.FULL, 1, "p50_us", 200, 200, 900)))
                        .values())
                .containsExactly(Spread.of(List.of(2.0, 2.0)));
    }

    /** The table without an index is measured once in {@code indexes}, as the one of 0 indexes. */
    @Test
    void allLoadsAreRelatedToTheOnlyCellWithoutAnIndex() {
        assertThat(figures(experiment(
                                "indexes",
                                Results.cell(Contender.NO_INDEX, 0, "p50_us", 100, 100, 100),
                                Results.cell(Results.FULL, 1, "p50_us", 200, 200, 200),
                                Results.cell(Results.FULL, 4, "p50_us", 400, 400, 400)))
                        .values())
                .extracting(Spread::median)
                .containsExactly(2.0, 4.0);
    }

    @Test
    void aLoadIsNotRelatedToOneOfSeveralOthers() {
        assertThat(figures(experiment(
                                "update",
                                Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 100, 100),
                                Results.cell(Contender.NO_INDEX, 8, "p50_us", 100, 100, 100),
                                Results.cell(Results.FULL, 32, "p50_us", 200, 200, 200)))
                        .keySet())
                .singleElement()
                .matches(FigureName::isAbsolute);
    }

    @Test
    void plainCallsAreRelatedToThoseOfTheirKind() {
        assertThat(figures(experiment(
                                "plain",
                                Results.measured(PlainWork.PUT.cell(1), "p50_us", 100, 100, 100),
                                Results.measured(PlainWork.PUT_WITH_ENTRY.cell(1), "p50_us", 130, 130, 130),
                                Results.measured(PlainWork.GET.cell(1), "p50_us", 50, 50, 50),
                                Results.measured(PlainWork.GET_THEN_GET.cell(1), "p50_us", 100, 100, 100)))
                        .values())
                .extracting(Spread::median)
                .containsExactly(1.3, 2.0);
    }

    @Test
    void aFigureIsAbsoluteWhereNoIndexIsNotMeasured() {
        assertThat(figures(experiment("staleness", Results.cell(Results.ASYNC, 70, "p99_us", 7, 7, 7))))
                .containsExactly(Map.entry(
                        new FigureName("staleness", "load 70.0", "async-simple", ComparedValue.P99, Basis.ABSOLUTE),
                        Spread.of(List.of(7.0, 7.0, 7.0))));
    }

    /** What is measured of the others is the time between two looks at the clock. */
    @Test
    void theDrainIsAbsoluteAndAFigureOfAsynchronousContendersOnly() {
        assertThat(figures(experiment(
                        "update",
                        Results.cell(Contender.NO_INDEX, 1, "drain_s", 0.0001, 0, 0.0001),
                        Results.cell(Results.FULL, 1, "drain_s", 0.0001, 0, 0),
                        Results.cell(Results.ASYNC, 1, "drain_s", 0.5, 0.6, 0.7))))
                .containsExactly(Map.entry(
                        new FigureName("update", "load 1.0", "async-simple", ComparedValue.DRAIN, Basis.ABSOLUTE),
                        Spread.of(List.of(0.5, 0.6, 0.7))));
    }

    @Test
    void aFigureOfZeroIsAFigure() {
        Spread zero = Spread.of(List.of(0.0, 0.0, 0.0));
        assertThat(figures(experiment("update", Results.cell(Results.ASYNC, 1, "drain_s", 0, 0, 0)))
                        .values())
                .containsExactly(zero);
    }

    @Test
    void theIntervalOfAShareIsThatOfItsArithmeticMean() {
        assertThat(figures(experiment("update", Results.cell(Results.FULL, 1, "row_memory_hit_share", 0, 0.5, 0.9)))
                        .values())
                .containsExactly(Spread.ofShares(List.of(0.0, 0.5, 0.9)));
    }

    @Test
    void theRatesAreThoseOfTheContenderAndOfNoIndexIfItIsRelatedToThat() {
        CellResult noIndex = Runs.atRate(1_000, Results.cell(Contender.NO_INDEX, 1, "p50_us", 1, 1, 1));
        CellResult full = Runs.atRate(600, Results.cell(Results.FULL, 1, "p50_us", 2, 2, 2));
        assertThat(rates(noIndex, full)).isEqualTo(new RequestedRates(600, 1_000, OptionalDouble.empty()));
        assertThat(rates(full)).isEqualTo(new RequestedRates(600, 600, OptionalDouble.empty()));
        assertThat(rates(Results.cell(Results.FULL, 1, "p50_us", 2, 2, 2)))
                .as("in a closed loop")
                .isEqualTo(new RequestedRates(0, 0, OptionalDouble.empty()));
    }

    /** A share of the throughput that the same round reaches. */
    @Test
    void theRateIsTheMedianIfItDiffersBetweenRounds() {
        Measurement round = Measurement.empty().with(Measurement.P50, 100);
        assertThat(rates(new CellResult(
                        new BenchCell(Results.FULL, "70% of its highest", 70),
                        List.of(
                                round.with(Measurement.TARGET, 500),
                                round.with(Measurement.TARGET, 900),
                                round.with(Measurement.TARGET, 600)))))
                .isEqualTo(new RequestedRates(600, 600, OptionalDouble.empty()));
    }

    @Test
    void theLowestRateOfARoundBelowItsRateIsKept() {
        Measurement round = Measurement.empty().with(Measurement.P50, 100).with(Measurement.TARGET, 1_000);
        CellResult noIndex = new CellResult(
                new BenchCell(Contender.NO_INDEX, "1,000/s", 1),
                List.of(round.with(Measurement.PER_SECOND, 1_000), round.with(Measurement.PER_SECOND, 800)));
        CellResult full = new CellResult(
                new BenchCell(Results.FULL, "1,000/s", 1),
                List.of(round.with(Measurement.PER_SECOND, 850), round.with(Measurement.PER_SECOND, 1_000)));
        assertThat(rates(full)).isEqualTo(new RequestedRates(1_000, 1_000, OptionalDouble.of(850)));
        assertThat(rates(noIndex, full)).isEqualTo(new RequestedRates(1_000, 1_000, OptionalDouble.of(800)));
    }

    @Test
    void aRequestedRateIsNoFigure() {
        Measurement round = Measurement.empty().with(Measurement.PER_SECOND, 500);
        CellResult closed = rounds(Results.FULL, round);
        CellResult paced = rounds(Results.FULL, round.with(Measurement.TARGET, 500));
        CellResult noIndex = rounds(Contender.NO_INDEX, round);
        assertThat(figures(experiment("update-rate", noIndex, closed))).hasSize(1);
        assertThat(figures(experiment("update-rate", noIndex, paced))).isEmpty();
    }

    private static CellResult rounds(Contender contender, Measurement round) {
        return new CellResult(new BenchCell(contender, "8 clients", 8), List.of(round, round, round));
    }

    @Test
    void anExperimentWithoutRoundsHasNoFigure() {
        assertThat(figures(experiment(
                        "update",
                        Results.cell(Contender.NO_INDEX, 1, "p50_us"),
                        Results.cell(Results.FULL, 1, "p50_us"))))
                .isEmpty();
    }

    /** A value of another name would silently never be compared. */
    @ParameterizedTest
    @EnumSource
    void everyComparedValueIsReportedByAnExperiment(ComparedValue value) {
        Set<String> columns = Experiments.names().stream()
                .flatMap(name -> Results.experiment(name).description().columns().stream())
                .collect(Collectors.toSet());
        assertThat(columns).contains(value.valueName());
    }
}
