package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.lab.bench.rivals.ItemRow;
import org.diffindex.lab.bench.rivals.ItemWriter;
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

    /** A table whose puts are slow in the first turn, and counts its turns. */
    private static final class SlowAtFirst extends BenchTable {
        private int turns;

        SlowAtFirst() {
            super(Contender.NO_INDEX, "", 2_000, 1, 3);
        }

        @Override
        ItemWriter writer(Connection connection) throws IOException {
            turns++;
            ItemWriter writer = mock(ItemWriter.class);
            doAnswer(call -> {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(turns == 1 ? 50 : 0));
                        return null;
                    })
                    .when(writer)
                    .put(any(ItemRow.class));
            return writer;
        }
    }

    /** The code of the first puts is not compiled yet. */
    @Test
    void measuresEachContenderAgainWhenTheFirstTurnHasWarmedItUp() throws IOException {
        SlowAtFirst table = new SlowAtFirst();
        BenchTables tables = mock(BenchTables.class);
        when(tables.of(Contender.NO_INDEX)).thenReturn(table);
        HighestRates rates = new HighestRates(new Bench(null, null, Results.options(2_000), tables), "flush", 1);
        rates.measure(List.of(Contender.NO_INDEX), 0.1);
        assertThat(table.turns).isEqualTo(2);
        assertThat(rates.of(Contender.NO_INDEX))
                .as("puts per second, of which the first turn reached 20")
                .isGreaterThan(100);
    }
}
