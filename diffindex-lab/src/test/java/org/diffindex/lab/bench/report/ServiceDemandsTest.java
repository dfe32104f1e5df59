package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.diffindex.lab.bench.experiments.Results.ASYNC;
import static org.diffindex.lab.bench.experiments.Results.FULL;
import static org.diffindex.lab.bench.experiments.Results.INSERT;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.diffindex.lab.bench.experiments.PlainWork;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.report.ServiceDemands.Part;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.server.queue.UpdateProcessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceDemandsTest {
    private static final double CALL = 200;
    private static final double ROW = 20;
    private static final double GET = 150;
    private static final double READ = 30;
    private static final double INDEX_CALL = 300;
    private static final double ENTRY = 5;
    private static final double RATE = 3_000;

    /** The rows that gather in one of three regions, each of which has its share of the rows per second. */
    private static final double ROWS_AT_A_TIME = RATE / 3 * UpdateProcessor.DEFAULT_LINGER_MS / 1e3;

    private static final double CALLS_OF_QUEUED_ROW = 3 * (1 - Math.pow(2 / 3.0, 2 * ROWS_AT_A_TIME)) / ROWS_AT_A_TIME;

    /** Returns what a machine measures whose parts take exactly these times. */
    private static List<ExperimentResult> results(double factorOfFull) {
        return results(factorOfFull, 0);
    }

    /** Returns the same if the regions remember a share of the rows that sync-full updates. */
    private static List<ExperimentResult> results(double factorOfFull, double remembered) {
        double read = READ * (1 - remembered);
        return List.of(
                Results.result(
                        "plain",
                        plain(PlainWork.PUT, 8, CALL + ROW),
                        plain(PlainWork.PUT_THEN_ENTRY, 8, 2 * CALL + ROW + ENTRY),
                        plain(PlainWork.PUT_WITH_ENTRY, 8, 2 * CALL + ROW + ENTRY),
                        plain(PlainWork.PUT_THEN_GET, 8, CALL + ROW + GET),
                        plain(PlainWork.PUT_THEN_ENTRIES, 8, 3 * CALL + ROW + 2 * ENTRY),
                        plain(PlainWork.BATCH, 1, 3 * CALL + 1_000 * ROW),
                        plain(PlainWork.BATCH_THEN_ENTRIES, 1, 6 * CALL + 1_000 * ROW + 2_000 * ENTRY)),
                Results.result(
                        "update",
                        cell(Contender.NO_INDEX, 8, CALL + ROW),
                        cell(INSERT, 8, CALL + ROW + INDEX_CALL + ENTRY),
                        full(8, remembered, factorOfFull * (CALL + ROW + read + 5 / 3.0 * INDEX_CALL + 2 * ENTRY)),
                        new CellResult(
                                new BenchCell(ASYNC, "8 clients", 8),
                                List.of(cpu(CALL + ROW + READ + CALLS_OF_QUEUED_ROW * INDEX_CALL + 2 * ENTRY)
                                        .with(Measurement.PER_SECOND, RATE)))),
                Results.result(
                        "batch",
                        cell(Contender.NO_INDEX, 1_000, 3 * CALL + 1_000 * ROW),
                        cell(INSERT, 1_000, 3 * CALL + 9 * INDEX_CALL + 1_000 * (ROW + ENTRY)),
                        full(1_000, remembered, 3 * CALL + 9 * INDEX_CALL + 1_000 * (ROW + read + 2 * ENTRY)),
                        cell(ASYNC, 1_000, 3 * CALL + 9 * INDEX_CALL + 1_000 * (ROW + READ + 2 * ENTRY))));
    }

    private static Measurement cpu(double micros) {
        return Measurement.empty().with(Measurement.SERVER_CPU, micros);
    }

    private static CellResult plain(PlainWork work, int clients, double micros) {
        return Results.measured(work.cell(clients), Measurement.SERVER_CPU, micros);
    }

    private static CellResult cell(Contender contender, double amount, double micros) {
        return Results.cell(contender, amount, Measurement.SERVER_CPU, micros);
    }

    private static CellResult full(double amount, double remembered, double micros) {
        return new CellResult(
                new BenchCell(FULL, "", amount),
                List.of(cpu(micros).with(Measurement.ROW_MEMORY_HIT_SHARE, remembered)));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.7, 1})
    void recoversThePartsFromTheirSums(double remembered) {
        ServiceDemands demands = ServiceDemands.of(results(1, remembered)).orElseThrow();
        Map.of(
                        Part.CLIENT_CALL, CALL,
                        Part.ROW, ROW,
                        Part.GET, GET,
                        Part.BASE_READ, READ,
                        Part.INDEX_CALL, INDEX_CALL,
                        Part.ENTRY, ENTRY)
                .forEach((part, micros) -> assertThat(demands.micros().get(part))
                        .as(part.toString())
                        .isCloseTo(micros, within(1e-3 * micros)));
        assertThat(demands.figures()).hasSize(15).allSatisfy(figure -> assertThat(figure.fitted())
                .as(figure.name())
                .isCloseTo(figure.measured(), within(1e-3 * figure.measured())));
    }

    @Test
    void moreServersNeverMakeARowCheaperAndTheSchemesKeepTheirOrder() {
        List<ScalePrediction> all =
                ScalePrediction.of(ServiceDemands.of(results(1)).orElseThrow());
        for (int servers : ScalePrediction.SERVERS) {
            List<ScalePrediction> ofSize =
                    all.stream().filter(each -> each.servers() == servers).toList();
            assertThat(ofSize)
                    .extracting(each -> each.contender().label())
                    .containsExactly("no index", "sync-full", "sync-insert", "async-simple");
            assertThat(ofSize.get(0).putMicros()).isCloseTo(CALL + ROW, within(1e-3));
            assertThat(ofSize.get(2).putMicros())
                    .isBetween(ofSize.get(0).putMicros(), ofSize.get(1).putMicros());
        }
        List<ScalePrediction> full =
                all.stream().filter(each -> each.contender().equals(FULL)).toList();
        assertThat(full).extracting(ScalePrediction::putMicros).isSorted();
        assertThat(full).extracting(ScalePrediction::batchMicros).isSorted();
        ScalePrediction first = full.get(0);
        assertThat(first.putMicros())
                .as("as measured")
                .isCloseTo(CALL + ROW + READ + 5 / 3.0 * INDEX_CALL + 2 * ENTRY, within(0.5));
        ScalePrediction last = full.get(full.size() - 1);
        assertThat(last.batchCalls()).isCloseTo(1.999, within(1e-6));
        assertThat(last.batchMicros()).isGreaterThan(1.999 * INDEX_CALL);
    }

    @Test
    void showsADifferenceIfTheFiguresDoNotFit() {
        ServiceDemands demands = ServiceDemands.of(results(1.5)).orElseThrow();
        assertThat(demands.figures()).anySatisfy(figure -> assertThat(Math.abs(figure.fitted() - figure.measured()))
                .isGreaterThan(0.05 * figure.measured()));
    }

    @Test
    void asManyOperationsAsPartsAreEnough() {
        List<ExperimentResult> six = List.of(
                Results.result(
                        "plain",
                        plain(PlainWork.PUT_THEN_ENTRY, 8, 2 * CALL + ROW + ENTRY),
                        plain(PlainWork.PUT_THEN_GET, 8, CALL + ROW + GET)),
                Results.result(
                        "update",
                        cell(Contender.NO_INDEX, 8, CALL + ROW),
                        cell(INSERT, 8, CALL + ROW + INDEX_CALL + ENTRY),
                        cell(FULL, 8, CALL + ROW + READ + 5 / 3.0 * INDEX_CALL + 2 * ENTRY)),
                Results.result("batch", cell(Contender.NO_INDEX, 1_000, 3 * CALL + 1_000 * ROW)));
        assertThat(ServiceDemands.of(six).orElseThrow().micros().get(Part.BASE_READ))
                .isCloseTo(READ, within(1e-3 * READ));
    }

    @Test
    void yieldsNothingWithoutOneOfTheExperiments() {
        for (ExperimentResult without : results(1)) {
            List<ExperimentResult> others = new ArrayList<>(results(1));
            others.removeIf(result ->
                    result.experiment().name().equals(without.experiment().name()));
            assertThat(ServiceDemands.of(others))
                    .as("without " + without.experiment().name())
                    .isEmpty();
        }
        assertThat(ServiceDemands.of(List.of())).isEmpty();
    }

    /** The figures of an experiment that failed may be those of wrong answers. */
    @Test
    void yieldsNothingIfOneOfTheExperimentsFailed() {
        for (ExperimentResult failing : results(1)) {
            List<ExperimentResult> run = results(1).stream()
                    .map(result -> result.experiment()
                                    .name()
                                    .equals(failing.experiment().name())
                            ? new ExperimentResult(
                                    result.experiment(), result.cells(), Optional.of("an index differs"), List.of())
                            : result)
                    .toList();
            assertThat(ServiceDemands.of(run))
                    .as("without " + failing.experiment().name())
                    .isEmpty();
        }
    }

    @Test
    void countsOneCallForEachServerThatIsReached() {
        assertThat(FanOut.reached(1, 1_000)).isCloseTo(1, within(1e-9));
        assertThat(FanOut.reached(2, 3)).isCloseTo(5 / 3.0, within(1e-9));
        assertThat(FanOut.ofBatch(1_000, 2, 3)).isCloseTo(9, within(1e-9));
        assertThat(FanOut.ofBatch(1_000, 2, 1_000)).isCloseTo(1_999, within(1e-6));
        assertThat(FanOut.ofQueuedRow(10, 1, 40)).as("alone").isCloseTo(1, within(1e-9));
        assertThat(FanOut.ofQueuedRow(1e9, 2, 3)).isCloseTo(3 / 512.0, within(1e-9));
    }
}
