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
    void everyCellMustBeNearTheRoundBefore() {
        assertThat(round(1_000, 2_000)).as("nothing to compare with").isFalse();
        assertThat(round(950, 1_500)).as("one is, the other falls by a quarter").isFalse();
        assertThat(round(860, 1_400)).isTrue();
    }

    @Test
    void whatGetsSlowerHasNotSettledEither() {
        round(1_000, 2_000);
        assertThat(round(1_000, 2_200)).isFalse();
        assertThat(round(1_000, 2_210)).isTrue();
    }

    @Test
    void aSlowDriftIsMeasuredFromRoundToRound() {
        round(1_000, 2_000);
        assertThat(round(950, 1_790)).isFalse();
        assertThat(round(900, 1_620))
                .as("19% below the first, 9.5% below the last")
                .isTrue();
    }

    @Test
    void aCellWithoutFigureIsNotSettled() {
        round(1_000, 2_000);
        assertThat(settling.isSettledBy(Map.of(ONE, p50(1_000), OTHER, Measurement.empty())))
                .isFalse();
    }
}
