package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import org.diffindex.lab.bench.statistics.Contender;
import org.junit.jupiter.api.Test;

class HighestRatesTest {
    @Test
    void keepsTheHighestRateOfEachContenderAndTheLowestOfThese() {
        HighestRates rates = new HighestRates(new Bench(null, null, Results.options(2_000), null), "flush", 8);
        rates.add(Contender.NO_INDEX, 3_000);
        rates.add(Contender.NO_INDEX, 4_000);
        rates.add(Results.FULL, 900);
        rates.add(Results.FULL, 600);
        assertThat(rates.of(Contender.NO_INDEX)).isEqualTo(4_000);
        assertThat(rates.of(Results.FULL)).isEqualTo(900);
        assertThat(rates.lowest()).isEqualTo(900);
    }
}
