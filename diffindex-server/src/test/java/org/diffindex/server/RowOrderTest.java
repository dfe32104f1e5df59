package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.row;
import static org.diffindex.server.local.Flights.rowKey;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a thread is told that it does not get a row. */
@Timeout(60)
class RowOrderTest {
    private final RowLocks locks = new RowLocks();

    @BeforeEach
    void anotherThreadHoldsTheRow() {
        CompletableFuture.runAsync(() -> orderThatWaits(Duration.ofMinutes(5)).lock(rowKey("r")))
                .join();
    }

    private RowOrder orderThatWaits(Duration longest) {
        return new RowOrder(
                locks,
                new RowClock(() -> Instant.ofEpochMilli(1_000)),
                new UncertainWrites(),
                (row, families, clock, stamp) -> stamp,
                longest);
    }

    @Test
    void aWaitThatLastsTooLongEndsAsABusyRegion() {
        assertThatThrownBy(() -> orderThatWaits(Duration.ofMillis(1)).awaitWriteOf(row("r")))
                .isInstanceOf(RegionTooBusyException.class)
                .hasMessageContaining("did not end within 1 ms");
    }

    @Test
    void anInterruptedWaitEndsAsAnInterrupt() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> orderThatWaits(Duration.ofMinutes(5)).awaitWriteOf(row("r")))
                .isInstanceOf(InterruptedIOException.class)
                .hasMessageContaining("row 'r'");
        assertThat(Thread.interrupted()).isTrue();
    }
}
