package org.diffindex.server.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DeliveryFaultsTest {
    private static final Mutation PUT = new Put(row("key"));

    private final List<Mutation> applied = new ArrayList<>();

    /** A handler's write may be in it, and the test's thread, which would end the fault, may be that handler. */
    @Test
    @Timeout(60)
    void aCallThatIsHeldTimesOut() {
        DeliveryFaults faults = new DeliveryFaults(1);
        faults.holdNext();
        assertThatThrownBy(() -> faults.call(List.of(PUT), applied::add))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("in time");
        faults.end();
        assertThat(applied).isEmpty();
    }

    @Test
    @Timeout(60)
    void aCallThatIsHeldArrivesWhenTheFaultsEnd() throws Exception {
        DeliveryFaults faults = new DeliveryFaults();
        faults.holdNext();
        CompletableFuture<Void> call = CompletableFuture.runAsync(() -> {
            try {
                faults.call(List.of(PUT), applied::add);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        Waiting.until("the call is held", () -> faults.waiting() == 1);
        assertThat(call).isNotDone();
        faults.end();
        call.get(30, TimeUnit.SECONDS);
        assertThat(applied).containsExactly(PUT);
    }
}
