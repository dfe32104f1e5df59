package org.diffindex.phoenix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.diffindex.lab.bench.experiments.Bench;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.experiments.Experiment;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.rivals.RivalGoal;
import org.diffindex.lab.bench.rivals.Rivals;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

class PhoenixRivalTest {
    private final PhoenixRival phoenix = new PhoenixRival();

    @Test
    void isFoundByItsName() {
        assertThat(Rivals.named("phoenix")).isInstanceOf(PhoenixRival.class);
        assertThat(phoenix.facts()).containsEntry("phoenix", "5.2.1");
        assertThat(phoenix.contenders())
                .extracting(Contender::label)
                .containsExactly("Phoenix, no index", "Phoenix, strong", "Phoenix, uncovered");
    }

    /** A goal whose experiment measures other loads, or names a value otherwise, would silently have no figure. */
    @Test
    void aRunMeasuresTheFiguresOfEveryGoal() {
        BenchOptions options = new BenchOptions(
                Path.of("out"),
                Optional.empty(),
                "1g",
                2_000,
                2_000,
                List.of(1, 8),
                List.of(),
                1,
                1,
                List.copyOf(BenchOptions.WITH_RIVAL),
                List.of(Contender.of(IndexScheme.SYNC_FULL)),
                Optional.of(phoenix),
                Map.of(),
                1,
                true);
        List<Experiment> experiments = Experiments.of(new Bench(null, null, options, null));
        assertThat(phoenix.goals()).hasSize(3);
        for (RivalGoal goal : phoenix.goals()) {
            Experiment experiment = experiments.stream()
                    .filter(each -> each.name().equals(goal.experiment()))
                    .findFirst()
                    .orElseThrow();
            assertThat(experiment.description().columns()).contains(goal.value());
            assertThat(experiment.cells())
                    .filteredOn(cell -> cell.amount() == goal.amount())
                    .extracting(BenchCell::contender)
                    .contains(goal.ours(), goal.theirs());
        }
    }

    @Test
    void anUnknownContenderIsRefused() {
        assertThatThrownBy(() -> PhoenixIndex.of(Contender.NO_INDEX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no index");
    }
}
