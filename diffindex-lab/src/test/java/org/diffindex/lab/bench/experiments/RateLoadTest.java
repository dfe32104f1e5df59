package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.lab.bench.experiments.Results.ASYNC;
import static org.diffindex.lab.bench.experiments.Results.FULL;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.diffindex.lab.bench.statistics.Contender;
import org.junit.jupiter.api.Test;

class RateLoadTest {
    private static final Map<Contender, Double> REACHED =
            Map.of(Contender.NO_INDEX, 4_000.0, ASYNC, 2_000.0, FULL, 1_000.0);

    private static List<OptionalDouble> rates(List<RateLoad> loads, Contender contender) {
        return loads.stream().map(load -> load.perSecond(contender, REACHED)).toList();
    }

    private static OptionalDouble rate(double perSecond) {
        return OptionalDouble.of(perSecond);
    }

    @Test
    void ratesAreSharesOfTheContendersOwnHighestAndOneIsTheSameForAll() {
        List<RateLoad> loads = RateLoad.of(List.of(), false);
        assertThat(loads)
                .extracting(RateLoad::text)
                .containsExactly("closed loop", "50% of its highest", "70% of its highest", "same rate");
        assertThat(rates(loads, Contender.NO_INDEX))
                .containsExactly(OptionalDouble.empty(), rate(2_000), rate(2_800), rate(700));
        assertThat(rates(loads, FULL)).containsExactly(OptionalDouble.empty(), rate(500), rate(700), rate(700));
    }

    @Test
    void givenRatesAreTheSameForAll() {
        List<RateLoad> loads = RateLoad.of(List.of(100, 1_500), true);
        assertThat(loads).extracting(RateLoad::text).containsExactly("closed loop", "100 a second", "1,500 a second");
        for (Contender contender : REACHED.keySet()) {
            assertThat(rates(loads, contender)).containsExactly(OptionalDouble.empty(), rate(100), rate(1_500));
        }
    }

    @Test
    void aQuickRunMeasuresTheLargestShareOnly() {
        assertThat(RateLoad.of(List.of(), true))
                .extracting(RateLoad::text)
                .containsExactly("closed loop", "70% of its highest");
    }

    @Test
    void theExplanationMentionsOnlyTheLoadsOfTheRun() {
        assertThat(Results.experiment("update-rate").description().explanation())
                .contains("closed loop of the same round, drained")
                .doesNotContain("same rate", "asked for");
        assertThat(Results.experiment("read-rate").description().explanation())
                .contains("a row's key and title")
                .doesNotContain("drain");
    }
}
