package org.diffindex.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SettlingTest {
    private static final Cell ONE = PlainWork.PUT.cell(1);
    private static final Cell OTHER = PlainWork.PUT_WITH_ENTRY.cell(1);

    private final Settling settling = new Settling();

    private boolean round(double one, double other) {
        return settling.isSettledBy(Map.of(ONE, p50(one), OTHER, p50(other)));
    }

    private static Measurement p50(double micros) {
        return Measurement.empty().with(Measurement.P50, micros);
    }

    @Test
    void allCellsTogetherMustBeNearTheRoundBefore() {
        assertThat(round(1_000, 2_000)).as("nothing to compare with").isFalse();
        assertThat(round(960, 1_500)).as("one is, the other falls by a quarter").isFalse();
        assertThat(round(930, 1_450)).as("7% and 3% below").isTrue();
    }

    @Test
    void whatGoesUpInOneAndDownInAnotherIsNoise() {
        round(1_000, 2_000);
        assertThat(round(1_100, 1_820)).isTrue();
    }

    @Test
    void whatGetsSlowerHasNotSettledEither() {
        round(1_000, 2_000);
        assertThat(round(1_040, 2_200)).isFalse();
        assertThat(round(1_040, 2_210)).isTrue();
    }

    @Test
    void aSlowDriftIsMeasuredFromRoundToRound() {
        round(1_000, 2_000);
        assertThat(round(940, 1_880)).isFalse();
        assertThat(round(900, 1_800))
                .as("10% below the first, 4% below the last")
                .isTrue();
    }

    @Test
    void aCellWithoutFigureIsNotSettled() {
        round(1_000, 2_000);
        assertThat(settling.isSettledBy(Map.of(ONE, p50(1_000), OTHER, Measurement.empty())))
                .isFalse();
    }

    @Test
    void aCellThatTheRoundBeforeLacksIsNotSettled() {
        settling.isSettledBy(Map.of(ONE, p50(1_000)));
        assertThat(round(1_000, 2_000)).isFalse();
    }
}
