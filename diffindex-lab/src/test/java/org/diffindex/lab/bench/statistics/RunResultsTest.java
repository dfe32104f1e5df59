package org.diffindex.lab.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

class RunResultsTest {
    private static final Contender FULL = Contender.of(IndexScheme.SYNC_FULL);
    private static final CellResult READ = cell(FULL, 1, 1);
    private static final CellResult UPDATE = cell(FULL, 1, 2);
    private static final CellResult UPDATE_8 = cell(FULL, 8, 3);
    private static final CellResult UPDATE_NONE = cell(Contender.NO_INDEX, 8, 4);

    private final RunResults results = new RunResults(
            List.of(result("read", READ), result("update", UPDATE, UPDATE_8, UPDATE_NONE), result("empty")));

    private static CellResult cell(Contender contender, double amount, double value) {
        return new CellResult(
                new BenchCell(contender, amount + " clients", amount),
                List.of(Measurement.empty().with("x", value)));
    }

    private static ExperimentResult result(String name, CellResult... cells) {
        ExperimentDescription description = new ExperimentDescription(name, "", "", "", List.of(), List.of());
        return new ExperimentResult(description, Arrays.asList(cells), Optional.empty());
    }

    @Test
    void aCellBelongsToItsExperimentContenderAndLoad() {
        assertThat(results.cell("read", FULL, 1)).contains(READ);
        assertThat(results.cell("update", FULL, 1)).contains(UPDATE);
        assertThat(results.cell("update", FULL, 8)).contains(UPDATE_8);
        assertThat(results.cell("update", Contender.NO_INDEX, 8)).contains(UPDATE_NONE);
    }

    @Test
    void doesNotFindWhatWasNotMeasured() {
        assertThat(results.cell("update", Contender.NO_INDEX, 1)).isEmpty();
        assertThat(results.cell("update", FULL, 32)).isEmpty();
        assertThat(results.cell("scan", FULL, 1)).isEmpty();
        assertThat(results.cell("read", cell -> cell.amount() == 8)).isEmpty();
    }

    @Test
    void theLargestLoadIsThatOfOneExperiment() {
        assertThat(results.largestAmount("update")).isEqualTo(8);
        assertThat(results.largestAmount("read")).isEqualTo(1);
        assertThat(results.largestAmount("empty")).isZero();
        assertThat(results.largestAmount("scan")).isZero();
    }

    @Test
    void theCellsOfALoadAreThoseOfAllContenders() {
        assertThat(BenchCell.ofEach(Contender.withNoIndex(List.of(FULL)), "8 clients", 8))
                .extracting(BenchCell::toString)
                .containsExactly("no index, 8 clients", "sync-full, 8 clients");
    }
}
