package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final Contender FULL = Contender.of(IndexScheme.SYNC_FULL);
    private static final Contender INSERT = Contender.of(IndexScheme.SYNC_INSERT);
    private static final List<Contender> ALL = List.of(Contender.NO_INDEX, FULL, INSERT);

    private static List<Cell> cells(String load) {
        return ALL.stream().map(contender -> new Cell(contender, load, 1)).toList();
    }

    @Test
    void inEachRoundAnotherContenderIsFirstAndEachIsMeasured() {
        List<Cell> cells = cells("1 client");
        assertThat(Turns.order(cells, 0)).isEqualTo(cells);
        assertThat(Turns.order(cells, 1)).extracting(Cell::contender).containsExactly(FULL, INSERT, Contender.NO_INDEX);
        assertThat(Turns.order(cells, 2)).extracting(Cell::contender).containsExactly(INSERT, Contender.NO_INDEX, FULL);
        assertThat(Turns.order(cells, 3)).isEqualTo(cells);
    }

    @Test
    void eachContenderIsAtEachPlaceEquallyOften() {
        for (int place = 0; place < ALL.size(); place++) {
            int at = place;
            assertThat(IntStream.range(0, ALL.size())
                            .mapToObj(round ->
                                    Turns.order(cells("x"), round).get(at).contender()))
                    .containsExactlyInAnyOrderElementsOf(ALL);
        }
    }

    @Test
    void theLoadsStayInTheirOrderAndTheCellsOfOneTogether() {
        List<Cell> cells = new ArrayList<>(cells("1 client"));
        cells.addAll(cells("8 clients"));
        assertThat(Turns.order(cells, 1))
                .extracting(Cell::toString)
                .containsExactly(
                        "sync-full, 1 client",
                        "sync-insert, 1 client",
                        "no index, 1 client",
                        "sync-full, 8 clients",
                        "sync-insert, 8 clients",
                        "no index, 8 clients");
    }
}
