package org.diffindex.lab.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CellResultTest {
    private static final BenchCell CELL = new BenchCell(Contender.NO_INDEX, "1 client", 1);

    private static Measurement p50(double micros) {
        return Measurement.empty().with(Measurement.P50, micros);
    }

    private static CellResult cell(Measurement... rounds) {
        return new CellResult(CELL, List.of(rounds));
    }

    @Test
    void ratiosAreTakenWithinARound() {
        CellResult slow = cell(p50(200), p50(600), p50(100));
        CellResult fast = cell(p50(100), p50(200), p50(100));
        assertThat(slow.ratioTo(fast, Measurement.P50)).contains(Spread.of(List.of(2.0, 3.0, 1.0)));
        assertThat(fast.ratioTo(slow, Measurement.P50)).contains(Spread.of(List.of(0.5, 1 / 3.0, 1.0)));
    }

    @Test
    void aRoundThatOneOfTheTwoLacksHasNoRatio() {
        CellResult three = cell(p50(200), p50(300), p50(400));
        assertThat(three.ratioTo(cell(p50(100), p50(100)), Measurement.P50)).contains(Spread.of(List.of(2.0, 3.0)));
        assertThat(cell(p50(200)).ratioTo(three, Measurement.P50)).contains(Spread.of(List.of(1.0)));
        assertThat(cell().ratioTo(three, Measurement.P50)).isEmpty();
    }

    @Test
    void aMissingValueKeepsTheOtherRoundsPaired() {
        CellResult one = cell(Measurement.empty(), p50(300), p50(400));
        CellResult other = cell(p50(1), p50(100), Measurement.empty());
        assertThat(one.ratioTo(other, Measurement.P50)).contains(Spread.of(List.of(3.0)));
        assertThat(one.ratioTo(other, Measurement.MAX)).isEmpty();
    }

    @Test
    void omitsRatiosToZero() {
        assertThat(cell(p50(5), p50(6)).ratioTo(cell(p50(0), p50(3)), Measurement.P50))
                .contains(Spread.of(List.of(2.0)));
        assertThat(cell(p50(0)).ratioTo(cell(p50(3)), Measurement.P50))
                .as("ratio of zero to a figure")
                .contains(Spread.of(List.of(0.0)));
    }

    @Test
    void listsTheNamesOfAllRoundsOnceInOrder() {
        CellResult cell =
                cell(p50(1), p50(2).with("drain_s", 1), Measurement.empty().with("rows", 3));
        assertThat(cell.names()).containsExactly(Measurement.P50, "drain_s", "rows");
    }

    @Test
    void laterRoundsDoNotChangeAResult() {
        List<Measurement> rounds = new ArrayList<>(List.of(p50(1)));
        CellResult cell = new CellResult(CELL, rounds);
        rounds.add(p50(2));
        assertThat(cell.rounds()).hasSize(1);
    }
}
