package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.diffindex.lab.bench.experiments.PlainWork;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Measurement;
import org.junit.jupiter.api.Test;

class SettlingTest {
    private static final BenchCell ONE = PlainWork.PUT.cell(1);
    private static final BenchCell OTHER = PlainWork.PUT_WITH_ENTRY.cell(1);

    private final Settling settling = new Settling();

    private boolean round(double one, double other) {
        return settling.isSettledBy(Map.of(ONE, p50(one), OTHER, p50(other)));
    }

    private static Measurement p50(double micros) {
        return Measurement.empty().with(Measurement.P50, micros);
    }

    @Test
    void allCellsTogetherMustTwiceBeCloseToTheRoundBefore() {
        assertThat(round(1_000, 2_000)).as("without a round to compare with").isFalse();
        assertThat(round(960, 1_500))
                .as("one cell is close, the other falls by a quarter")
                .isFalse();
        assertThat(round(930, 1_450)).as("7% and 3% below, once").isFalse();
        assertThat(round(930, 1_440)).as("close twice").isTrue();
    }

    @Test
    void closeRoundsMustBeInARow() {
        round(1_000, 2_000);
        assertThat(round(1_000, 2_010)).isFalse();
        assertThat(round(900, 1_800)).isFalse();
        assertThat(round(900, 1_810)).isFalse();
        assertThat(round(900, 1_800)).isTrue();
    }

    @Test
    void oppositeChangesOfTwoCellsCountAsNoise() {
        round(1_000, 2_000);
        round(1_100, 1_820);
        assertThat(round(1_000, 2_000)).isTrue();
    }

    @Test
    void isNotSettledWhileFiguresRise() {
        round(1_000, 2_000);
        round(1_000, 2_000);
        assertThat(round(1_040, 2_200)).isFalse();
    }

    @Test
    void measuresASlowDriftFromRoundToRound() {
        round(1_000, 2_000);
        round(960, 1_920);
        assertThat(round(920, 1_850))
                .as("8% below the first, 4% below the last")
                .isTrue();
    }

    @Test
    void aCellWithoutAFigureIsNotSettled() {
        round(1_000, 2_000);
        round(1_000, 2_000);
        assertThat(settling.isSettledBy(Map.of(ONE, p50(1_000), OTHER, Measurement.empty())))
                .isFalse();
    }

    @Test
    void aCellThatTheRoundBeforeLacksIsNotSettled() {
        settling.isSettledBy(Map.of(ONE, p50(1_000)));
        settling.isSettledBy(Map.of(ONE, p50(1_000)));
        assertThat(round(1_000, 2_000)).isFalse();
    }
}
