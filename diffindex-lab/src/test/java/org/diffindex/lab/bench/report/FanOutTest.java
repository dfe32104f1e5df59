package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.BitSet;
import java.util.Random;
import org.diffindex.server.queue.UpdateProcessor;
import org.junit.jupiter.api.Test;

class FanOutTest {
    @Test
    void oneMutationReachesOneServerAndTwoReachAtMostTwo() {
        for (int servers : new int[] {1, 3, 40}) {
            assertThat(FanOut.reached(0, servers)).isZero();
            assertThat(FanOut.reached(1, servers)).isCloseTo(1, within(1e-9));
        }
        assertThat(FanOut.reached(2, 3)).isCloseTo(5 / 3.0, within(1e-9));
        assertThat(FanOut.reached(5, 1)).isCloseTo(1, within(1e-9));
        assertThat(FanOut.reached(10_000, 3)).isCloseTo(3, within(1e-9));
    }

    @Test
    void theExpectationIsThatOfMutationsWithRandomServers() {
        Random random = new Random(7);
        int servers = 8;
        int mutations = 6;
        int trials = 20_000;
        long reached = 0;
        for (int trial = 0; trial < trials; trial++) {
            BitSet hit = new BitSet(servers);
            for (int mutation = 0; mutation < mutations; mutation++) {
                hit.set(random.nextInt(servers));
            }
            reached += hit.cardinality();
        }
        assertThat(FanOut.reached(mutations, servers)).isCloseTo((double) reached / trials, within(0.03));
    }

    @Test
    void aLargeBatchMakesEveryServerCallEveryServer() {
        assertThat(FanOut.ofBatch(1_000, 2, 3)).isCloseTo(9, within(1e-9));
        assertThat(FanOut.ofBatch(3, 1, 3))
                .as("one row for each server, and one entry each")
                .isCloseTo(3, within(1e-9));
    }

    @Test
    void aSingleQueuedRowTakesTheCallsOfItsMutations() {
        assertThat(FanOut.ofQueuedRow(1, 2, 3)).isCloseTo(5 / 3.0, within(1e-9));
    }

    @Test
    void queuedRowsShareCallsUpToABatch() {
        double gathered = 2_000 * UpdateProcessor.DEFAULT_LINGER_MS / 1e3;
        assertThat(gathered).isBetween(1.0, (double) UpdateProcessor.BATCH);
        assertThat(FanOut.ofQueuedRow(2_000, 2, 3)).isCloseTo(FanOut.reached(2 * gathered, 3) / gathered, within(1e-9));
        assertThat(FanOut.ofQueuedRow(1e9, 2, 40))
                .isCloseTo(FanOut.reached(2.0 * UpdateProcessor.BATCH, 40) / UpdateProcessor.BATCH, within(1e-9));
    }
}
