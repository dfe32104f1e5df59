package org.diffindex.lab.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void theMedianOfAnOddNumberIsTheMiddleOne() {
        assertThat(Spread.of(List.of(9.0, 1.0, 2.0)))
                .returns(2.0, Spread::median)
                .returns(1.0, Spread::lowest)
                .returns(9.0, Spread::highest);
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
        assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 100.0)))
                .returns(3.0, Spread::median)
                .returns(100.0, Spread::highest);
        assertThat(Spread.of(List.of(7.0))).isEqualTo(new Spread(7, 7, 7, 1, Optional.empty()));
    }

    @Test
    void inAnotherUnitItIsTheSpreadOfTheValuesInThatUnit() {
        Spread millis = Spread.of(List.of(1_000.0, 2_000.0, 4_000.0)).times(1e-3);
        Spread same = Spread.of(List.of(1.0, 2.0, 4.0));
        assertThat(millis.median()).isEqualTo(2);
        assertThat(millis.lowest()).isEqualTo(1);
        assertThat(millis.highest()).isEqualTo(4);
        Interval interval = millis.interval().orElseThrow();
        assertThat(interval.low()).isCloseTo(same.interval().orElseThrow().low(), within(1e-9));
        assertThat(interval.high()).isCloseTo(same.interval().orElseThrow().high(), within(1e-9));
    }

    @Test
    void refusesAnEmptyList() {
        assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCellOmitsTheRoundsThatLackAValue() {
        CellResult cell = new CellResult(
                new BenchCell(Contender.NO_INDEX, "1 client", 1),
                List.of(
                        new Measurement(Map.of("a", 1.0)),
                        new Measurement(Map.of("a", 5.0, "b", 2.0)),
                        new Measurement(Map.of("a", 3.0))));
        assertThat(cell.spread("a")).contains(Spread.of(List.of(1.0, 5.0, 3.0)));
        assertThat(cell.spread("b")).contains(Spread.of(List.of(2.0)));
        assertThat(cell.spread("c")).isEmpty();
        assertThat(cell.names()).containsExactlyInAnyOrder("a", "b");
    }
}
