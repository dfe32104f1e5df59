package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests properties of every experiment. */
class ExperimentsTest {
    private static List<Experiment> all(boolean quick) {
        return Experiments.of(new Bench(null, null, Results.options(100_000, List.of(), quick), null));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theCellsOfALoadAreAdjacentAndDistinct(boolean quick) {
        for (Experiment experiment : all(quick)) {
            List<BenchCell> cells = experiment.cells();
            assertThat(cells).as(experiment.name()).isNotEmpty().doesNotHaveDuplicates();
            Set<String> before = new HashSet<>();
            String load = "";
            for (BenchCell cell : cells) {
                if (!cell.load().equals(load)) {
                    assertThat(before.add(cell.load()))
                            .as(experiment.name() + ": " + cell.load() + " again")
                            .isTrue();
                    load = cell.load();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noTwoPlotsShareAFile(boolean quick) {
        List<String> names = new ArrayList<>();
        all(quick).forEach(experiment -> experiment.description().plots().stream()
                .map(Plot::name)
                .forEach(names::add));
        assertThat(names).doesNotHaveDuplicates();
    }

    @Test
    void everyExperimentIsFoundByTheNameInItsDescription() {
        assertThat(all(true)).extracting(Experiment::name).containsExactlyElementsOf(Experiments.names());
        assertThat(all(true)).allSatisfy(experiment -> assertThat(experiment.description())
                .returns(experiment.name(), description -> description.name())
                .satisfies(description -> assertThat(description.columns()).doesNotHaveDuplicates()));
    }

    @Test
    void measuresNoMoreRoundsThanRequestedAndAQuickRunNoMoreThanAFullOne() {
        List<Experiment> quick = all(true);
        List<Experiment> full = all(false);
        for (int i = 0; i < full.size(); i++) {
            String name = full.get(i).name();
            assertThat(full.get(i).procedure().rounds(2)).as(name).isBetween(1, 2);
            assertThat(quick.get(i).procedure().rounds(9))
                    .as(name)
                    .isLessThanOrEqualTo(full.get(i).procedure().rounds(9));
        }
    }

    @Test
    void anExperimentOfAsynchronousIndexesHasNoCellsWithoutAnAsynchronousScheme() {
        BenchOptions options = Results.options(100_000, List.of(), false);
        BenchOptions synchronous = new BenchOptions(
                options.out(),
                options.dir(),
                options.heap(),
                options.rows(),
                options.scanRows(),
                options.threads(),
                options.rates(),
                options.seconds(),
                options.rounds(),
                List.of("staleness", "heap", "recovery", "update"),
                List.of(Results.FULL),
                Optional.empty(),
                Map.of(),
                options.seed(),
                options.quick());
        List<Experiment> experiments = Experiments.of(new Bench(null, null, synchronous, null));
        assertThat(experiments.subList(0, 1)).extracting(Experiment::name).containsExactly("staleness");
        assertThat(experiments).filteredOn(each -> each.cells().isEmpty()).hasSize(3);
        assertThat(experiments.get(3).cells()).extracting(BenchCell::contender).contains(Contender.NO_INDEX);
    }

    @Test
    void aRivalIsMeasuredBesideTheSchemesInSomeExperiments() {
        BenchOptions options = Results.optionsAgainst(new FakeRival());
        assertThat(Experiments.names()).containsAll(BenchOptions.WITH_RIVAL);
        for (Experiment experiment : Experiments.of(new Bench(null, null, options, null))) {
            List<Contender> contenders = experiment.cells().stream()
                    .map(BenchCell::contender)
                    .distinct()
                    .toList();
            if (BenchOptions.WITH_RIVAL.contains(experiment.name())) {
                assertThat(contenders)
                        .as(experiment.name())
                        .startsWith(Contender.NO_INDEX, Results.FULL)
                        .endsWith(FakeRival.PLAIN, FakeRival.INDEXED)
                        .hasSize(7);
            } else {
                assertThat(contenders).as(experiment.name()).doesNotContain(FakeRival.PLAIN, FakeRival.INDEXED);
            }
        }
    }

    @Test
    void namesAreSortedIntoTheOrderOfTheRun() {
        assertThat(Experiments.inOrder(List.of("recovery", "read", "update", "read")))
                .containsExactly("update", "read", "recovery");
        assertThatThrownBy(() -> Experiments.inOrder(List.of("read", "sleep")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'sleep'")
                .hasMessageContaining("update, update-rate, read");
    }

    @Test
    void skewedUpdatesNeedSeveralClientsAndAQuickRunReadsRowsWithTheFewest() {
        assertThat(Results.experiment("skewed").cells())
                .extracting(BenchCell::amount)
                .containsOnly(8.0);
        assertThat(Results.experiment("read-rows").cells())
                .extracting(BenchCell::amount)
                .containsOnly(1.0);
        assertThat(Results.experiment("read-rows", Results.options(2_000, List.of(), false))
                        .cells())
                .extracting(BenchCell::amount)
                .contains(1.0, 8.0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theRowMemoryIsReportedWhereRowsAreUpdated(boolean quick) {
        BenchTables tables = mock(BenchTables.class);
        BenchOptions options = Results.options(100_000, List.of(), quick);
        when(tables.of(any()))
                .thenAnswer(call -> new BenchTable(call.getArgument(0), "", options.rows(), 1, BenchTables.REGIONS));
        for (Experiment experiment : Experiments.of(new Bench(null, null, options, tables))) {
            boolean updates = List.of("update", "update-rate", "batch", "indexes", "skewed")
                    .contains(experiment.name());
            for (BenchCell cell : experiment.cells()) {
                assertThat(experiment.updatedTable(cell).map(table -> table.getQualifierAsString()
                                .startsWith(cell.contender().tablePart())))
                        .as(experiment.name() + ", " + cell)
                        .isEqualTo(updates ? Optional.of(true) : Optional.empty());
            }
            if (updates) {
                assertThat(experiment.description().columns()).contains(Measurement.ROW_MEMORY_HIT_SHARE);
            }
        }
    }

    @Test
    void theMainSchemeIsSyncFullOrElseTheFirst() {
        assertThat(Results.options(2_000).mainScheme()).isEqualTo(Results.FULL);
        assertThat(Results.experiment("scan").cells())
                .extracting(BenchCell::contender)
                .containsExactly(Contender.NO_INDEX, Results.FULL);
    }
}
