package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

class HistoriesTest {
    private final Histories histories = new Histories(List.of("r0", "r1"));

    @Test
    void aLoggedWriteMayBeReadOnceTheSessionOfItsServerHasEnded() {
        StoreFiles region =
                new StoreFiles(RegionInfoBuilder.newBuilder(Flights.TABLE).build());
        histories.of("r1").begins(histories.now());
        region.logWithoutIndex("r1", ClientWrite.ORIGIN, 1, Flights.row("C"));
        long begin = histories.now();

        histories.lookAhead(region);

        assertThat(histories.of("r0").since(begin)).containsExactly("");
        assertThat(histories.of("r1").since(begin)).containsExactly("", "C");
    }

    @Test
    void aWriteThatWasFlushedIsExpectedFromTheFilesOnly() {
        StoreFiles region =
                new StoreFiles(RegionInfoBuilder.newBuilder(Flights.TABLE).build());
        region.logWithoutIndex("r1", ClientWrite.ORIGIN, 1, Flights.row("C"));
        region.flushedTo = 1;

        histories.lookAhead(region);

        assertThat(histories.of("r1").since(0)).containsExactly("");
    }
}
