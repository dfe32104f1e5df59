package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.diffindex.lab.bench.experiments.Experiment;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final Contender FULL = Contender.of(IndexScheme.SYNC_FULL);
    private static final Contender INSERT = Contender.of(IndexScheme.SYNC_INSERT);
    private static final List<Contender> ALL = List.of(Contender.NO_INDEX, FULL, INSERT);

    private static List<BenchCell> cells(String load) {
        return ALL.stream().map(contender -> new BenchCell(contender, load, 1)).toList();
    }

    @Test
    void eachRoundBeginsWithAnotherContenderAndMeasuresAll() {
        List<BenchCell> cells = cells("1 client");
        assertThat(Turns.order(cells, 0)).isEqualTo(cells);
        assertThat(Turns.order(cells, 1))
                .extracting(BenchCell::contender)
                .containsExactly(FULL, INSERT, Contender.NO_INDEX);
        assertThat(Turns.order(cells, 2))
                .extracting(BenchCell::contender)
                .containsExactly(INSERT, Contender.NO_INDEX, FULL);
        assertThat(Turns.order(cells, 3)).isEqualTo(cells);
    }

    @Test
    void everyContenderHasEveryPlaceEquallyOften() {
        for (int place = 0; place < ALL.size(); place++) {
            int at = place;
            assertThat(IntStream.range(0, ALL.size())
                            .mapToObj(round ->
                                    Turns.order(cells("x"), round).get(at).contender()))
                    .containsExactlyInAnyOrderElementsOf(ALL);
        }
    }

    @Test
    void keepsTheOrderOfTheLoadsAndTheCellsOfALoadTogether() {
        List<BenchCell> cells = new ArrayList<>(cells("1 client"));
        cells.addAll(cells("8 clients"));
        assertThat(Turns.order(cells, 1))
                .extracting(BenchCell::toString)
                .containsExactly(
                        "sync-full, 1 client",
                        "sync-insert, 1 client",
                        "no index, 1 client",
                        "sync-full, 8 clients",
                        "sync-insert, 8 clients",
                        "no index, 8 clients");
    }

    /** The rates of the other loads are derived from the closed loop. */
    @Test
    void theClosedLoopOfAllContendersComesFirstInEachRound() {
        for (String name : List.of("update-rate", "read-rate")) {
            Experiment experiment = Results.experiment(name);
            int contenders = Results.options(40_000).contenders().size();
            for (int round = 0; round < 3; round++) {
                List<BenchCell> order = Turns.order(experiment.cells(), round);
                assertThat(order.subList(0, contenders))
                        .extracting(BenchCell::load)
                        .containsOnly("closed loop");
                assertThat(order.subList(contenders, order.size()))
                        .extracting(BenchCell::load)
                        .isNotEmpty()
                        .doesNotContain("closed loop");
            }
        }
    }
}
