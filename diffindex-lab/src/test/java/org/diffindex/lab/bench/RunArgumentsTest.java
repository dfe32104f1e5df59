package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.bench.experiments.Bench;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.experiments.Experiment;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.experiments.Procedure.WarmUp;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class RunArgumentsTest {
    private static BenchOptions options(String... arguments) {
        return CommandLine.populateCommand(new RunArguments(), arguments).options();
    }

    private static List<Experiment> experiments(BenchOptions options) {
        return Experiments.of(new Bench(null, null, options, null));
    }

    @Test
    void aFullRunIsPlannedToTakeLessThanAnHour() {
        BenchOptions options = options("--out", "out");
        Map<String, Double> minutes = new LinkedHashMap<>();
        experiments(options).forEach(each -> minutes.put(each.name(), seconds(each, options.rounds()) / 60));
        assertThat(minutes.values().stream().mapToDouble(Double::doubleValue).sum())
                .as("minutes of %s", minutes)
                .isLessThan(52);
    }

    @Test
    void noExperimentOfAQuickRunIsLonger() {
        BenchOptions fullOptions = options("--out", "out");
        BenchOptions quickOptions = options("--out", "out", "--quick");
        List<Experiment> full = experiments(fullOptions);
        List<Experiment> quick = experiments(quickOptions);
        for (int i = 0; i < full.size(); i++) {
            assertThat(seconds(quick.get(i), quickOptions.rounds()))
                    .as(full.get(i).name())
                    .isLessThanOrEqualTo(seconds(full.get(i), fullOptions.rounds()));
        }
    }

    private static double seconds(Experiment experiment, int rounds) {
        return experiment.secondsToPrepare()
                + secondsOfARound(experiment) * (experiment.procedure().rounds(rounds) + warmUps(experiment));
    }

    private static double secondsOfARound(Experiment experiment) {
        return experiment.cells().stream()
                .mapToDouble(experiment::expectedSeconds)
                .sum();
    }

    /** Returns the fewest warm-up rounds after which the figures can have settled, as a number of measured rounds. */
    private static double warmUps(Experiment experiment) {
        return experiment.procedure().warmUp() == WarmUp.UNTIL_SETTLED ? 1.5 : 0;
    }

    @Test
    void aFullRunMeasuresLongestWhatTheGoalsJudge() {
        BenchOptions options = options("--out", "out");
        for (Experiment experiment : experiments(options)) {
            for (BenchCell cell : experiment.cells()) {
                boolean isLong = experiment.share(cell) == 1;
                switch (experiment.name()) {
                    case "update" -> assertThat(isLong).isEqualTo(cell.amount() != 32);
                    case "read" -> assertThat(isLong).isEqualTo(cell.amount() == 1);
                    case "range" -> assertThat(isLong).isEqualTo(cell.amount() == 40_000);
                    case "staleness" -> assertThat(isLong).isEqualTo(cell.amount() == 70);
                    case "update-rate", "read-rate", "read-rows", "skewed" ->
                        assertThat(isLong).isFalse();
                    case "indexes" ->
                        assertThat(isLong)
                                .isEqualTo(cell.contender().equals(Contender.of(IndexScheme.SYNC_FULL))
                                        && cell.amount() != 2);
                    case "rewritten" ->
                        assertThat(isLong).isEqualTo(cell.contender().scheme().isPresent() && cell.amount() == 0);
                    case "batch", "scan", "backfill", "flush", "heap", "recovery" ->
                        assertThat(isLong).isTrue();
                    default -> assertThat(experiment.name()).isEqualTo("plain");
                }
            }
        }
    }

    @Test
    void everyExperimentOfAFullRunWarmsUpUntilItsFiguresSettleUnlessItPreparesItself() {
        assertThat(experiments(options("--out", "out")))
                .filteredOn(each -> each.procedure().warmUp() != WarmUp.UNTIL_SETTLED)
                .extracting(Experiment::name)
                .containsExactly("flush", "heap", "recovery");
    }

    @Test
    void aQuickRunMeasuresAllCellsAlike() {
        for (Experiment experiment : experiments(options("--out", "out", "--quick"))) {
            assertThat(experiment.cells()).as(experiment.name()).allMatch(cell -> experiment.share(cell) == 1);
        }
    }

    @Test
    void settingsAreThoseOfTheCluster() {
        BenchOptions options = options("--out", "out", "--set", "b=2", "--set", "a=x=y");
        assertThat(options.settings()).isEqualTo(Map.of("a", "x=y", "b", "2"));
    }
}
