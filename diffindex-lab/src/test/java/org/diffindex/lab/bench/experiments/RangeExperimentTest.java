package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RangeExperimentTest {
    @Test
    void rangesGrowUpToTheSizeOfTheTable() {
        assertThat(RangeExperiment.entries(1_000_000, false)).containsExactly(40, 400, 4_000, 40_000);
        assertThat(RangeExperiment.entries(100_000, true)).containsExactly(400, 40_000);
        assertThat(RangeExperiment.entries(2_000, true)).containsExactly(400, 2_000);
        assertThat(RangeExperiment.entries(40_000, true)).containsExactly(400, 40_000);
    }
}
